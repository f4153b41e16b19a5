//! Rows as lines of CSV, as RFC 4180 has it.

use contracts::tools::sql::{ResultColumn, ValueKind};
use serde_json::{Map, Value};

/// The header. A mark at the start makes Excel read UTF-8.
pub(super) fn header(columns: &[ResultColumn]) -> String {
    let mut text = String::from("\u{feff}");
    let labels: Vec<String> = columns.iter().map(|column| inert(&column.name)).collect();
    line(&labels, &mut text);
    text
}

/// Adds rows.
pub(super) fn rows(columns: &[ResultColumn], rows: &[Map<String, Value>], text: &mut String) {
    for row in rows {
        let cells: Vec<String> = columns
            .iter()
            .map(|column| cell(column, row.get(&column.name)))
            .collect();
        line(&cells, text);
    }
}

fn line(cells: &[String], text: &mut String) {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        if cell.contains([',', '"', '\n', '\r']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(cell);
        }
    }
    text.push_str("\r\n");
}

fn cell(column: &ResultColumn, value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) if column.kind == ValueKind::Number => text.clone(),
        Some(Value::String(text)) => inert(text),
        Some(other) => other.to_string(),
    }
}

/// A text that no spreadsheet takes for a formula: values of a database are not programs.
fn inert(text: &str) -> String {
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins && text.parse::<f64>().is_err() {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_no_formula_and_a_number_stays_one() {
        assert_eq!(inert("=cmd()"), "'=cmd()");
        assert_eq!(inert("-1.5"), "-1.5");
        assert_eq!(inert("- x"), "'- x");
        assert_eq!(inert("plain"), "plain");
        let column = ResultColumn {
            name: "sum".to_owned(),
            kind: ValueKind::Number,
        };
        for value in [serde_json::json!(-1.5), serde_json::json!("-12.50")] {
            assert_eq!(
                cell(&column, Some(&value)),
                value.to_string().trim_matches('"')
            );
        }
        let mut text = String::new();
        line(
            &["a,b".to_owned(), "say \"x\"".to_owned(), String::new()],
            &mut text,
        );
        assert_eq!(text, "\"a,b\",\"say \"\"x\"\"\",\r\n");
    }
}
