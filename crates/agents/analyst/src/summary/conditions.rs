//! The conditions of a query, as people say them.

use chrono::{Datelike, NaiveDate};
use contracts::tools::search::{Filter, FilterOp, IndexDescription, QueryStructure, TimeRange};
use serde_json::Value;

use crate::{
    language::dates::{OPEN_END, OPEN_START},
    words,
};

/// ` with destination Port of Miami and actual arrival from 2025-01-08 to 2025-01-15`; nothing
/// where everything was asked for. What is yes or no is before the noun: see [`adjectives`].
/// `noun`: what one record is called.
pub(super) fn conditions(
    query: &QueryStructure,
    noun: &str,
    index: Option<&IndexDescription>,
) -> String {
    let gap = query.time_range.as_ref().and_then(|range| {
        let mut filters = query.filters.iter();
        filters.find_map(|filter| gap(filter, range))
    });
    let is_gap = |filter: &Filter| {
        let range = query.time_range.as_ref();
        range.is_some_and(|range| self::gap(filter, range).is_some())
    };
    let filters = query
        .filters
        .iter()
        .filter(|filter| adjective(filter).is_none() && either(filter).is_none())
        .filter(|filter| !is_gap(filter));
    let filters = filters.map(|filter| condition(filter, noun, index));
    let days = query.time_range.iter().map(|range| match gap {
        None => days(range),
        Some((until, from)) => {
            let first = TimeRange {
                end: until,
                ..range.clone()
            };
            let second = TimeRange {
                start: from,
                ..range.clone()
            };
            let field = range
                .field
                .as_deref()
                .map_or_else(String::new, words::label);
            let second = days(&second);
            let second = second.strip_prefix(&field).unwrap_or(&second).trim();
            format!("{} or {second}", days(&first))
        }
    });
    let all = words::list(filters.chain(days));
    if all.is_empty() {
        return all;
    }
    format!(" with {all}")
}

/// `late, not hazardous `; nothing where no condition is of yes or no.
pub(super) fn adjectives(query: &QueryStructure) -> String {
    let said = |filter: &Filter| adjective(filter).or_else(|| either(filter));
    let all: Vec<String> = query.filters.iter().filter_map(said).collect();
    if all.is_empty() {
        return String::new();
    }
    format!("{} ", all.join(", "))
}

/// `late or hazardous`, where each of several conditions is of yes or no.
fn either(filter: &Filter) -> Option<String> {
    if filter.or.is_empty() {
        return None;
    }
    let all = filter.alternatives();
    let each: Option<Vec<String>> = all.iter().map(adjective).collect();
    Some(words::either(each?))
}

/// The adjective for a boolean condition: `is_late` is true of a late one.
pub(crate) fn adjective(filter: &Filter) -> Option<String> {
    if !filter.or.is_empty() {
        return None;
    }
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

/// The last day before a gap in the days, and the first one behind it, where a condition leaves
/// days out of the range.
fn gap(filter: &Filter, range: &TimeRange) -> Option<(NaiveDate, NaiveDate)> {
    let day = |values: &[Value]| -> Option<NaiveDate> {
        let [Value::String(day)] = values else {
            return None;
        };
        day.get(..10)?.parse().ok()
    };
    let [other] = filter.or.as_slice() else {
        return None;
    };
    let of_range = range.field.as_ref() == Some(&filter.field) && other.field == filter.field;
    let ends = filter.op == FilterOp::Lt && other.op == FilterOp::Gte;
    (of_range && ends).then_some(())?;
    Some((day(&filter.values)?.pred_opt()?, day(&other.values)?))
}

fn condition(filter: &Filter, noun: &str, index: Option<&IndexDescription>) -> String {
    if !filter.or.is_empty() {
        let each = filter.alternatives().into_iter().map(|one| {
            adjective(&one).map_or_else(
                || condition(&one, noun, index),
                |state| format!("being {state}"),
            )
        });
        return words::either(each);
    }
    let field = words::compared(filter);
    let values = filter
        .label
        .clone()
        .unwrap_or_else(|| words::either(filter.values.iter().map(super::values::plain)));
    let unit = index.and_then(|index| {
        let mut fields = index.fields.iter();
        fields
            .find(|known| known.name == filter.field)?
            .unit
            .clone()
    });
    let values = match unit.filter(|_| filter.values.iter().all(Value::is_number)) {
        Some(unit) if !values.is_empty() => format!("{values} {unit}"),
        _ => values,
    };
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
    let month = start.day() == 1
        && end.succ_opt().is_some_and(|next| next.day() == 1)
        && (start.year(), start.month()) == (end.year(), end.month());
    if start == end {
        format!("{field} on {start}")
    } else if month {
        format!("{field} in {}", start.format("%B %Y"))
    } else if start <= OPEN_START {
        format!("{field} until {end}")
    } else if end >= OPEN_END {
        format!("{field} from {start} on")
    } else {
        format!("{field} from {start} to {end}")
    }
}
