//! Values as people read them.

use chrono::DateTime;
use contracts::tools::search::ResultColumn;
use serde_json::Value;

use crate::words;

/// The value as it is in a cell.
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
        Value::String(text) => spoken(text),
        Value::Array(items) => words::list(items.iter().map(plain)),
        Value::Object(_) => value.to_string(),
    }
}

/// A moment by its own clock, a choice of a list (`in_port`) in words; anything else as it is.
fn spoken(text: &str) -> String {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        let zone = if text.ends_with(['Z', 'z']) {
            " UTC"
        } else {
            ""
        };
        return format!("{}{zone}", at.format("%-d %b %Y, %H:%M"));
    }
    let is_choice = text.contains('_')
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if is_choice {
        text.replace('_', " ")
    } else {
        text.to_owned()
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
