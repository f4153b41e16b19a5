//! "Which customer has the most orders?": the first one by name, then those after it.

use contracts::tools::sql::{ResultColumn, SqlRun, ValueKind};
use serde_json::{Map, Value};

use super::{
    query::Shape,
    template::{figure_of, is_count, value},
    values::{is_time, label},
};
use crate::{language::names::in_plural, simple::Superlative};

/// Maximum number of names that share the first place and are listed.
const FIRST: usize = 5;
/// Maximum number of names after the first.
const REST: usize = 9;

/// The answer to a question for the largest or the smallest groups; `None` where the rows are not
/// names with their counts in that order.
pub(super) fn tell(question: &str, run: &SqlRun, shape: &Shape) -> Option<String> {
    let asked = Superlative::of(question)?;
    let [key @ .., figure] = run.columns.as_slice() else {
        return None;
    };
    // A key of several columns names a row together.
    let [name, ..] = key else {
        return None;
    };
    let fits = (key.len() > 1 || name.kind != ValueKind::Number && !is_time(name))
        && figure.kind == ValueKind::Number
        && is_count(&figure.name);
    if !fits || !shape.is_ordered {
        return None;
    }
    let rows = run.rows.iter();
    let figures: Vec<f64> = rows
        .map(|row| figure_of(row, &figure.name))
        .collect::<Option<_>>()?;
    let is_sorted = figures.windows(2).all(|pair| {
        if asked.fewest {
            pair[0] <= pair[1]
        } else {
            pair[0] >= pair[1]
        }
    });
    let has_names = |row: &Map<String, Value>| {
        let mut key = key.iter();
        key.all(|name| row.get(&name.name).is_some_and(|it| !it.is_null()))
    };
    if !is_sorted || !run.rows.iter().all(has_names) {
        return None;
    }
    let best = *figures.first()?;
    let tied = figures
        .iter()
        .take_while(|figure| figure.total_cmp(&best).is_eq())
        .count();
    let (first, rest) = run.rows.split_at(tied);
    let said = |row: &Map<String, Value>| called(run, row, key);
    let names: Vec<String> = first.iter().take(FIRST).map(said).collect();
    let count = value(run, &first[0], &figure.name);
    let end = if asked.fewest { "fewest" } else { "most" };
    let what = in_plural(&asked.what);
    let leads = match (first.len(), names.as_slice()) {
        (1, _) => format!("{} has the {end} {what}: {count}.", names[0]),
        (all, names) if all > names.len() => format!(
            "{all} share the first place with {count} {what} each: {}, and {} more.",
            names.join(", "),
            all - names.len()
        ),
        (_, names) => format!("{} have the {end} {what}: {count} each.", listed(names)),
    };
    Some(format!("{leads}{}", after(run, rest, (key, figure))))
}

/// The name of a row: of several columns, numbers follow the names of their columns.
fn called(run: &SqlRun, row: &Map<String, Value>, names: &[ResultColumn]) -> String {
    let said = names.iter().map(|name| {
        let value = value(run, row, &name.name);
        if names.len() > 1 && name.kind == ValueKind::Number {
            format!("{} {value}", label(&name.name))
        } else {
            value
        }
    });
    said.collect::<Vec<_>>().join(", ")
}

/// The groups after the first ones, with their counts.
fn after(
    run: &SqlRun,
    rest: &[Map<String, Value>],
    (names, figure): (&[ResultColumn], &ResultColumn),
) -> String {
    let shown = rest.iter().take(REST).map(|row| {
        let count = value(run, row, &figure.name);
        format!("{} ({count})", called(run, row, names))
    });
    let shown: Vec<String> = shown.collect();
    match (shown.as_slice(), rest.len() - shown.len()) {
        ([], _) => String::new(),
        ([one], 0) => format!(" {one} follows."),
        (shown, 0) => format!(" {} follow.", listed(shown)),
        (shown, more) => format!(" {}, and {more} more follow.", shown.join(", ")),
    }
}

/// Names in a sentence.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., before, last] => {
            let mut parts = first.to_vec();
            parts.push(format!("{before} and {last}"));
            parts.join(", ")
        }
        names => names.join(", "),
    }
}
