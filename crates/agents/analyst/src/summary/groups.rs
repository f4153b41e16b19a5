//! The groups of an aggregation at a glance: the highest and the lowest. All of
//! them are beside the text.

use contracts::tools::search::{QueryRun, ResultColumn};
use serde_json::{Map, Value};

use super::chart::asked_first;
use super::{named, values};
use crate::words;

/// Maximum number of groups with the same value that are named.
const SHARED: usize = 5;

/// ` MSC has the highest average delay, 25.1 h, Maersk the lowest, 9.3 h.`; nothing where the
/// groups have no order.
pub(super) fn extremes(run: &QueryRun) -> String {
    let Some(query) = &run.structure else {
        return String::new();
    };
    let [by] = query.group_by.as_slice() else {
        return String::new();
    };
    let group = run.columns.iter().find(|column| column.name == by.field);
    let figure = asked_first(run, "").into_iter().next();
    let (Some(group), Some(figure)) = (group, figure) else {
        return String::new();
    };
    let mut ranked: Vec<(f64, &Map<String, Value>)> = run
        .rows
        .iter()
        .filter(|row| row.get(&group.name).is_some_and(|name| !name.is_null()))
        .filter_map(|row| Some((row.get(&figure.name)?.as_f64()?, row)))
        .collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let (Some((high, first)), Some((low, last))) = (ranked.first(), ranked.last()) else {
        return String::new();
    };
    // Of equals none stands out.
    if high.total_cmp(low).is_eq() {
        return String::new();
    }
    if tied(&ranked) {
        return shared(&ranked, run, figure);
    }
    format!(
        " {} has the highest {}, {}, {} the lowest, {}.",
        words::capital(&named::name(run, first)),
        words::quantity(&figure.label),
        said(first, figure),
        named::name(run, last),
        said(last, figure),
    )
}

/// Whether two groups share the highest or the lowest figure.
fn tied(ranked: &[(f64, &Map<String, Value>)]) -> bool {
    let same = |a: usize, b: usize| {
        let pair = ranked.get(a).zip(ranked.get(b));
        pair.is_some_and(|((a, _), (b, _))| a.total_cmp(b).is_eq())
    };
    let last = ranked.len() - 1;
    same(0, 1) || last > 0 && same(last, last - 1)
}

/// ` MSC and Maersk share the highest average delay, 25.1 h, CMA has the lowest, 9.3 h.`
fn shared(ranked: &[(f64, &Map<String, Value>)], run: &QueryRun, figure: &ResultColumn) -> String {
    let ends = [ranked.first(), ranked.last()].map(|end| {
        let (value, row) = end?;
        let same = ranked
            .iter()
            .filter(|(other, _)| other.total_cmp(value).is_eq());
        let names: Vec<String> = same.map(|(_, row)| named::name(run, row)).collect();
        Some((names, said(row, figure)))
    });
    let [Some((high, most)), Some((low, least))] = ends else {
        return String::new();
    };
    let label = words::quantity(&figure.label);
    let phrase = |names: &[String], end: &str, value: &str| match names {
        [only] => format!("{only} has the {end} {label}, {value}"),
        few if few.len() <= SHARED => format!(
            "{} share the {end} {label}, {value}",
            words::list(few.iter().cloned())
        ),
        many => format!("{} groups share the {end} {label}, {value}", many.len()),
    };
    let (high, low) = (
        phrase(&high, "highest", &most),
        phrase(&low, "lowest", &least),
    );
    format!(" {}; {low}.", words::capital(&high))
}

fn said(row: &Map<String, Value>, column: &ResultColumn) -> String {
    row.get(&column.name)
        .map_or_else(String::new, |value| values::with_unit(value, column))
}
