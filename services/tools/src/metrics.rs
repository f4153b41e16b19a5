//! Metrics of tools, of the guard and of ingestion.

use std::sync::LazyLock;
use std::time::Instant;

use chrono::{DateTime, Utc};
use contracts::measurements::IngestReport;
use contracts::tools::sql::SqlFinding;
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram};
use service_kit::telemetry::metrics::{DURATIONS, meter};

struct Instruments {
    tool: Histogram<f64>,
    refusals: Counter<u64>,
    readings: Counter<u64>,
    lag: Histogram<f64>,
}

/// Bounds of the lag of uploads, s: from a minute to a month.
const LAGS: [f64; 11] = [
    60.0,
    300.0,
    900.0,
    1_800.0,
    3_600.0,
    7_200.0,
    21_600.0,
    86_400.0,
    172_800.0,
    604_800.0,
    2_592_000.0,
];

static INSTRUMENTS: LazyLock<Instruments> = LazyLock::new(|| Instruments {
    tool: meter()
        .f64_histogram("heliograph.tool.duration")
        .with_unit("s")
        .with_description("Duration of a tool call, by tool and whether it was answered.")
        .with_boundaries(DURATIONS.to_vec())
        .build(),
    refusals: meter()
        .u64_counter("heliograph.guard.refusals")
        .with_description("Problems for which the guard refused a statement, by kind.")
        .build(),
    readings: meter()
        .u64_counter("heliograph.ingest.readings")
        .with_description("Rows of uploads, by result: accepted, replaced, empty, refused.")
        .build(),
    lag: meter()
        .f64_histogram("heliograph.ingest.lag")
        .with_unit("s")
        .with_description("Age of the newest reading of an upload when it is stored.")
        .with_boundaries(LAGS.to_vec())
        .build(),
});

/// A call of a tool.
pub(crate) struct ObservedTool {
    name: String,
    started: Instant,
}

impl ObservedTool {
    /// `name` is the name of a tool that exists.
    pub(crate) fn begin(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            started: Instant::now(),
        }
    }

    /// Records the end of the call. An answer that reports a problem of the data is an answer.
    pub(crate) fn ended(self, answered: bool) {
        let outcome = if answered { "answered" } else { "failed" };
        let seconds = self.started.elapsed().as_secs_f64();
        let attributes = [
            KeyValue::new("tool", self.name),
            KeyValue::new("outcome", outcome),
        ];
        INSTRUMENTS.tool.record(seconds, &attributes);
    }
}

/// Records the problems that the guard found in a statement.
pub(crate) fn guard_refused(findings: &[SqlFinding]) {
    for finding in findings {
        let attributes = [KeyValue::new("kind", finding.kind.clone())];
        INSTRUMENTS.refusals.add(1, &attributes);
    }
}

/// Records the result of an upload that was stored at `now`.
pub(crate) fn ingested(report: &IngestReport, now: DateTime<Utc>) {
    let newest = report.loggers.iter().map(|logger| logger.latest).max();
    if let Some(newest) = newest {
        // Clocks of loggers are sometimes ahead.
        let lag = now
            .signed_duration_since(newest)
            .to_std()
            .unwrap_or_default();
        INSTRUMENTS.lag.record(lag.as_secs_f64(), &[]);
    }
    for (result, rows) in [
        ("accepted", report.accepted),
        ("replaced", report.replaced),
        ("empty", report.empty),
        ("refused", report.refused),
    ] {
        if rows > 0 {
            let attributes = [KeyValue::new("result", result)];
            INSTRUMENTS.readings.add(rows, &attributes);
        }
    }
}
