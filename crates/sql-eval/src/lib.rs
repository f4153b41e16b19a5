//! Measures the quality of the guard and the join graph on schemas, questions and broken queries.
//!
//! The input is three files of JSON lines. *Schemas*: one database per line, a join graph with the
//! name `db`. *Cases*: a question with a correct query, the tables it uses and the pairs of columns
//! it joins. *Mutants*: the same queries, each with one error. [`evaluate`] checks every statement
//! on all cores, compares join trees with those of the queries, measures the time of checks on one
//! core, and returns a [`Report`]. Its [`Summary`] has the main figures.
//!
//! With a model and a database, [`execution`] compares results.
//!
//! A line that cannot be used is counted and reported ([`SkippedLine`]); it never ends an
//! evaluation.

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
pub use lines::SkippedLine;
pub use report::{Report, Summary};
pub use sql_guard::Dialect;
pub use timing::Timing;

/// The input files of an evaluation.
#[derive(Debug, Clone)]
pub struct Files {
    /// The schemas of the databases.
    pub schemas: PathBuf,
    /// Questions with correct queries.
    pub cases: PathBuf,
    /// Queries with one error each.
    pub mutants: Option<PathBuf>,
    /// The SQL dialect of the queries.
    pub dialect: Dialect,
}

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read", path.display())]
pub struct Error {
    /// The path of the file.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: std::io::Error,
}

/// Runs all measurements. Fails only if a file cannot be read.
pub fn evaluate(files: &Files) -> Result<Report, Error> {
    let (databases, mut skipped) = databases::read(&files.schemas)?;
    let (mut checks, joins) = {
        let tally = checks::cases(&files.cases, &databases, files.dialect)?;
        skipped.extend(tally.skipped);
        (tally.checks, tally.joins)
    };
    if let Some(path) = &files.mutants {
        let tally = checks::mutants(path, &databases, files.dialect)?;
        skipped.extend(tally.skipped);
        checks.add(tally.checks);
    }
    let timing = timing::measure(&files.cases, &databases, files.dialect, checks.statements)?;
    skipped.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    Ok(Report {
        databases: databases.len(),
        checks,
        joins,
        timing,
        skipped,
    })
}
