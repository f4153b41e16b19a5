//! Why a column is text although most of its cells are not.

use contracts::targets::SheetType;

use super::Guess;
use crate::added_targets::sheets::read::line;

/// Cells of a text column that decide whether the others are looked at.
const SAMPLE: usize = 200;

/// Why the cells of a text column are none of the dates or numbers that most of them are. `lines`
/// are the numbers of their rows in the file.
pub(in super::super) fn almost<'c>(
    guess: &Guess,
    cells: &(impl Iterator<Item = &'c str> + Clone),
    lines: &[u64],
) -> Option<String> {
    if guess.kind != SheetType::Text {
        return None;
    }
    let filled = || cells.clone().filter(|cell| !cell.is_empty());
    let all = filled().count();
    let is_coded = filled().any(|cell| cell.len() > 1 && cell.bytes().all(|b| b.is_ascii_digit()));
    for (kind, what) in [
        (SheetType::Date, "dates"),
        (SheetType::Timestamp, "times"),
        (SheetType::Number, "numbers"),
    ] {
        if kind == SheetType::Number && is_coded && filled().any(|cell| cell.starts_with('0')) {
            continue;
        }
        let ways = Guess::ways(kind);
        let is_one = |cell: &&str| ways.iter().any(|way| way.value(cell).is_some());
        let begin = || filled().take(SAMPLE);
        if begin().filter(is_one).count() * 2 < begin().count() {
            continue;
        }
        let fitting = filled().filter(is_one).count();
        if all < 2 || fitting * 2 < all || kind == SheetType::Timestamp && fitting < all {
            continue;
        }
        let shown = |cell: &str| cell.chars().take(40).collect::<String>();
        let numbered = cells.clone().enumerate();
        let odd = numbered
            .clone()
            .find(|(_, cell)| !cell.is_empty() && !is_one(cell));
        let said = if let Some((row, cell)) = odd {
            let are = match all - fitting {
                1 => format!(
                    "1 of its {all} cells is not a {}",
                    what.trim_end_matches('s')
                ),
                some => format!("{some} of its {all} cells are not {what}"),
            };
            let row = line(lines, row);
            format!("{are}, such as “{}” in row {row}.", shown(cell))
        } else {
            let first = filled().next().unwrap_or_default();
            let way = ways.iter().find(|way| way.value(first).is_some());
            let other = filled().find(|cell| way.is_none_or(|way| way.value(cell).is_none()));
            format!(
                "its {what} are written in different ways, such as “{}” and “{}”.",
                shown(first),
                shown(other.unwrap_or(first))
            )
        };
        return Some(said);
    }
    None
}
