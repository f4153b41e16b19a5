//! The facts of a result by reference: its rows, what follows from them, and the phrases that hold
//! of all of them.

use agent_kit::facts::{Column, FactRegistry, Subject, Unit};
use contracts::tools::search::{IndexDescription, QueryRun, ResultColumn, TotalRelation};
use serde_json::{Map, Value, json};

use crate::{summary, words};

/// Rows that a model gets.
const ROWS: usize = 30;

/// The column that says how many records a group has.
const COUNT: &str = "count";

/// The facts of a result, and the same for a model that words the answer to a request.
pub(super) fn of_run(
    run: &QueryRun,
    index: Option<&IndexDescription>,
    request: &str,
) -> (FactRegistry, Value) {
    let (noun, nouns) = summary::nouns(index, run.index.as_deref().unwrap_or_default());
    let mut registry = FactRegistry::default();
    let described = index.map_or(&[][..], |index| &index.nouns);
    for noun in described.iter().chain([&noun, &nouns]) {
        registry.know_record_noun(noun);
    }
    for phrase in summary::phrases::of_run(run, index) {
        registry.hold_under(&phrase);
    }
    let rows = &run.rows[..run.rows.len().min(ROWS)];
    let is_whole = is_whole(run);
    let labels: Vec<String> = run
        .columns
        .iter()
        .map(|column| label(column, &nouns))
        .collect();
    let columns: Vec<Column<'_>> = run
        .columns
        .iter()
        .zip(&labels)
        .map(|(column, label)| Column {
            name: &column.name,
            label,
            unit: column.unit.as_deref(),
            is_figure: is_figure(run, &column.name),
        })
        .collect();
    let told = registry.table(&columns, rows, "", is_whole, |value, column| {
        summary::value(run, value, column)
    });
    let total = (run.total.relation == TotalRelation::Eq).then(|| {
        let label = format!("{noun} {nouns} total");
        registry.tell(Subject::Whole, &label, Unit::Count, run.total.value as f64)
    });
    let groups = is_whole.then(|| groups(&mut registry, run)).flatten();
    if is_whole && run.aggregated && total.is_some() {
        registry.shares(&nouns, run.total.value as f64);
    }
    let mut material = json!({ "request": request, "rows": told, "total": total });
    if let Some(groups) = groups {
        material["groups"] = groups;
    }
    material["derived"] = registry.derived();
    (registry, material)
}

/// Whether the rows for a model are all that there are. Groups that are as many as the query's
/// limit may be the first of more.
fn is_whole(run: &QueryRun) -> bool {
    let count = run.rows.len();
    let limit = run.structure.as_ref().and_then(|query| query.limit);
    let limited = limit.is_some_and(|limit| count >= limit as usize);
    let all = if run.aggregated {
        !limited
    } else {
        run.total.value <= count as u64
    };
    count <= ROWS && all && run.partial.is_none()
}

/// What people call the values of a column.
fn label(column: &ResultColumn, nouns: &str) -> String {
    if column.name == COUNT {
        return nouns.to_owned();
    }
    let label = words::quantity(&column.label);
    match label.strip_prefix("sum of ") {
        Some(summed) => format!("total {summed}"),
        None => label,
    }
}

/// The number of groups, where each has a name of its own.
fn groups(registry: &mut FactRegistry, run: &QueryRun) -> Option<Value> {
    let [by] = run.structure.as_ref()?.group_by.as_slice() else {
        return None;
    };
    let named = |row: &Map<String, Value>| row.get(&by.field).is_some_and(|name| !name.is_null());
    let column = run.columns.iter().find(|column| column.name == by.field)?;
    let counts = by.interval.is_none() && run.rows.len() > 1 && run.rows.iter().all(named);
    counts.then(|| {
        let label = words::quantity(&column.label);
        let count = run.rows.len() as f64;
        registry.tell(Subject::Whole, &label, Unit::Count, count)
    })
}

/// Whether a column has figures; another one names the rows.
fn is_figure(run: &QueryRun, name: &str) -> bool {
    let mut values = run.rows.iter().filter_map(|row| row.get(name));
    values.all(|value| value.is_number() || value.is_null())
}

#[cfg(test)]
mod tests;
