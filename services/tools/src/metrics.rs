//! Metrics of tools, of the guard and of ingestion.

use std::cell::Cell;
use std::sync::LazyLock;
use std::time::Instant;

use chrono::{DateTime, Utc};
use contracts::measurements::IngestReport;
use contracts::tools::sql::SqlFinding;
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram};
use service_kit::telemetry::metrics::{DURATIONS, meter};
use targets::Kind;

struct Instruments {
    tool: Histogram<f64>,
    rows: Histogram<u64>,
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

/// Bounds of the rows that a call reads.
const ROWS: [f64; 7] = [0.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0];

static INSTRUMENTS: LazyLock<Instruments> = LazyLock::new(|| Instruments {
    tool: meter()
        .f64_histogram("heliograph.tool.duration")
        .with_unit("s")
        .with_description("Duration of a tool call, by tool and whether it was answered.")
        .with_boundaries(DURATIONS.to_vec())
        .build(),
    rows: meter()
        .u64_histogram("heliograph.tool.rows")
        .with_description("Rows of data that an answered tool call read, by tool.")
        .with_boundaries(ROWS.to_vec())
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

/// Results of rows of uploads.
const RESULTS: [&str; 4] = ["accepted", "replaced", "empty", "refused"];

/// Begins the counters at zero. Prometheus sees no increase in a series that begins with the first
/// event, so the first refusal would be in no figure and no alert.
pub(crate) fn begin_counters() {
    for result in RESULTS {
        INSTRUMENTS
            .readings
            .add(0, &[KeyValue::new("result", result)]);
    }
    for kind in Kind::ALL {
        let attributes = [KeyValue::new("kind", kind.name())];
        INSTRUMENTS.refusals.add(0, &attributes);
    }
}

tokio::task_local! {
    /// The rows that the current call of a tool has read.
    static READ: Cell<u64>;
}

/// Counts rows of data (readings, days, rows of a target, records, passages) for the call of a tool
/// that reads them. Elsewhere it does nothing.
pub(crate) fn read_rows(rows: usize) {
    let more = u64::try_from(rows).unwrap_or(u64::MAX);
    // Outside of a call there is no cell.
    READ.try_with(|read| read.set(read.get().saturating_add(more)))
        .unwrap_or_default();
}

/// Calls the tool `name`, which exists, and records how long that took, how it ended and how many
/// rows it read. An answer that reports a problem of the data is an answer.
pub(crate) async fn observed<T, E>(
    name: &str,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let started = Instant::now();
    let (answer, rows) = READ
        .scope(Cell::new(0), async {
            let answer = call.await;
            (answer, READ.with(Cell::get))
        })
        .await;
    let outcome = if answer.is_ok() { "answered" } else { "failed" };
    let tool = KeyValue::new("tool", name.to_owned());
    if answer.is_ok() {
        INSTRUMENTS.rows.record(rows, std::slice::from_ref(&tool));
    }
    let seconds = started.elapsed().as_secs_f64();
    INSTRUMENTS
        .tool
        .record(seconds, &[tool, KeyValue::new("outcome", outcome)]);
    answer
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
    let rows = [
        report.accepted,
        report.replaced,
        report.empty,
        report.refused,
    ];
    for (result, rows) in RESULTS.into_iter().zip(rows) {
        if rows > 0 {
            let attributes = [KeyValue::new("result", result)];
            INSTRUMENTS.readings.add(rows, &attributes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_rows_of_a_call_are_its_own() {
        // Outside of a call, nothing is counted and nothing fails.
        read_rows(5);
        let inner = || {
            observed("get_power_curve", async {
                Ok::<_, ()>(READ.with(Cell::get))
            })
        };
        let read = observed("list_loggers", async {
            read_rows(3);
            assert_eq!(inner().await, Ok(0));
            read_rows(4);
            Ok::<_, ()>(READ.with(Cell::get))
        });
        assert_eq!(read.await, Ok(7));
    }
}
