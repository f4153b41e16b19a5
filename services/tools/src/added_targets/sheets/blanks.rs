//! Words for "no value", as people write them among numbers and dates.

use contracts::targets::SheetType;

use super::read::Raw;
use super::types::{Asked, Guess};

const WORDS: [&str; 17] = [
    "-",
    "--",
    "---",
    "\u{2013}",
    "\u{2014}",
    "n/a",
    "#n/a",
    "n.a.",
    "na",
    "#nv",
    "k.a.",
    "k. a.",
    "nan",
    "null",
    "nil",
    "none",
    "keine angabe",
];
/// Words that a note shows.
const SHOWN: usize = 3;

/// Whether a cell says that there is no value.
pub(super) fn is_one(cell: &str) -> bool {
    WORDS.contains(&cell.to_lowercase().as_str())
}

/// Empties the cells of a column that say that there is no value, if the others are numbers, dates
/// or the like. Returns what a note says of it.
pub(super) fn take(table: &mut Raw, column: usize, asked: Option<Asked>) -> Option<String> {
    let cells = table.rows.iter().filter_map(|row| row.get(column));
    let marked = cells.clone().filter(|cell| is_one(cell)).count();
    if marked == 0 || asked.is_some_and(Asked::is_text) {
        return None;
    }
    let others = cells.map(String::as_str).filter(|cell| !is_one(cell));
    if asked.is_none() && Guess::of(&others).kind == SheetType::Text {
        return None;
    }
    let (mut words, mut first) = (Vec::new(), None);
    for (at, row) in table.rows.iter_mut().enumerate() {
        let Some(cell) = row.get_mut(column).filter(|cell| is_one(cell)) else {
            continue;
        };
        first.get_or_insert(at);
        let word = format!("\u{201c}{}\u{201d}", std::mem::take(cell));
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(SHOWN);
    let row = table.line(first?);
    Some(match marked {
        1 => format!("{} in row {row} is read as no value.", words.join(", ")),
        some => format!(
            "{some} cells with {}, the first in row {row}, are read as no value.",
            words.join(", ")
        ),
    })
}
