//! Rows as a table.

use contracts::tools::search::QueryRun;

use super::values;
use crate::words;

/// Rows that a text shows.
pub(super) const ROWS: usize = 5;
/// Columns that a text shows.
const COLUMNS: usize = 7;
/// Characters of a cell.
const CELL: usize = 60;

/// The first rows and columns.
pub(super) fn markdown(run: &QueryRun) -> String {
    let columns: Vec<_> = run.columns.iter().take(COLUMNS).collect();
    let heads: Vec<String> = columns
        .iter()
        .map(|column| match &column.unit {
            Some(unit) => format!("{} ({unit})", words::capital(&column.label)),
            None => words::capital(&column.label),
        })
        .collect();
    let mut lines = vec![line(&heads), line(&vec!["---".to_owned(); heads.len()])];
    for row in run.rows.iter().take(ROWS) {
        let cells: Vec<String> = columns
            .iter()
            .map(|column| {
                cell(
                    &row.get(&column.name)
                        .map_or_else(String::new, values::plain),
                )
            })
            .collect();
        lines.push(line(&cells));
    }
    lines.join("\n")
}

fn line(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

fn cell(text: &str) -> String {
    let text: String = text.chars().take(CELL).collect();
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
