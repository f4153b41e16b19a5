//! The conditions of a query, as people say them.

use contracts::tools::search::{Filter, FilterOp, QueryStructure, TimeRange};
use serde_json::Value;

use crate::{
    language::dates::{OPEN_END, OPEN_START},
    words,
};

/// ` with destination Port of Miami and actual arrival from 2025-01-08 to 2025-01-15`; nothing
/// where everything was asked for. What is yes or no is before the noun: see [`adjectives`].
/// `noun`: what one record is called.
pub(super) fn conditions(query: &QueryStructure, noun: &str) -> String {
    let filters = query
        .filters
        .iter()
        .filter(|filter| adjective(filter).is_none());
    let filters = filters.map(|filter| condition(filter, noun));
    let days = query.time_range.iter().map(days);
    let all = words::list(filters.chain(days));
    if all.is_empty() {
        return all;
    }
    format!(" with {all}")
}

/// `late, not hazardous `; nothing where no condition is of yes or no.
pub(super) fn adjectives(query: &QueryStructure) -> String {
    let all: Vec<String> = query.filters.iter().filter_map(adjective).collect();
    if all.is_empty() {
        return String::new();
    }
    format!("{} ", all.join(", "))
}

/// The adjective for a boolean condition: `is_late` is true of a late one.
pub(super) fn adjective(filter: &Filter) -> Option<String> {
    let [Value::Bool(is)] = filter.values.as_slice() else {
        return None;
    };
    let yes = match filter.op {
        FilterOp::Is => *is,
        FilterOp::IsNot => !is,
        _ => return None,
    };
    let label = words::label(&filter.field);
    let bare = ["is ", "has ", "was "]
        .iter()
        .find_map(|prefix| label.strip_prefix(prefix));
    let bare = bare.unwrap_or(&label);
    Some(if yes {
        bare.to_owned()
    } else {
        format!("not {bare}")
    })
}

fn condition(filter: &Filter, noun: &str) -> String {
    let field = words::compared(filter);
    let values = filter
        .label
        .clone()
        .unwrap_or_else(|| words::either(filter.values.iter().map(super::values::plain)));
    match filter.op {
        FilterOp::Is => is(&field, &values, noun),
        FilterOp::IsNot => format!("{field} other than {values}"),
        FilterOp::Gte if is_day(filter) => format!("{field} from {values} on"),
        FilterOp::Lt if is_day(filter) => format!("{field} before {values}"),
        FilterOp::Gt => format!("{field} above {values}"),
        FilterOp::Gte => format!("{field} of at least {values}"),
        FilterOp::Lt => format!("{field} below {values}"),
        FilterOp::Lte => format!("{field} of at most {values}"),
        FilterOp::Exists => format!("a known {field}"),
        FilterOp::Missing => format!("no {field}"),
        FilterOp::Matches => format!("{field} containing \u{201c}{values}\u{201d}"),
    }
}

/// Whether a condition compares with a day.
fn is_day(filter: &Filter) -> bool {
    let [Value::String(day)] = filter.values.as_slice() else {
        return false;
    };
    day.parse::<chrono::NaiveDate>().is_ok()
}

/// `destination Port of Miami`: what the value says itself is not said twice. What a record is
/// called by is its name.
fn is(field: &str, values: &str, noun: &str) -> String {
    if field.eq_ignore_ascii_case(noun) {
        return format!("name {values}");
    }
    let (before, last) = field.rsplit_once(' ').unwrap_or(("", field));
    let says = values
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| word.eq_ignore_ascii_case(last));
    match (says, before) {
        (true, "") => values.to_owned(),
        (true, before) => format!("{before} {values}"),
        (false, _) => format!("{field} {values}"),
    }
}

fn days(range: &TimeRange) -> String {
    let field = range
        .field
        .as_deref()
        .map_or_else(|| "a date".to_owned(), words::label);
    let (start, end) = (range.start, range.end);
    if start == end {
        format!("{field} on {start}")
    } else if start <= OPEN_START {
        format!("{field} until {end}")
    } else if end >= OPEN_END {
        format!("{field} from {start} on")
    } else {
        format!("{field} from {start} to {end}")
    }
}
