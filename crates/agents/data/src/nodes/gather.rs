//! Lookups of the rules for a simple question beside its own tables: the tables that their rows
//! belong to, and the values of columns that conditions may name.

use contracts::tools::sql::{
    JoinEdge, PlannedJoin, RunSqlArguments, SqlOutcome, SqlRun, TableDescription, names,
};

use super::filter_relationships::{allowed, describe};
use crate::{
    draft::Draft,
    language::names::{named, words},
    simple::{ColumnValues, Known, Shape, is_date, quoted, quoted_table},
};

/// Tables that are looked up beside those of the question.
const BESIDE: usize = 8;
/// Tables that are looked up for a figure of a table which is not named.
const OTHERS: usize = 40;

/// Looks up what the rules need for the query of a question; once.
pub(super) async fn gather(draft: &mut Draft, shape: &Shape) {
    if draft.found.beside.is_some() {
        return;
    }
    let mut beside = Beside::default();
    let own = |table: &&TableDescription| table.name == shape.table;
    let own = draft.found.schemas.iter().find(own).cloned();
    if let Some(table) = own.filter(|_| shape.needs_owners()) {
        let mut beside_it = parents(draft, &table);
        // Rows of the other tables of the question are called by what they belong to.
        for other in &draft.found.schemas {
            let more = std::iter::once(other.name.clone()).chain(parents(draft, other));
            for name in more {
                if name != table.name && !beside_it.contains(&name) && beside_it.len() < BESIDE {
                    beside_it.push(name);
                }
            }
        }
        if shape.needs_others() || needs_link(draft, shape) {
            let others = draft
                .found
                .candidates
                .iter()
                .map(|table| table.name.clone());
            let others: Vec<String> = others
                .filter(|name| *name != table.name && !beside_it.contains(name))
                .collect();
            beside_it.extend(others);
            beside_it.truncate(OTHERS);
        }
        // What belongs to the rows has parents of its own, with the units of its amounts.
        let wanted: Vec<String> = std::iter::once(table.name.clone())
            .chain(beside_it)
            .collect();
        if wanted.len() > 1 {
            match describe(draft, &wanted, draft.limits().max_columns_in_schema).await {
                Ok(described) => {
                    beside.edges = allowed(draft, described.relationships);
                    // The answer names guesses that its query uses.
                    let guessed = beside.edges.iter().filter(|edge| edge.guessed);
                    let guessed = guessed.filter(|edge| {
                        let mut steps = draft.work.plan.steps.iter();
                        steps.all(|step| step.edge != **edge && !step.choices.contains(edge))
                    });
                    let guessed: Vec<PlannedJoin> = guessed.cloned().map(planned).collect();
                    draft.work.plan.steps.extend(guessed);
                    beside.schemas = described.tables;
                }
                Err(failed) => tracing::warn!(
                    reason = failed.message,
                    "the tables beside a question's were not described"
                ),
            }
        }
    }
    draft.found.beside = Some(beside);
    // Also where the names of columns would do: "retired" may be a value as well as a date.
    if shape.needs_values() {
        let values = values(draft, shape).await;
        if let Some(beside) = &mut draft.found.beside {
            beside.values = values;
        }
    }
    // A word that no column of the rows settles may be what calls a row that they belong to.
    if query(draft, shape).is_none() {
        let (schemas, beside) = tables(draft);
        let names = names_said(draft, shape, &schemas, &beside.values).await;
        if let Some(beside) = &mut draft.found.beside {
            beside.values.extend(names);
        }
    }
}

/// Whether the rows of a table that the words name belong to those of the question over a third
/// table, if at all.
fn needs_link(draft: &Draft, shape: &Shape) -> bool {
    let is_joined = |other: &str| {
        let mut steps = draft.work.plan.steps.iter();
        steps.any(|step| {
            let (from, to) = (&*step.edge.from_table, &*step.edge.to_table);
            (from, to) == (&*shape.table, other) || (to, from) == (&*shape.table, other)
        })
    };
    let mut schemas = draft.found.schemas.iter();
    shape.is_limited() && schemas.any(|other| other.name != shape.table && !is_joined(&other.name))
}

/// The values that the words of a condition may be.
async fn values(draft: &Draft, shape: &Shape) -> Vec<ColumnValues> {
    let (schemas, _) = tables(draft);
    let mut found = Vec::new();
    for (table, column) in shape.lookups(&schemas).into_iter().take(LOOKUPS) {
        let dialect = draft.dialect();
        let (name, from) = (quoted(&column, dialect), quoted_table(&table, dialect));
        let arguments = RunSqlArguments {
            target: draft.work.place.target.clone(),
            sql: if is_date_of(&schemas, &table, &column) {
                format!(
                    "SELECT MIN({name}) AS {name} FROM {from} UNION ALL SELECT MAX({name}) FROM {from}"
                )
            } else {
                format!("SELECT DISTINCT {name} FROM {from}")
            },
            max_rows: VALUES,
        };
        let run = draft.look_up_quietly::<SqlRun>(names::RUN_SQL, &arguments);
        let Ok(run) = run.await else { continue };
        // Of a column with more values it is not known which there are.
        if run.outcome == SqlOutcome::Rows && !run.truncated {
            let rows = run.rows.into_iter();
            let values = rows.filter_map(|mut row| row.remove(&column)).collect();
            found.push(ColumnValues {
                table,
                column,
                values,
            });
        }
    }
    found
}

