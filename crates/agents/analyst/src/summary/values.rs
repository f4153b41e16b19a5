//! Values as people read them.

use contracts::tools::search::ResultColumn;
use serde_json::Value;

use crate::words;

/// The value as it stands in a cell.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => match number.as_u64() {
            // It may be a year.
            Some(whole) if whole < 10_000 => whole.to_string(),
            Some(whole) => words::whole(whole),
            None => number.as_f64().map_or_else(|| number.to_string(), decimal),
        },
        Value::String(text) => text.clone(),
        Value::Array(items) => words::list(items.iter().map(plain)),
        Value::Object(_) => value.to_string(),
    }
}

/// With its unit.
pub(super) fn with_unit(value: &Value, column: &ResultColumn) -> String {
    match &column.unit {
        Some(unit) if value.is_number() => format!("{} {unit}", plain(value)),
        _ => plain(value),
    }
}

/// Two places at most.
fn decimal(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |rest| ("-", rest));
    let (before, places) = digits.split_once('.').unwrap_or((digits, ""));
    let before = before
        .parse()
        .map_or_else(|_| before.to_owned(), words::whole);
    let point = if places.is_empty() { "" } else { "." };
    format!("{sign}{before}{point}{places}")
}
