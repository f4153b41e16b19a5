//! Metrics of runs and of the clients that read them.

use std::sync::LazyLock;
use std::time::Instant;

use contracts::run::{FinishReason, RunEvent, Source};
use contracts::threads::Dialect;
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, UpDownCounter};
use service_kit::telemetry::metrics::{DURATIONS, meter};

struct Instruments {
    duration: Histogram<f64>,
    first_text: Histogram<f64>,
    active: UpDownCounter<i64>,
    waiting: UpDownCounter<i64>,
    taken_over: Counter<u64>,
    handed_over: Counter<u64>,
    clients: UpDownCounter<i64>,
}

static INSTRUMENTS: LazyLock<Instruments> = LazyLock::new(|| Instruments {
    duration: meter()
        .f64_histogram("heliograph.run.duration")
        .with_unit("s")
        .with_description("Duration of an attempt at a run, by assistant, ending and source.")
        .with_boundaries(DURATIONS.to_vec())
        .build(),
    first_text: meter()
        .f64_histogram("heliograph.run.time_to_first_text")
        .with_unit("s")
        .with_description("Time from the start of an attempt at a run to its first text.")
        .with_boundaries(DURATIONS.to_vec())
        .build(),
    active: meter()
        .i64_up_down_counter("heliograph.runs.active")
        .with_description("Runs that this process executes.")
        .build(),
    waiting: meter()
        .i64_up_down_counter("heliograph.runs.waiting")
        .with_description("Runs that this process accepted and that wait for their thread.")
        .build(),
    taken_over: meter()
        .u64_counter("heliograph.runs.taken_over")
        .with_description("Runs of processes that died, by result.")
        .build(),
    handed_over: meter()
        .u64_counter("heliograph.runs.handed_over")
        .with_description("Runs of processes that were stopped as planned, continued by this one.")
        .build(),
    clients: meter()
        .i64_up_down_counter("heliograph.stream.clients")
        .with_description("Clients that read the stream of a run, by dialect.")
        .build(),
});

/// Begins the counters at zero. Prometheus sees no increase in a series that begins with the first
/// event, so the first run that is taken over would raise no alert.
pub(crate) fn begin_counters() {
    for result in [RESTARTED, ENDED] {
        let attributes = [KeyValue::new("result", result)];
        INSTRUMENTS.taken_over.add(0, &attributes);
    }
    INSTRUMENTS.handed_over.add(0, &[]);
    INSTRUMENTS.waiting.add(0, &[]);
}

/// A run of a process that died begins again.
pub(super) const RESTARTED: &str = "restarted";

/// It does not, and has ended.
pub(super) const ENDED: &str = "ended";

/// An attempt at a run, from its start to the event that ends it.
pub(super) struct ObservedRun {
    assistant: KeyValue,
    started: Instant,
    has_text: bool,
}

impl ObservedRun {
    pub(super) fn begin(assistant: &str) -> Self {
        let assistant = KeyValue::new("assistant", assistant.to_owned());
        INSTRUMENTS.active.add(1, std::slice::from_ref(&assistant));
        Self {
            assistant,
            started: Instant::now(),
            has_text: false,
        }
    }

    /// Records an event of the run.
    pub(super) fn event(&mut self, event: &RunEvent) {
        if !self.has_text && matches!(event, RunEvent::TextDelta { .. }) {
            self.has_text = true;
            let seconds = self.started.elapsed().as_secs_f64();
            let attributes = std::slice::from_ref(&self.assistant);
            INSTRUMENTS.first_text.record(seconds, attributes);
        }
    }

    /// Records the end of the attempt: its last event, or that another worker took the run over.
    pub(super) fn ended(&self, terminal: Option<&RunEvent>) {
        let (ending, source) = match terminal {
            Some(RunEvent::Finished { reason, source, .. }) => (finish_name(*reason), *source),
            Some(_) => ("failed", Source::Rules),
            None => ("lost", Source::Rules),
        };
        let source = match source {
            Source::Rules => "rules",
            Source::Model => "model",
        };
        let attributes = [
            self.assistant.clone(),
            KeyValue::new("ending", ending),
            KeyValue::new("source", source),
        ];
        let seconds = self.started.elapsed().as_secs_f64();
        INSTRUMENTS.duration.record(seconds, &attributes);
    }
}

impl Drop for ObservedRun {
    fn drop(&mut self) {
        INSTRUMENTS
            .active
            .add(-1, std::slice::from_ref(&self.assistant));
    }
}

fn finish_name(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::Length => "length",
        FinishReason::Incomplete => "incomplete",
        FinishReason::Cancelled => "cancelled",
    }
}

/// A run that waits for its thread, until it is dropped.
pub(crate) struct ObservedWait(());

impl ObservedWait {
    pub(crate) fn begin() -> Self {
        INSTRUMENTS.waiting.add(1, &[]);
        Self(())
    }
}

impl Drop for ObservedWait {
    fn drop(&mut self) {
        INSTRUMENTS.waiting.add(-1, &[]);
    }
}

/// Records that a run of another process was taken over, and what follows.
pub(super) fn taken_over(result: &'static str) {
    let attributes = [KeyValue::new("result", result)];
    INSTRUMENTS.taken_over.add(1, &attributes);
}

/// Records that a run of a process that was stopped as planned continues here.
pub(super) fn handed_over() {
    INSTRUMENTS.handed_over.add(1, &[]);
}

/// A client that reads a stream, until it is dropped.
pub(super) struct ObservedClient([KeyValue; 1]);

impl ObservedClient {
    pub(super) fn begin(dialect: Dialect) -> Self {
        let client = Self([KeyValue::new("dialect", dialect.as_str())]);
        INSTRUMENTS.clients.add(1, &client.0);
        client
    }
}

impl Drop for ObservedClient {
    fn drop(&mut self) {
        INSTRUMENTS.clients.add(-1, &self.0);
    }
}
