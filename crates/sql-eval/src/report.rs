//! The report of an evaluation, as a table and as main figures.

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::Serialize;

use crate::checks::{Checks, OF_OTHER_TABLE};
use crate::joins::{Joins, NotCompared, Shares};
use crate::lines::SkippedLine;
use crate::timing::Timing;

/// All measurements.
#[derive(Debug, Clone)]
pub struct Report {
    /// Number of databases.
    pub databases: usize,
    /// The results of checking queries.
    pub checks: Checks,
    /// The results of comparing joins.
    pub joins: Joins,
    /// The time of checks.
    pub timing: Timing,
    /// Lines that could not be used.
    pub skipped: Vec<SkippedLine>,
}

/// The main figures of an evaluation. Shares are from 0 to 1, or `None` without any queries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Number of correct queries.
    pub statements: usize,
    /// Number of correct queries that were rejected.
    pub false_refusals: usize,
    /// Number of broken queries.
    pub mutants: usize,
    /// Number of broken queries that were accepted.
    pub missed_errors: usize,
    /// Share of broken queries that were rejected.
    pub mutants_refused: Option<f64>,
    /// Share of columns of another table for which a table with this column was suggested.
    pub suggestions_right: Option<f64>,
    /// Number of queries whose tables determine their joins.
    pub joins_compared: usize,
    /// Share of these with an equal tree, given all tables.
    pub joins_equal: Option<f64>,
    /// The same, given only the tables with a single join.
    pub joins_equal_leaf_only: Option<f64>,
    /// Number of queries whose joins are all declared, comparable or not.
    pub joins_declared: usize,
    /// Share of these with an equal tree, given all tables.
    pub joins_equal_of_declared: Option<f64>,
    /// The same, given only the tables with a single join.
    pub joins_equal_leaf_only_of_declared: Option<f64>,
    /// Share of these with an equal tree, given all tables and the question.
    pub joins_equal_with_question_of_declared: Option<f64>,
    /// The same, given only the tables with a single join and the question.
    pub joins_equal_leaf_only_with_question_of_declared: Option<f64>,
    /// Maximum share of these that any rule can get right from the tables alone.
    pub joins_derivable_of_declared: Option<f64>,
    /// Number of queries with a join, comparable or not.
    pub joins_all: usize,
    /// Share of these with an equal tree, given all tables.
    pub joins_equal_of_all: Option<f64>,
    /// The same, given only the tables with a single join.
    pub joins_equal_leaf_only_of_all: Option<f64>,
    /// The median time of a check in microseconds.
    pub check_us_median: f64,
    /// The 99th percentile of the time of a check in microseconds.
    pub check_us_p99: f64,
    /// Number of lines that could not be used.
    pub odd_lines: usize,
}

impl Report {
    /// The main figures.
    pub fn summary(&self) -> Summary {
        let all = self.checks.all_mutants();
        let of_other_table = self.checks.mutants.get(OF_OTHER_TABLE);
        let (comparable, joins) = (self.joins.comparable, self.joins.all);
        let declared = self.joins.declared;
        Summary {
            statements: self.checks.statements,
            false_refusals: self.checks.refused.len(),
            mutants: all.all,
            missed_errors: self.checks.missed.len(),
            mutants_refused: share(all.refused, all.all),
            suggestions_right: of_other_table.and_then(|it| share(it.suggested, it.all)),
            joins_compared: comparable.queries,
            joins_equal: share(comparable.equal, comparable.queries),
            joins_equal_leaf_only: share(comparable.equal_leaf_only, comparable.queries),
            joins_declared: declared.queries,
            joins_equal_of_declared: share(declared.equal, declared.queries),
            joins_equal_leaf_only_of_declared: share(declared.equal_leaf_only, declared.queries),
            joins_equal_with_question_of_declared: share(
                declared.equal_with_question,
                declared.queries,
            ),
            joins_equal_leaf_only_with_question_of_declared: share(
                declared.equal_leaf_only_with_question,
                declared.queries,
            ),
            joins_derivable_of_declared: share(self.joins.most_from_tables(), declared.queries),
            joins_all: joins.queries,
            joins_equal_of_all: share(joins.equal, joins.queries),
            joins_equal_leaf_only_of_all: share(joins.equal_leaf_only, joins.queries),
            check_us_median: micros(self.timing.median),
            check_us_p99: micros(self.timing.p99),
            odd_lines: self.skipped.len(),
        }
    }

