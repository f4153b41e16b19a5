//! Rejected correct queries, accepted broken queries, and the suggestions for broken ones.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use sql_guard::{Dialect, Finding, Kind};

use crate::Error;
use crate::databases::{Database, Databases};
use crate::joins::{self, Joins};
use crate::lines::{SkippedLine, Tally, on_all_cores};

/// A question with a correct query.
#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(default)]
    id: String,
    pub(crate) db: String,
    sql: String,
    #[serde(default)]
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) tables_used: Vec<String>,
    #[serde(default)]
    pub(crate) gold_join_edges: Vec<[String; 4]>,
}

/// A query with exactly one error.
#[derive(Deserialize)]
struct Mutant {
    #[serde(default)]
    id: String,
    db: String,
    kind: String,
    sql: String,
    #[serde(default)]
    broken: String,
    #[serde(default)]
    hint_tables: Vec<String>,
}

/// The results of checking queries.
#[derive(Debug, Clone, Default)]
pub struct Checks {
    /// Number of checked correct queries.
    pub statements: usize,
    /// Correct queries that were rejected. Each is an error of the guard.
    pub refused: Vec<Refused>,
    /// Broken queries by the kind of their error.
    pub mutants: BTreeMap<String, ByKind>,
    /// Broken queries that were accepted. Each is an error of the guard.
    pub missed: Vec<Missed>,
}

/// A correct query that was rejected.
#[derive(Debug, Clone)]
pub struct Refused {
    /// The line in the file of cases.
    pub line: usize,
    /// The id of the question.
    pub id: String,
    /// The query.
    pub sql: String,
    /// The reported findings.
    pub findings: Vec<Finding>,
}

/// A broken query that was accepted.
#[derive(Debug, Clone)]
pub struct Missed {
    /// The line in the file of mutants.
    pub line: usize,
    /// The id of the original question.
    pub id: String,
    /// The broken query.
    pub sql: String,
    /// The name that is wrong.
    pub broken: String,
}

/// Broken queries of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByKind {
    /// Number of broken queries.
    pub all: usize,
    /// Number of rejected queries.
    pub refused: usize,
    /// Number of queries with a finding on the broken name that suggests a table with this column.
    pub suggested: usize,
    /// Number of queries where every table with this column is suggested.
    pub suggested_all: usize,
}

/// The kind that suggestions are measured on: a column of another table.
pub(crate) const OF_OTHER_TABLE: &str = "column_of_other_table";

impl Checks {
    pub(crate) fn add(&mut self, other: Checks) {
        self.statements += other.statements;
        self.refused.extend(other.refused);
        self.missed.extend(other.missed);
        for (kind, counts) in other.mutants {
            let sum = self.mutants.entry(kind).or_default();
            sum.all += counts.all;
            sum.refused += counts.refused;
            sum.suggested += counts.suggested;
            sum.suggested_all += counts.suggested_all;
        }
        self.refused.sort_by_key(|refused| refused.line);
        self.missed.sort_by_key(|missed| missed.line);
    }

    /// The sum over all kinds.
    pub fn all_mutants(&self) -> ByKind {
        let add = |sum: ByKind, one: &ByKind| ByKind {
            all: sum.all + one.all,
            refused: sum.refused + one.refused,
            suggested: sum.suggested + one.suggested,
            suggested_all: sum.suggested_all + one.suggested_all,
        };
        self.mutants.values().fold(ByKind::default(), add)
    }
}

/// The counts of one worker.
#[derive(Default)]
pub(crate) struct Counted {
    pub(crate) checks: Checks,
    pub(crate) joins: Joins,
    pub(crate) skipped: Vec<SkippedLine>,
}

impl Tally for Counted {
    fn add(&mut self, other: Counted) {
        self.checks.add(other.checks);
        self.joins.add(other.joins);
        self.skipped.extend(other.skipped);
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        self.skipped.push(skipped);
    }
}

/// Checks the correct queries and compares their joins.
pub(crate) fn cases(
    path: &Path,
    databases: &Databases,
    dialect: Dialect,
) -> Result<Counted, Error> {
    on_all_cores(path, |counted: &mut Counted, line, case: Case| {
        let database = named(databases, &case.db)?;
        counted.checks.statements += 1;
        joins::compare(&mut counted.joins, line, &case, database);
        if let Err(findings) = database.guard.check(&case.sql, dialect) {
            counted.checks.refused.push(Refused {
                line,
                id: case.id,
                sql: case.sql,
                findings,
            });
        }
        Ok(())
    })
}

/// Checks the broken queries.
pub(crate) fn mutants(
    path: &Path,
    databases: &Databases,
    dialect: Dialect,
) -> Result<Counted, Error> {
    on_all_cores(path, |counted: &mut Counted, line, mutant: Mutant| {
        let database = named(databases, &mutant.db)?;
        let counts = counted
            .checks
            .mutants
            .entry(mutant.kind.clone())
            .or_default();
        counts.all += 1;
        match database.guard.check(&mutant.sql, dialect) {
            Ok(_) => counted.checks.missed.push(Missed {
                line,
                id: mutant.id,
                sql: mutant.sql,
                broken: mutant.broken,
            }),
            Err(findings) => {
                counts.refused += 1;
                let suggests = |hint: &String| suggests(&findings, &mutant.broken, hint);
                let hints = &mutant.hint_tables;
                counts.suggested += usize::from(hints.iter().any(suggests));
                counts.suggested_all +=
                    usize::from(!hints.is_empty() && hints.iter().all(suggests));
            }
        }
        Ok(())
    })
}

fn named<'d>(databases: &'d Databases, name: &str) -> Result<&'d Database, String> {
    databases
        .get(name)
        .ok_or_else(|| format!("there is no schema of database '{name}'"))
}

/// Whether a finding on the broken name suggests the table.
fn suggests(findings: &[Finding], broken: &str, table: &str) -> bool {
    findings.iter().any(|finding| {
        matches!(finding.kind, Kind::UnknownColumn | Kind::UnknownTable)
            && finding.message.contains(broken)
            && finding
                .suggestions
                .iter()
                .any(|name| name.to_lowercase() == table.to_lowercase())
    })
}
