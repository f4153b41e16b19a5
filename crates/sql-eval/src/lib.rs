//! How good the guard and the join graph are, measured on schemas, questions and broken queries.
//!
//! Three files of JSON lines go in. *Schemas*: one database a line, a join graph with the name `db`. *Cases*: a question
//! with a correct query, the tables it uses and the pairs of columns it joins. *Mutants*: the same queries, each broken in
//! one place. [`evaluate`] checks every statement on all cores, compares join trees with those of the queries, times
//! checks on one core, and gives a [`Report`]; its [`Summary`] is the same in a few numbers.
//!
//! With a model and a database to ask, [`execution`] compares results.
//!
//! A line that cannot be used is counted and told ([`Odd`]), and never ends an evaluation.

mod checks;
mod databases;
pub mod execution;
mod joins;
mod lines;
mod report;
mod timing;

use std::path::PathBuf;

pub use checks::{ByKind, Checks, Missed, Refused};
pub use joins::{Joins, NotCompared, Shares};
pub use lines::Odd;
pub use report::{Report, Summary};
pub use sql_guard::Dialect;
pub use timing::Timing;

/// What to evaluate on.
#[derive(Debug, Clone)]
pub struct Files {
    /// The databases.
    pub schemas: PathBuf,
    /// Questions with correct queries.
    pub cases: PathBuf,
    /// Broken queries.
    pub mutants: Option<PathBuf>,
    /// Whose SQL the queries are written in.
    pub dialect: Dialect,
}

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} can not be read", path.display())]
pub struct Error {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub source: std::io::Error,
}

/// Does all measurements. Fails only if a file cannot be read.
pub fn evaluate(files: &Files) -> Result<Report, Error> {
    let (databases, mut odd) = databases::read(&files.schemas)?;
    let (mut checks, joins) = {
        let tally = checks::cases(&files.cases, &databases, files.dialect)?;
        odd.extend(tally.odd);
        (tally.checks, tally.joins)
    };
    if let Some(path) = &files.mutants {
        let tally = checks::mutants(path, &databases, files.dialect)?;
        odd.extend(tally.odd);
        checks.add(tally.checks);
    }
    let timing = timing::measure(&files.cases, &databases, files.dialect, checks.statements)?;
    odd.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    Ok(Report {
        databases: databases.len(),
        checks,
        joins,
        timing,
        odd,
    })
}
