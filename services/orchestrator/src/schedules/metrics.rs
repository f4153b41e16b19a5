//! Metrics of schedules.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram};
use service_kit::telemetry::metrics::{DURATIONS, meter};

struct Instruments {
    messages: Counter<u64>,
    late: Histogram<f64>,
    stopped: Counter<u64>,
}

static INSTRUMENTS: LazyLock<Instruments> = LazyLock::new(|| Instruments {
    messages: meter()
        .u64_counter("heliograph.schedule.deliveries")
        .with_description("Attempts at delivering a message of a schedule, by channel and result.")
        .build(),
    late: meter()
        .f64_histogram("heliograph.schedule.delay")
        .with_unit("s")
        .with_description("Time from when a question was due until it is asked.")
        .with_boundaries(DURATIONS.to_vec())
        .build(),
    stopped: meter()
        .u64_counter("heliograph.schedules.stopped")
        .with_description("Schedules that were stopped because their owner lost the right to them.")
        .build(),
});

/// Ways in which messages are delivered.
pub(super) const EMAIL: &str = "email";
pub(super) const WEBHOOK: &str = "webhook";

/// The message arrived.
pub(super) const SENT: &str = "sent";

/// The attempt failed.
pub(super) const FAILED: &str = "failed";

/// Begins the counters at zero: Prometheus sees no increase in a series that begins with the first
/// event.
pub(crate) fn begin_counters() {
    for channel in [EMAIL, WEBHOOK] {
        for result in [SENT, FAILED] {
            let attributes = [
                KeyValue::new("channel", channel),
                KeyValue::new("result", result),
            ];
            INSTRUMENTS.messages.add(0, &attributes);
        }
    }
    INSTRUMENTS.stopped.add(0, &[]);
}

pub(super) fn delivered(channel: &'static str, result: &'static str) {
    let attributes = [
        KeyValue::new("channel", channel),
        KeyValue::new("result", result),
    ];
    INSTRUMENTS.messages.add(1, &attributes);
}

pub(super) fn asked(due_at: DateTime<Utc>, now: DateTime<Utc>) {
    let seconds = (now - due_at).as_seconds_f64().max(0.0);
    INSTRUMENTS.late.record(seconds, &[]);
}

pub(super) fn stopped() {
    INSTRUMENTS.stopped.add(1, &[]);
}
