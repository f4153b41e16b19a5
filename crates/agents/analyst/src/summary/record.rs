//! One record in words: a text with all of its values, in place of a table.

use contracts::tools::search::{QueryRun, ResultColumn};
use serde_json::{Map, Value};

use super::values;
use crate::words;

/// Members that are listed.
const MEMBERS: usize = 30;
/// Characters of a value.
const VALUE: usize = 200;

/// A line for each member that has a value, in the order of the columns.
pub(super) fn lines(run: &QueryRun, record: &Map<String, Value>) -> String {
    let told = run.columns.iter().filter_map(|column| {
        let value = record.get(&column.name).filter(|value| !value.is_null())?;
        Some(line(column, value))
    });
    told.take(MEMBERS).collect::<Vec<_>>().join("\n")
}

fn line(column: &ResultColumn, value: &Value) -> String {
    let label = words::heading(&column.label, column.unit.as_deref());
    let value = values::with_unit(value, column);
    let value: String = value.chars().take(VALUE).collect();
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("- {label}: {value}")
}
