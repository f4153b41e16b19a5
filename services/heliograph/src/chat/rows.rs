//! Rows as a text table.

use std::fmt::Write;

use chrono::{NaiveDate, NaiveTime, Timelike};
use serde_json::{Map, Value};

/// Maximum number of rows shown. The rest is counted.
const MOST_ROWS: usize = 20;
/// Maximum number of columns shown.
const MOST_COLUMNS: usize = 8;
/// Maximum width of a cell in characters.
const WIDEST: usize = 32;

/// Draws the rows of a result. A single row is skipped because the text contains it, and sources
/// because the text lists them.
pub(super) fn draw(data: &Value) -> String {
    let rows: Vec<&Map<String, Value>> = match data {
        Value::Array(rows) => rows.iter().filter_map(Value::as_object).collect(),
        _ => Vec::new(),
    };
    let Some(first) = rows.first() else {
        return String::new();
    };
    if first.contains_key("chunk_index") || rows.len() == 1 {
        return String::new();
    }
    let names: Vec<&String> = first.keys().take(MOST_COLUMNS).collect();
    let mut lines = vec![names.iter().map(|name| cut(name)).collect::<Vec<_>>()];
    lines.extend(rows.iter().take(MOST_ROWS).map(|row| {
        let cell = |name: &&String| cut(&text(row.get(*name).unwrap_or(&Value::Null)));
        names.iter().map(cell).collect()
    }));
    let widths: Vec<usize> = (0..names.len())
        .map(|column| {
            let widths = lines.iter().map(|line| line[column].chars().count());
            widths.max().unwrap_or_default()
        })
        .collect();
    let mut table = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths);
        let padded = cells.map(|(cell, width)| format!("{cell:<width$}"));
        // Writing to a `String` does not fail.
        let _ = writeln!(
            table,
            "  {}",
            padded.collect::<Vec<_>>().join("  ").trim_end()
        );
    }
    if rows.len() > MOST_ROWS {
        let _ = writeln!(table, "  \u{2026} and {} more rows", rows.len() - MOST_ROWS);
    }
    table
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => stamp(text).unwrap_or_else(|| text.replace(['\n', '\t'], " ")),
        Value::Null => "-".to_owned(),
        // Three decimal places, as on the page.
        Value::Number(number) if number.is_f64() => number.as_f64().map_or_else(
            || number.to_string(),
            |number| ((number * 1e3).round() / 1e3).to_string(),
        ),
        other => other.to_string(),
    }
}

/// A time stamp in a readable form: `2025-01-14 13:29` for `2025-01-14T13:29:00`.
fn stamp(text: &str) -> Option<String> {
    let (day, rest) = text.split_at_checked(10)?;
    let time = rest.strip_prefix('T')?;
    NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()?;
    let (clock, zone) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let clock = NaiveTime::parse_from_str(clock, "%H:%M:%S%.f").ok()?;
    let form = if clock.second() == 0 {
        "%H:%M"
    } else {
        "%H:%M:%S"
    };
    let zone = if matches!(zone, "Z" | "+00:00") {
        " UTC"
    } else {
        zone
    };
    Some(format!("{day} {}{zone}", clock.format(form)))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_aligned_with_their_columns() {
        let table =
            draw(&json!([{ "name": "Ada", "hours": 7.500_01 }, { "name": "Bo", "hours": null }]));
        assert_eq!(table, "  name  hours\n  Ada   7.5\n  Bo    -\n");
    }

    #[test]
    fn times_are_shortened_for_people() {
        let rows = [
            json!({ "arrival": "2025-01-14T13:29:00Z", "year": 2021, "imo": 9_839_430 }),
            json!({ "arrival": "2025-01-14T13:29:07+02:00", "year": 2004, "imo": 1 }),
        ];
        assert_eq!(
            draw(&json!(rows)),
            "  arrival                    year  imo\n  2025-01-14 13:29 UTC       2021  9839430\n  2025-01-14 13:29:07+02:00  2004  1\n"
        );
    }

    #[test]
    fn results_that_the_text_contains_are_not_repeated() {
        assert_eq!(draw(&json!([{ "count": 3 }])), "");
        assert_eq!(draw(&json!([{ "name": "Ada", "hours": 7 }])), "");
        assert_eq!(draw(&json!([{ "filename": "a.md", "chunk_index": 0 }])), "");
        assert_eq!(draw(&json!("none")), "");
    }
}
