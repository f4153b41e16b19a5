//! The time of a check, on one core. Measure on an idle machine: other load distorts the figures.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use sql_guard::Dialect;

use crate::Error;
use crate::databases::Databases;
use crate::lines::{SkippedLine, Tally, on_all_cores};

/// Maximum number of timed statements, spread over the file.
const MOST: usize = 20_000;
/// Number of runs per statement. The median counts, so that an interruption has no effect.
const RUNS: usize = 3;

/// The time of checks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timing {
    /// Number of timed statements.
    pub statements: usize,
    /// The median.
    pub median: Duration,
    /// The 99th percentile.
    pub p99: Duration,
}

#[derive(Deserialize)]
struct Line {
    db: String,
    sql: String,
}

#[derive(Default)]
struct Statements(Vec<(usize, Line)>);

impl Tally for Statements {
    fn add(&mut self, other: Statements) {
        self.0.extend(other.0);
    }

    /// Unusable lines were reported when the file was checked.
    fn skipped(&mut self, _odd: SkippedLine) {}
}

/// Measures checks of the `count` correct queries.
pub(crate) fn measure(
    path: &Path,
    databases: &Databases,
    dialect: Dialect,
    count: usize,
) -> Result<Timing, Error> {
    let step = count.div_ceil(MOST).max(1);
    let mut chosen: Statements = on_all_cores(path, |chosen: &mut Statements, number, line| {
        if number % step == 0 {
            chosen.0.push((number, line));
        }
        Ok(())
    })?;
    chosen.0.sort_by_key(|(number, _)| *number);
    let mut times: Vec<Duration> = Vec::with_capacity(chosen.0.len());
    for (_, line) in &chosen.0 {
        let Some(database) = databases.get(&line.db) else {
            continue;
        };
        let mut runs = [Duration::ZERO; RUNS];
        for run in &mut runs {
            let start = Instant::now();
            let checked = database.guard.check(&line.sql, dialect);
            *run = start.elapsed();
            drop(std::hint::black_box(checked));
        }
        runs.sort_unstable();
        times.push(runs[RUNS / 2]);
    }
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(times.len() * share / 100)
            .copied()
            .unwrap_or_default()
    };
    Ok(Timing {
        statements: times.len(),
        median: at(50),
        p99: at(99),
    })
}
