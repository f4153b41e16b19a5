//! Conditions and days in words.

use chrono::{Datelike, NaiveDate};

use contracts::tools::search::{Filter, FilterOp};
use serde_json::Value;

use crate::language::dates::{OPEN_END, OPEN_START};
use crate::words::compared;

/// Days in words: whole months by their names.
pub(super) fn spoken_days(start: NaiveDate, end: NaiveDate) -> String {
    let month = start.day() == 1 && end.succ_opt().is_some_and(|next| next.day() == 1);
    if start == end {
        format!("on {start}")
    } else if month && (start.year(), start.month()) == (end.year(), end.month()) {
        format!("in {}", start.format("%B %Y"))
    } else if start <= OPEN_START {
        format!("until {end}")
    } else if end >= OPEN_END {
        format!("from {start} on")
    } else {
        format!("from {start} to {end}")
    }
}

/// A condition in words: `status is delivered`.
pub(super) fn described(filter: &Filter) -> String {
    if !filter.or.is_empty() {
        let each: Vec<String> = filter.alternatives().iter().map(described).collect();
        return each.join(" or ");
    }
    if let Some(state) = crate::summary::adjective(filter) {
        return format!("only what is {state}");
    }
    let values = filter.label.clone().unwrap_or_else(|| {
        let values: Vec<String> = filter.values.iter().map(spoken).collect();
        values.join(" or ")
    });
    let field = compared(filter);
    match filter.op {
        FilterOp::Is => format!("{field} is {values}"),
        FilterOp::IsNot => format!("{field} is not {values}"),
        FilterOp::Gt => format!("{field} is over {values}"),
        FilterOp::Gte => format!("{field} is at least {values}"),
        FilterOp::Lt => format!("{field} is under {values}"),
        FilterOp::Lte => format!("{field} is at most {values}"),
        FilterOp::Exists => format!("{field} is known"),
        FilterOp::Missing => format!("{field} is not known"),
        FilterOp::Matches => format!("{field} has {values}"),
    }
}

pub(super) fn spoken(value: &Value) -> String {
    match value {
        Value::String(text) => text.replace('_', " "),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}