/// What rows of other tables are called, of the words of the conditions.
async fn names_said(
    draft: &Draft,
    shape: &Shape,
    schemas: &[TableDescription],
    found: &[ColumnValues],
) -> Vec<ColumnValues> {
    let (columns, phrases) = shape.names(schemas);
    let dialect = draft.dialect();
    let is_new = |(table, column): &(String, String)| {
        let mut found = found.iter();
        found.all(|one| one.table != *table || one.column != *column)
    };
    let phrases = phrases
        .iter()
        .map(|said| format!("'{}'", said.replace('\'', "''")));
    let phrases = phrases.collect::<Vec<_>>().join(", ");
    let mut said = Vec::new();
    for (table, column) in columns.into_iter().filter(is_new).take(LOOKUPS) {
        let (name, from) = (quoted(&column, dialect), quoted_table(&table, dialect));
        let arguments = RunSqlArguments {
            target: draft.work.place.target.clone(),
            sql: format!("SELECT DISTINCT {name} FROM {from} WHERE LOWER({name}) IN ({phrases})"),
            max_rows: VALUES,
        };
        let run = draft.look_up_quietly::<SqlRun>(names::RUN_SQL, &arguments);
        let Ok(run) = run.await else { continue };
        if run.outcome == SqlOutcome::Rows && !run.truncated && !run.rows.is_empty() {
            let rows = run.rows.into_iter();
            let values = rows.filter_map(|mut row| row.remove(&column)).collect();
            said.push(ColumnValues {
                table,
                column,
                values,
            });
        }
    }
    said
}

/// Whether a column is a date, of which the first and the last are enough.
fn is_date_of(schemas: &[TableDescription], table: &str, column: &str) -> bool {
    let mut tables = schemas.iter().filter(|one| one.name == table);
    let columns = tables.next().map(|table| table.columns.iter());
    columns.is_some_and(|mut columns| columns.any(|one| one.name == column && is_date(one)))
}

/// Columns whose values are looked up for a question.
const LOOKUPS: usize = 12;
/// Maximum number of values of a column that are read.
const VALUES: u32 = 60;

/// The results of lookups beside the tables of a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Beside {
    schemas: Vec<TableDescription>,
    edges: Vec<JoinEdge>,
    values: Vec<ColumnValues>,
}

/// The tables of the question, and those beside them with their joins.
fn tables(draft: &Draft) -> (Vec<TableDescription>, Beside) {
    let mut schemas = draft.found.schemas.clone();
    let mut beside = draft.found.beside.clone().unwrap_or_default();
    for table in std::mem::take(&mut beside.schemas) {
        if schemas.iter().all(|one| one.name != table.name) {
            schemas.push(table);
        }
    }
    (schemas, beside)
}

/// The rules' query for a question, from the plan and what was looked up beside it.
pub(super) fn query(draft: &Draft, shape: &Shape) -> Option<String> {
    let dialect = draft.work.place.dialect?;
    let (schemas, beside) = tables(draft);
    shape.query(&known(draft, &schemas, beside), dialect)
}

/// How the conditions or the figure of a question were read, in a sentence.
pub(super) fn read_as(draft: &Draft) -> Option<String> {
    let shape = draft.found.shape.as_ref()?;
    let (schemas, beside) = tables(draft);
    let known = known(draft, &schemas, beside);
    shape.read_as(&known, draft.work.place.dialect?)
}

fn known<'k>(draft: &Draft, schemas: &'k [TableDescription], beside: Beside) -> Known<'k> {
    let mut known = Known::of(schemas, &draft.work.plan.steps).with(&beside.edges);
    known.values = beside.values;
    known.today = Some(draft.node.run().now.date_naive());
    known
}

/// The tables that the keys of a table name: `author_id`, `author`, `pickup_branch_id`.
fn parents(draft: &Draft, table: &TableDescription) -> Vec<String> {
    let candidates = || draft.found.candidates.iter().map(|table| &*table.name);
    let mut found: Vec<String> = Vec::new();
    for column in &table.columns {
        let mut words = words(&column.name);
        if words.len() > 1 && words.last().is_some_and(|last| KEYS.contains(&&**last)) {
            words.pop();
        }
        let ends = (0..words.len()).find_map(|at| named(&words[at..].join(" "), candidates()));
        let is_new = |name: &&str| *name != table.name && !found.iter().any(|one| one == name);
        if let Some(name) = ends.filter(is_new)
            && found.len() < BESIDE
        {
            found.push(name.to_owned());
        }
    }
    found
}

fn planned(edge: JoinEdge) -> PlannedJoin {
    PlannedJoin {
        edge,
        choices: Vec::new(),
        beyond: None,
    }
}

/// Words behind the name of a table in that of a key.
const KEYS: [&str; 6] = ["id", "key", "code", "no", "number", "uuid"];
