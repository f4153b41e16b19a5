//! What one check costs. One core, nothing else under way: figures taken beside busy neighbours mean nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use sql_guard::Dialect;

use crate::Error;
use crate::databases::Databases;
use crate::lines::{Odd, Tally, on_all_cores};

/// Statements that are timed at most, spread over the file.
const MOST: usize = 20_000;
/// Times each is checked; the middle one counts, so that an interruption does not.
const RUNS: usize = 3;

/// What checks cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timing {
    /// Statements timed.
    pub statements: usize,
    /// Half of them are done in this time.
    pub median: Duration,
    /// All but one in a hundred are.
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

    /// Told already, when the file was checked.
    fn odd(&mut self, _odd: Odd) {}
}

/// Times checks of the correct queries, of which there are `count`.
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