    /// The first `most` wrong verdicts of each sort with their findings, and the differing trees.
    pub fn details(&self, most: usize) -> String {
        let mut out = String::new();
        for refused in self.checks.refused.iter().take(most) {
            _ = writeln!(
                out,
                "refused   line {} {}: {}",
                refused.line, refused.id, refused.sql
            );
            for finding in &refused.findings {
                _ = writeln!(out, "          {finding}");
            }
        }
        for missed in self.checks.missed.iter().take(most) {
            let (line, id, broken) = (missed.line, &missed.id, &missed.broken);
            _ = writeln!(out, "missed    line {line} {id} ({broken}): {}", missed.sql);
        }
        for differing in self.joins.differing.iter().take(most) {
            _ = writeln!(out, "tree      line {}", differing.line);
            for (what, joins) in [
                ("gold", &differing.gold),
                ("all ", &differing.tree),
                ("leaf", &differing.leaf_only),
            ] {
                _ = writeln!(out, "          {what} {}", joins.join(", "));
            }
        }
        for skipped in self.skipped.iter().take(most) {
            _ = writeln!(
                out,
                "skipped   {} line {}: {}",
                skipped.file, skipped.line, skipped.reason
            );
        }
        out
    }
}

/// The printed table.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks = &self.checks;
        writeln!(
            f,
            "{} databases, {} queries",
            self.databases, checks.statements
        )?;
        writeln!(f, "\nfalse refusals        {:>7}", checks.refused.len())?;
        if !checks.mutants.is_empty() {
            self.mutants(f)?;
        }
        self.trees(f)?;
        let Timing {
            statements,
            median,
            p99,
        } = self.timing;
        let (median, p99) = (micros(median), micros(p99));
        writeln!(
            f,
            "\ntime per check        {median:>7.1} µs median, {p99:.1} µs p99   ({statements} queries, one core)"
        )?;
        if !self.skipped.is_empty() {
            writeln!(f, "unusable lines        {:>7}", self.skipped.len())?;
        }
        Ok(())
    }
}

impl Report {
    fn mutants(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "missed errors         {:>7}", self.checks.missed.len())?;
        let right = "right table suggested";
        writeln!(
            f,
            "\nbroken queries          count      refused   {right}   all right tables"
        )?;
        let rows = self
            .checks
            .mutants
            .iter()
            .map(|(kind, counts)| (kind.as_str(), *counts));
        for (kind, counts) in rows.chain([("all", self.checks.all_mutants())]) {
            let (all, refused) = (counts.all, percent(counts.refused, counts.all));
            write!(f, "  {kind:<20}{all:>7} {refused:>12}")?;
            if kind == OF_OTHER_TABLE {
                let (any, every) = (
                    percent(counts.suggested, all),
                    percent(counts.suggested_all, all),
                );
                write!(f, "   {any:>21}   {every:>16}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    fn trees(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\njoin trees              count    all tables   leaf tables   all + question   leaf + question   same tables   among choices"
        )?;
        let rows = [
            ("comparable", self.joins.comparable),
            ("declared", self.joins.declared),
        ];
        let corpora = self.joins.by_source.iter();
        let corpora = corpora
            .filter(|_| self.joins.by_source.len() > 1)
            .map(|(source, shares)| (source.as_str(), *shares));
        let rows = rows.into_iter().chain(corpora);
        for (name, shares) in rows.chain([("every query's", self.joins.all)]) {
            let Shares {
                queries,
                equal,
                equal_leaf_only,
                equal_with_question,
                equal_leaf_only_with_question,
                same_tables,
                among_choices,
            } = shares;
            let [given, leaf, given_asked, leaf_asked, tables, choices] = [
                equal,
                equal_leaf_only,
                equal_with_question,
                equal_leaf_only_with_question,
                same_tables,
                among_choices,
            ]
            .map(|part| percent(part, queries));
            writeln!(
                f,
                "  {name:<20}{queries:>7} {given:>13} {leaf:>13} {given_asked:>16} {leaf_asked:>17} {tables:>13} {choices:>15}"
            )?;
        }
        let (most, declared) = (self.joins.most_from_tables(), self.joins.declared.queries);
        writeln!(
            f,
            "  At most {} of the declared can be derived from the tables alone: the others leave a table unjoined, or",
            percent(most, declared)
        )?;
        writeln!(
            f,
            "  join the same tables in another way than most queries do."
        )?;
        writeln!(
            f,
            "  Declared: all pairs are declared relationships. + question: the words of the question decide between equals."
        )?;
        writeln!(
            f,
            "  Equal: the same set of column pairs, direction and order aside. Comparable: all pairs are declared"
        )?;
        writeln!(
            f,
            "  relationships and form a tree over exactly the query's tables. Same tables, among choices: all tables"
        )?;
        writeln!(
            f,
            "  given, other columns between the same tables; the query's columns offered as a choice. Not comparable:"
        )?;
        for (reason, count) in &self.joins.not_compared {
            let reason = match reason {
                NotCompared::Undeclared => "join columns that no relationship declares",
                NotCompared::NoTree => {
                    "join a pair of tables twice, a table with itself, in a circle, or apart"
                }
                NotCompared::OtherTables => "use further tables without joining them",
            };
            writeln!(f, "  {count:>7} {reason}")?;
        }
        Ok(())
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn percent(part: usize, whole: usize) -> String {
    share(part, whole).map_or_else(|| "-".to_owned(), |share| format!("{:.2} %", share * 100.0))
}

/// Rounded to a tenth of a microsecond.
fn micros(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e7).round() / 10.0
}
