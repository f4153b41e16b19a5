//! The heading of a table: the row with the names of the columns, or two of them, where cells of
//! the upper one are merged over several of the lower one.

use plant_files::table::letters;

use super::blanks;
use super::read::Merged;
use super::types::Guess;

/// Rows that are looked at for the widest one.
const FIRST_ROWS: usize = 20;
/// Rows below two rows of names that decide whether the second is one of them.
const SAMPLE: usize = 50;

/// The heading of a table, and its place.
pub(super) struct Heading {
    /// Its first row; without one, the first row of the table.
    pub(super) first: usize,
    /// Number of its rows; none if the file has no names.
    pub(super) rows: usize,
    /// The names of the columns.
    pub(super) names: Vec<String>,
}

/// The heading. Without a row of names, the columns have letters; `has_names` is what a person said
/// about that.
pub(super) fn find(
    rows: &[Vec<String>],
    merged: &[Merged],
    has_names: Option<bool>,
) -> Option<Heading> {
    let heading = first_row(rows, merged)?;
    let (row, below) = (&rows[heading.first], &rows[heading.first + 1..]);
    if has_names.unwrap_or(heading.rows > 1 || !is_data(row, below)) {
        return Some(heading);
    }
    let width = below.iter().map(Vec::len).fold(row.len(), usize::max);
    Some(Heading {
        first: heading.first,
        rows: 0,
        names: (0..width)
            .map(|column| format!("Column {}", letters(column)))
            .collect(),
    })
}

/// Whether a row is one of those below it: where these have numbers, days or the like, it has one
/// as well. Years and numbers that count up may be names of columns.
fn is_data(row: &[String], below: &[Vec<String>]) -> bool {
    let mut alike = Vec::new();
    for (column, cell) in row.iter().enumerate() {
        let cells = below.iter().take(SAMPLE).filter_map(|row| row.get(column));
        let cells = cells.map(String::as_str).filter(|one| !blanks::is_one(one));
        if cell.is_empty() || Guess::of(&cells) == Guess::TEXT {
            continue;
        }
        let with_it = cells.clone().chain([cell.as_str()]);
        let is_blank = blanks::is_one(cell);
        let names_year = is_year(cell) && !cells.clone().all(is_year);
        if names_year || (!is_blank && Guess::of(&with_it) == Guess::TEXT) {
            return false;
        }
        alike.push(cell.parse::<i64>().ok());
    }
    let is_next =
        |pair: &[Option<i64>]| matches!(pair, [Some(a), Some(b)] if a.checked_add(1) == Some(*b));
    let counts_up = alike.len() > 2 && alike.windows(2).all(is_next);
    !alike.is_empty() && !counts_up
}

/// The row of names, as if there is one: the first row with at least half as many cells as the
/// widest of the first rows. A merged cell counts for each column below it, unless the row has
/// nothing else, as a title.
fn first_row(rows: &[Vec<String>], merged: &[Merged]) -> Option<Heading> {
    let widths: Vec<usize> = (0..rows.len().min(FIRST_ROWS))
        .map(|row| width(rows, row, merged))
        .collect();
    let most = widths.iter().copied().max().unwrap_or_default();
    let width = |row: usize| match widths.get(row) {
        Some(width) => *width,
        None => self::width(rows, row, merged),
    };
    let first = (0..rows.len()).find(|row| width(*row) > 0 && width(*row) * 2 >= most)?;
    let two = |upper: usize| {
        let lower = rows.get(upper + 1)?;
        let groups = groups(upper, merged);
        let names = joined(&rows[upper], lower, &rows[upper + 2..], &groups)?;
        Some(Heading {
            first: upper,
            rows: 2,
            names,
        })
    };
    // The names of groups alone may be too few for a heading. One cell is a title.
    let above = first.checked_sub(1).filter(|row| width(*row) > 1);
    above.and_then(two).or_else(|| two(first)).or_else(|| {
        Some(Heading {
            first,
            rows: 1,
            names: rows[first].clone(),
        })
    })
}

