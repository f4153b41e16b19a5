//! What a query asks, as people say it.

use contracts::tools::search::{Filter, FilterOp, QueryStructure, TimeRange};
use serde_json::Value;

use crate::{
    language::dates::{OPEN_END, OPEN_START},
    words,
};

/// ` with destination port Port of Miami and actual arrival from 2025-01-08 to 2025-01-15`; nothing where everything was asked for.
pub(super) fn conditions(query: &QueryStructure) -> String {
    let filters = query.filters.iter().map(condition);
    let days = query.time_range.iter().map(days);
    let all = words::list(filters.chain(days));
    if all.is_empty() {
        return all;
    }
    format!(" with {all}")
}

fn condition(filter: &Filter) -> String {
    let field = words::compared(filter);
    let values = filter.label.clone().unwrap_or_else(|| {
        words::either(filter.values.iter().map(|value| match value {
            Value::String(text) => text.clone(),
            other => super::values::plain(other),
        }))
    });
    match filter.op {
        FilterOp::Is => match filter.values.as_slice() {
            [Value::Bool(true)] => format!("{field} true"),
            [Value::Bool(false)] => format!("{field} false"),
            _ => format!("{field} {values}"),
        },
        FilterOp::IsNot => format!("{field} other than {values}"),
        FilterOp::Gt => format!("{field} above {values}"),
        FilterOp::Gte => format!("{field} of at least {values}"),
        FilterOp::Lt => format!("{field} below {values}"),
        FilterOp::Lte => format!("{field} of at most {values}"),
        FilterOp::Exists => format!("a known {field}"),
        FilterOp::Missing => format!("no {field}"),
        FilterOp::Matches => format!("{field} containing \u{201c}{values}\u{201d}"),
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
