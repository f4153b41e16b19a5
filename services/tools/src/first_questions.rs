//! The first questions to a target: made of its own tables by rules (`maker`), and each of them
//! tried.

mod columns;
mod maker;
mod units;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use contracts::targets::LayerQuestion;
use serde_json::{Map, Value};
use targets::join_graph::Relationship;
use targets::{Asker, Catalogue, Question, TableInfo, Target};

use maker::Maker;
use units::Unit;

/// Number of questions.
const MOST: usize = 5;

/// Tables that questions are made of: those that are joined most.
const TABLES: usize = 8;

/// Candidates that are tried at most.
const CANDIDATES: usize = 40;

/// Groups of an answer that is worth showing.
const GROUPS: std::ops::RangeInclusive<usize> = 2..=40;

/// Whole numbers between these are years.
const YEARS: (f64, f64) = (1900.0, 2100.0);

/// A question that may work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    kind: Kind,
    question: String,
    sql: String,
    groups: bool,
    /// Columns that have one value at most: amounts in two currencies are not added.
    one_valued: Vec<Unit>,
    /// A column whose values may name something, as years and running numbers do: no figure is made
    /// of them then.
    figures: Option<Unit>,
}

/// The kinds of questions. The first ones say the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// One that comes with the target.
    Given,
    PerOther,
    TotalPerOther,
    PerCategory,
    TotalPerCategory,
    PerMonth,
    Highest,
    Count,
}

impl Candidate {
    /// A question that comes with a target.
    pub(crate) fn given(question: &Question) -> Self {
        Self {
            kind: Kind::Given,
            question: question.question.clone(),
            sql: question.sql.clone(),
            groups: false,
            one_valued: Vec::new(),
            figures: None,
        }
    }

    /// The question and its query.
    pub(crate) fn parts(&self) -> (&str, &str) {
        (&self.question, &self.sql)
    }

    /// The same question with another query.
    pub(crate) fn with(&self, sql: String) -> Self {
        Self {
            sql,
            ..self.clone()
        }
    }
}

/// The questions that were found to work.
#[derive(Debug, Default)]
pub(crate) struct Chosen(Vec<(Kind, LayerQuestion)>);

impl Chosen {
    pub(crate) fn is_complete(&self) -> bool {
        self.0.len() >= MOST
    }

    /// One of each kind, but for counts and those that are given: the first questions show what can
    /// be asked.
    pub(crate) fn wants(&self, candidate: &Candidate) -> bool {
        let same = self.0.iter().filter(|(kind, _)| *kind == candidate.kind);
        same.count()
            < if matches!(candidate.kind, Kind::Count | Kind::Given) {
                MOST
            } else {
                1
            }
    }

    pub(crate) fn keep(&mut self, candidate: &Candidate, rows: usize) {
        let question = LayerQuestion {
            question: candidate.question.clone(),
            sql: candidate.sql.clone(),
            rows: u32::try_from(rows).unwrap_or(u32::MAX),
        };
        self.0.push((candidate.kind, question));
    }

    pub(crate) fn questions(self) -> Vec<LayerQuestion> {
        self.0.into_iter().map(|(_, question)| question).collect()
    }
}

/// Number of rows of the answer; `None` if it does not work or says nothing.
pub(crate) async fn answers(
    target: &Arc<Target>,
    asker: &Asker,
    candidate: &Candidate,
) -> Option<usize> {
    for Unit { table, name } in &candidate.one_valued {
        let sql = format!("SELECT DISTINCT {name} FROM {table} WHERE {name} IS NOT NULL LIMIT 2");
        if rows(target, asker, &sql).await?.len() > 1 {
            return None;
        }
    }
    if let Some(figures) = &candidate.figures
        && names_something(target, asker, figures).await?
    {
        return None;
    }
    let found = rows(target, asker, &candidate.sql).await?;
    let count = found.len();
    let has_value = found
        .first()
        .is_some_and(|row| row.values().any(|value| !value.is_null()));
    let is_telling = !candidate.groups || GROUPS.contains(&count);
    (has_value && is_telling).then_some(count)
}

/// Whether the values of a column are years, or numbers that count its rows.
async fn names_something(
    target: &Arc<Target>,
    asker: &Asker,
    Unit { table, name }: &Unit,
) -> Option<bool> {
    let sql = format!(
        "SELECT MIN({name}) AS low, MAX({name}) AS high, COUNT({name}) AS filled, COUNT(DISTINCT {name}) AS different FROM {table}"
    );
    let found = rows(target, asker, &sql).await?;
    let row = found.first()?;
    let number = |name: &str| match row.get(name)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let (low, high) = (number("low")?, number("high")?);
    let (filled, different) = (number("filled")?, number("different")?);
    let is_whole = low.fract() == 0.0 && high.fract() == 0.0;
    let are_years = is_whole && low >= YEARS.0 && high <= YEARS.1 && different <= high - low + 1.0;
    let count_rows = filled > 2.0
        && is_whole
        && (filled - different).abs() < 0.5
        && (high - low + 1.0 - filled).abs() < 0.5;
    Some(are_years || count_rows)
}

async fn rows(target: &Arc<Target>, asker: &Asker, sql: &str) -> Option<Vec<Map<String, Value>>> {
    let limits = target.limits().with_max_rows(100);
    let checked = target.check(sql, &asker.tenant, limits.max_rows);
    let checked = checked.await.ok()?.ok()?;
    let found = target.run_for(asker, &checked, &limits).await.ok()?;
    Some(found.rows)
}

/// The candidates: those that say the most first, and of each kind those over the most joined
/// tables.
pub(crate) fn candidates(catalogue: &Catalogue) -> Vec<Candidate> {
    let joins = catalogue.graph.relationships();
    let mut tables: Vec<&TableInfo> = catalogue.tables.values().collect();
    let joined = |table: &TableInfo| {
        let about =
            |edge: &&Relationship| edge.from_table == table.name || edge.to_table == table.name;
        joins.iter().filter(about).count()
    };
    tables.sort_by_key(|table| {
        let rows = table.rows.unwrap_or_default();
        (std::cmp::Reverse(joined(table)), std::cmp::Reverse(rows))
    });
    tables.truncate(TABLES);
    let maker = Maker::new(catalogue, &tables);
    let mut found: Vec<Candidate> = Vec::new();
    for table in &tables {
        found.extend(maker.of_table(table));
    }
    let mut seen = HashSet::new();
    for edge in joins {
        let (one, other) = (&*edge.from_table, &*edge.to_table);
        if seen.insert((one.min(other), one.max(other))) {
            found.extend(maker.of_tables(one, other));
        }
    }
    // Stable: within a kind the order of the tables stays.
    found.sort_by_key(|candidate| candidate.kind);
    let mut per_kind = 0;
    let mut last = None;
    found.retain(|candidate| {
        per_kind = if last == Some(candidate.kind) {
            per_kind + 1
        } else {
            0
        };
        last = Some(candidate.kind);
        per_kind < TABLES
    });
    found.truncate(CANDIDATES);
    found
}