/// Number of columns that a row has something for.
fn width(rows: &[Vec<String>], row: usize, merged: &[Merged]) -> usize {
    let filled = rows[row].iter().filter(|cell| !cell.is_empty()).count();
    if filled < 2 {
        return filled;
    }
    let more = merged.iter().filter(|one| one.first_row == row);
    let more = more.filter(|one| {
        rows[row]
            .get(one.first_column)
            .is_some_and(|c| !c.is_empty())
    });
    filled
        + more
            .map(|one| one.last_column - one.first_column)
            .sum::<usize>()
}

/// The merged cells of a row that are above several columns: the first and the last of these.
fn groups(row: usize, merged: &[Merged]) -> Vec<(usize, usize)> {
    let here = merged.iter().filter(|one| one.first_row == row);
    let wide = here.filter(|one| one.last_column > one.first_column && one.last_row == row);
    wide.map(|one| (one.first_column, one.last_column))
        .collect()
}

/// The names of two rows, each under its group, if the lower row is one of names.
fn joined(
    upper: &[String],
    lower: &[String],
    below: &[Vec<String>],
    merged: &[(usize, usize)],
) -> Option<Vec<String>> {
    let at = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
    let width = upper.len().max(lower.len());
    let groups = if merged.is_empty() {
        gaps(upper, lower)
    } else {
        merged.to_vec()
    };
    let group = |column: usize| {
        let mut groups = groups.iter();
        groups.find(|(first, last)| (*first..=*last).contains(&column))
    };
    let is_named = |column: usize| {
        let (up, low) = (at(upper, column), at(lower, column));
        match group(column) {
            Some(_) if merged.is_empty() => !is_value(&low) && has_values(below, column),
            Some(_) => !low.is_empty() && (!is_value(&low) || is_year(&low)),
            // Elsewhere one of the two has the name, as a row of values would not.
            None => (up.is_empty() || low.is_empty()) && !is_value(&low),
        }
    };
    if groups.is_empty() || !below.iter().any(|row| row.iter().any(|c| !c.is_empty())) {
        return None;
    }
    (0..width).all(is_named).then(|| {
        (0..width)
            .map(|column| {
                let up =
                    group(column).map_or_else(|| at(upper, column), |(at_, _)| at(upper, *at_));
                let name = format!("{up} {}", at(lower, column));
                name.trim().to_owned()
            })
            .collect()
    })
}

/// The groups of a file that has no merged cells: a name, and the columns without one behind it, if
/// the lower row has a cell for each.
fn gaps(upper: &[String], lower: &[String]) -> Vec<(usize, usize)> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (column, cell) in lower.iter().enumerate() {
        let has_name = upper.get(column).is_some_and(|cell| !cell.is_empty());
        match groups.last_mut() {
            _ if cell.is_empty() => {}
            _ if has_name => groups.push((column, column)),
            Some((_, last)) if *last + 1 == column => *last = column,
            _ => {}
        }
    }
    groups.retain(|(first, last)| last > first);
    groups
}

/// Whether a cell is a number, a day or the like, rather than a name.
fn is_value(cell: &str) -> bool {
    !cell.is_empty() && Guess::of(&[cell].into_iter()) != Guess::TEXT
}

fn is_year(cell: &str) -> bool {
    cell.parse::<u16>()
        .is_ok_and(|year| (1900..=2100).contains(&year))
}

/// Whether a column has values in most rows that have anything there.
fn has_values(below: &[Vec<String>], column: usize) -> bool {
    let cells = below.iter().take(SAMPLE).filter_map(|row| row.get(column));
    let filled: Vec<&String> = cells.filter(|cell| !cell.is_empty()).collect();
    let values = filled.iter().filter(|cell| is_value(cell)).count();
    values * 2 > filled.len()
}
