//! Error codes: what the devices say themselves.

mod codes;
mod tables;

use std::collections::BTreeMap;

pub use codes::{Code, carries_code, codes_in};
pub use tables::{Brand, Meaning, Severity};

use crate::health::{Event, EventKind};

/// Readings of a code that are further apart than this are two events, seconds; two steps when
/// those are longer.
pub const EVENT_PAUSE_SECONDS: i64 = 1800;

/// Readings that carried the same codes, with no pause between two of them longer than
/// [`EVENT_PAUSE_SECONDS`].
#[derive(Clone, Debug, PartialEq)]
pub struct CodedRun {
    /// The earliest reading, seconds since 1970.
    pub first: i64,
    /// The latest reading, seconds since 1970.
    pub last: i64,
    /// Number of readings.
    pub readings: u32,
    /// The codes; see [`codes_in`].
    pub codes: Vec<Code>,
}

impl CodedRun {
    /// A run of one reading.
    pub fn of_reading(time: i64, codes: Vec<Code>) -> Self {
        Self {
            first: time,
            last: time,
            readings: 1,
            codes,
        }
    }
}

/// One code and how often it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// The code as shown: `E-501`, `error bit 18`, `Evt1 bit 7`, `St 7`.
    pub code: String,
    /// The meaning of the code; unknown with [`Severity::Unknown`].
    pub meaning: Meaning,
    /// Readings with the code.
    pub occurrences: u32,
    /// Runs of such readings.
    pub events: u32,
    /// Sum of the lengths of the runs.
    pub hours: f64,
    /// The earliest reading, seconds since 1970.
    pub first_seen: i64,
    /// The latest reading.
    pub last_seen: i64,
    /// The first and the last reading of each run, seconds since 1970.
    pub runs: Vec<(i64, i64)>,
    /// An outage overlaps one of the runs.
    pub overlaps_outage: bool,
    /// Hours of outage that overlap.
    pub outage_hours: f64,
}

/// The issues behind the codes of a window: critical first, then by occurrences.
///
/// `coded` may come in any order, may contain runs without codes, and runs with different codes may
/// overlap in time; each reading is part of one run. `outages` are the findings of
/// [`crate::health::analyze`].
pub fn diagnose(
    mut coded: Vec<CodedRun>,
    brand: Brand,
    step_hours: f64,
    outages: &[Event],
) -> Vec<Issue> {
    coded.sort_by_key(|run| (run.first, run.last));
    let step_seconds = step_hours * 3600.0;
    let pause = (2.0 * step_seconds).max(EVENT_PAUSE_SECONDS as f64);
    let mut runs: BTreeMap<&Code, Vec<Run>> = BTreeMap::new();
    for more in &coded {
        for code in &more.codes {
            let runs = runs.entry(code).or_default();
            match runs.last_mut() {
                Some(run) if (more.first - run.last) as f64 <= pause => {
                    // Two rows of one second are one reading.
                    let repeats = more.first == more.last && more.last == run.last;
                    run.readings += if repeats { 0 } else { more.readings };
                    run.last = run.last.max(more.last);
                }
                _ => runs.push(Run {
                    first: more.first,
                    last: more.last,
                    readings: more.readings,
                }),
            }
        }
    }
    let mut issues: Vec<Issue> = runs
        .into_iter()
        .map(|(code, runs)| issue(code, &runs, brand, step_seconds, outages))
        .collect();
    issues.sort_by(|a, b| {
        (a.meaning.severity, b.occurrences, &a.code).cmp(&(
            b.meaning.severity,
            a.occurrences,
            &b.code,
        ))
    });
    issues
}

/// Readings with a code, without a long pause.
struct Run {
    first: i64,
    last: i64,
    readings: u32,
}

fn issue(code: &Code, runs: &[Run], brand: Brand, step_seconds: f64, outages: &[Event]) -> Issue {
    // A reading describes the step that it ends, so one reading lasts one step.
    let seconds: f64 = runs
        .iter()
        .map(|run| (run.last - run.first) as f64 + step_seconds)
        .sum();
    let overlap = |run: &Run, outage: &Event| {
        let start = (run.first as f64 - step_seconds).max(outage.start as f64);
        (run.last as f64).min(outage.end as f64) - start
    };
    let outage_seconds: f64 = runs
        .iter()
        .flat_map(|run| {
            outages
                .iter()
                .filter(|event| event.kind == EventKind::Outage)
                .map(move |o| overlap(run, o))
        })
        .filter(|seconds| *seconds > 0.0)
        .sum();
    Issue {
        code: code.to_string(),
        meaning: tables::meaning(code, brand),
        occurrences: runs.iter().map(|run| run.readings).sum(),
        events: u32::try_from(runs.len()).unwrap_or(u32::MAX),
        hours: seconds / 3600.0,
        first_seen: runs.first().map_or(0, |run| run.first),
        last_seen: runs.last().map_or(0, |run| run.last),
        runs: runs.iter().map(|run| (run.first, run.last)).collect(),
        overlaps_outage: outage_seconds > 0.0,
        outage_hours: outage_seconds / 3600.0,
    }
}

/// The state of a logger in one word: the worst severity among its issues.
pub fn overall_severity(issues: &[Issue]) -> Option<Severity> {
    issues.iter().map(|issue| issue.meaning.severity).min()
}
