//! Rows that are sums of others: the last ones of many tables, and those between the rows of months
//! or regions. As rows among others they would be counted twice.

mod labels;
mod sums;

use super::blanks;
use super::read::Raw;
use super::types::Guess;
use labels::{Kind, Labels, is_month, named_by};
use sums::Sums;

/// Places from which a sum may count that are looked at.
const MOST_STARTS: usize = 500;
/// Rows, and names of rows, that a note lists.
const MOST_LISTED: usize = 12;

/// The findings about the rows that are named as sums or averages.
#[derive(Default)]
pub(super) struct Outcome {
    /// The numbers of the rows that are left out, as the file shows them.
    pub(super) left_out: Vec<u64>,
    /// The words of notes about them, and about those that are kept.
    pub(super) notes: Vec<String>,
    /// The remark for answers about the table, on those that are kept.
    pub(super) remark: Option<String>,
}

/// A row that has the name of a sum or an average.
struct Named {
    row: usize,
    name: String,
    kind: Kind,
}

/// The rows with the name of a sum or an average.
#[derive(Default)]
struct Judged {
    /// Sums and averages.
    totals: Vec<Named>,
    /// Rows whose formulas have no result.
    without_result: Vec<Named>,
    /// Rows with other numbers.
    others: Vec<Named>,
}

/// Takes the rows away that say that they are sums or averages of rows above, and are, or would be
/// if their formulas had a result. Of the others with such a name there is a note.
pub(super) fn take(table: &mut Raw) -> Outcome {
    let Some(columns) = Columns::of(table) else {
        return Outcome::default();
    };
    let mut judged = columns.judged(table, 2);
    if !judged.totals.is_empty() {
        // A file with such rows also has them for groups of one row.
        judged = columns.judged(table, 1);
    }
    let outcome = judged.outcome(table);
    let mut left_out = vec![false; table.rows.len()];
    for named in judged.totals.iter().chain(&judged.without_result) {
        left_out[named.row] = true;
    }
    retain(&mut table.rows, &left_out);
    retain(&mut table.lines, &left_out);
    outcome
}

/// Keeps what is not left out.
fn retain<T>(all: &mut Vec<T>, left_out: &[bool]) {
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        !left_out[at - 1]
    });
}

impl Judged {
    fn outcome(&self, table: &Raw) -> Outcome {
        let mut notes = Vec::new();
        let is_last = |(at, total): (usize, &Named)| total.row == table.rows.len() - 1 - at;
        if self.totals.iter().rev().enumerate().all(is_last) {
            notes.extend(note_at_end(&self.totals));
        } else {
            let (rows, count) = (listed(table, &self.totals), self.totals.len());
            notes.push(match count {
                1 => format!(
                    "row {rows} is {} of rows above it, and is left out.",
                    one_of(&self.totals)
                ),
                _ => format!(
                    "{count} rows are {} of rows above them, and are left out: {rows}.",
                    some_of(&self.totals)
                ),
            });
        }
        let rows = listed(table, &self.without_result);
        notes.extend(match self.without_result.len() {
            0 => None,
            1 => Some(format!(
                "row {rows} is named as a sum or an average, its formulas have no stored result, and it is left out."
            )),
            count => Some(format!(
                "{count} rows are named as sums or averages, their formulas have no stored result, and they are left out: {rows}."
            )),
        });
        let rows = listed(table, &self.others);
        let remark = match self.others.len() {
            0 => None,
            1 => {
                notes.push(format!(
                    "row {rows} is named as a sum or an average, but its numbers are not those of the rows above it: it is kept, and counts as a row. Remove it from the file if it must not."
                ));
                Some(format!(
                    "Row {rows} of the file is named as a sum or an average, and is counted as a row."
                ))
            }
            count => {
                notes.push(format!(
                    "{count} rows are named as sums or averages, but their numbers are not those of the rows above them: they are kept, and count as rows: {rows}. Remove them from the file if they must not."
                ));
                Some(format!(
                    "{count} rows of the file are named as sums or averages, and are counted as rows: {rows}."
                ))
            }
        };
        let left_out = self.totals.iter().chain(&self.without_result);
        let mut left_out: Vec<u64> = left_out.map(|named| table.line(named.row)).collect();
        left_out.sort_unstable();
        Outcome {
            left_out,
            notes,
            remark,
        }
    }
}

fn note_at_end(found: &[Named]) -> Option<String> {
    let names: Vec<String> = found
        .iter()
        .map(|total| format!("“{}”", total.name))
        .collect();
    Some(match (names.as_slice(), found.last()?.kind) {
        ([name], Kind::Sum) => {
            format!("the last row ({name}) is the sum of those above, and is left out.")
        }
        ([name], Kind::Mean) => {
            format!("the last row ({name}) is the average of those above, and is left out.")
        }
        ([name], Kind::Highest) => {
            format!("the last row ({name}) has the highest of those above, and is left out.")
        }
        ([name], Kind::Lowest) => {
            format!("the last row ({name}) has the lowest of those above, and is left out.")
        }
        (names, _) => format!(
            "the last {} rows ({}) are {} of those above, and are left out.",
            names.len(),
            names.join(", "),
            some_of(found)
        ),
    })
}

/// The kinds of several rows.
fn some_of(found: &[Named]) -> &'static str {
    if found.iter().any(|one| one.kind.is_extreme()) {
        "sums, averages or extremes"
    } else {
        "sums or averages"
    }
}

/// The kinds of one row.
fn one_of(found: &[Named]) -> &'static str {
    if found.iter().any(|one| one.kind.is_extreme()) {
        "the highest or the lowest"
    } else {
        "a sum or an average"
    }
}

/// The numbers of rows with their names.
fn listed(table: &Raw, found: &[Named]) -> String {
    let more = if found.len() > MOST_LISTED {
        " and so on"
    } else {
        ""
    };
    let rows: Vec<String> = found
        .iter()
        .take(MOST_LISTED)
        .map(|named| format!("{} (“{}”)", table.line(named.row), named.name))
        .collect();
    format!("{}{more}", rows.join(", "))
}

/// The columns of a table, and the rows that have the name of a sum.
struct Columns {
    guesses: Vec<Guess>,
    named: Vec<Option<(String, Kind)>>,
    labels: Labels,
}

impl Columns {
    /// `None` if no row has the name of a sum.
    fn of(table: &Raw) -> Option<Self> {
        let mut named: Vec<Option<(String, Kind)>> =
            table.rows.iter().map(|row| named_by(row)).collect();
        let guess = |column: usize, named: &[Option<(String, Kind)>]| {
            let rows = table.rows.iter().zip(named);
            let cells = rows
                .filter(|(_, name)| name.is_none())
                .filter_map(move |(row, _)| row.get(column))
                .map(String::as_str)
                .filter(|cell| !blanks::is_one(cell));
            Guess::of(&cells)
        };
        // Months among the days of a column are sums of these.
        for column in 0..table.columns.len() {
            let mut cells = table.rows.iter().filter_map(|row| row.get(column));
            if !cells.any(|cell| is_month(cell)) {
                continue;
            }
            let with_months: Vec<Option<(String, Kind)>> = table
                .rows
                .iter()
                .zip(&named)
                .map(|(row, known)| {
                    let cell = row.get(column).filter(|cell| is_month(cell));
                    known.clone().or_else(|| Some((cell?.clone(), Kind::Sum)))
                })
                .collect();
            if guess(column, &with_months).has_day() {
                named = with_months;
            }
        }
        named.iter().any(Option::is_some).then(|| {
            let rows = table.rows.iter().zip(&named);
            let usual = rows.filter(|(_, name)| name.is_none()).map(|(row, _)| row);
            Self {
                guesses: (0..table.columns.len())
                    .map(|column| guess(column, &named))
                    .collect(),
                labels: Labels::of(table.columns.len(), usual),
                named,
            }
        })
    }

    /// The rows with such a name, judged. A sum is one of at least `least` rows above.
    fn judged(&self, table: &Raw, least: usize) -> Judged {
        let mut judged = Judged::default();
        // Without and with the rows that are only named as sums.
        let mut sums = [Sums::new(self.guesses.len()), Sums::new(self.guesses.len())];
        let mut starts = vec![sums.clone()];
        for (row, cells) in table.rows.iter().enumerate() {
            let numbers = |column: usize| self.number(column, cells);
            let Some((name, kind)) = &self.named[row] else {
                for sums in &mut sums {
                    sums.add(row, numbers);
                }
                continue;
            };
            let is_extreme = kind.is_extreme();
            let may_be = !is_extreme || self.may_be_extreme(row, cells);
            let is_total = may_be
                && starts.iter().rev().any(|start| {
                    let mut pairs = start.iter().zip(&sums);
                    pairs.any(|(start, until)| {
                        until.rows() - start.rows() >= least
                            && self.is_of(table, row, (name, *kind), (start, until))
                    })
                });
            // As data, such a row is that of a person.
            let is_labelled = if is_extreme {
                table.lacks_result(row) && self.labels.are_left_out(cells)
            } else {
                self.labels.has(name, cells)
            };
            let one = Named {
                row,
                name: name.clone(),
                kind: *kind,
            };
            if !is_total && !is_labelled {
                for sums in &mut sums {
                    sums.add(row, numbers);
                }
                continue;
            }
            if is_total {
                judged.totals.push(one);
            } else if table.lacks_result(row) && !self.has_numbers(cells, name) {
                judged.without_result.push(one);
            } else {
                sums[1].add(row, numbers);
                judged.others.push(one);
            }
            let is_new = |start: &[Sums; 2]| start[1].rows() < sums[1].rows();
            if starts.last().is_some_and(is_new) && starts.len() < MOST_STARTS {
                starts.push(sums.clone());
            }
        }
        judged
    }

    fn number(&self, column: usize, cells: &[String]) -> Option<f64> {
        let (guess, cell) = (self.guesses.get(column)?, cells.get(column)?);
        if !guess.is_number() || cell.is_empty() {
            return None;
        }
        let value = guess.value(cell).or_else(|| {
            // The average of whole numbers is not one.
            let mut ways = Guess::DECIMALS.iter();
            ways.find_map(|way| way.value(cell))
        })?;
        value.parse().ok()
    }

    /// Whether a row that is named `Max` or `Min` can be other than that of a person: it leaves out
    /// what every other row has, or it is one of the named rows at the end, behind a sum or an
    /// average or beside its opposite.
    fn may_be_extreme(&self, row: usize, cells: &[String]) -> bool {
        let kind = |row: usize| Some(self.named.get(row)?.as_ref()?.1);
        let own = kind(row);
        let is_opposite = |other: Option<Kind>| other != own && other.is_some_and(Kind::is_extreme);
        let mut before = (0..row).rev().map_while(kind);
        let is_last = self.named[row..].iter().all(Option::is_some);
        self.labels.are_left_out(cells)
            || is_last
                && (before.any(|other| !other.is_extreme())
                    || is_opposite(kind(row + 1))
                    || row
                        .checked_sub(1)
                        .is_some_and(|above| is_opposite(kind(above))))
    }

    fn has_numbers(&self, cells: &[String], name: &str) -> bool {
        let mut columns = 0..cells.len();
        columns.any(|column| cells[column] != name && self.number(column, cells).is_some())
    }

    /// Whether each number of a row is the sum or the average of those between two places. Without
    /// a number, or with a day of its own, it is not. Where the label is that of a sum, one number
    /// that is the sum is enough for others that are an average, a highest or a lowest one, or a
    /// rounded sum.
    fn is_of(
        &self,
        table: &Raw,
        row: usize,
        (name, kind): (&str, Kind),
        (from, until): (&Sums, &Sums),
    ) -> bool {
        let cells = &table.rows[row];
        let (mut exact, mut others) = (0, Vec::new());
        for (column, cell) in cells.iter().enumerate() {
            if cell.is_empty() || cell == name || blanks::is_one(cell) {
                continue;
            }
            let Some(guess) = self.guesses.get(column) else {
                return false;
            };
            if *guess == Guess::TEXT {
                continue;
            }
            let Some(stated) = self.number(column, cells) else {
                return false;
            };
            let between = until.since(from, column);
            if between.count == 0 {
                return false;
            }
            let extremes = || self.extremes(table, (from.next_row(), row), column);
            let is_it = match kind {
                Kind::Sum => sums::is_near(between.sum, stated),
                Kind::Mean => sums::is_near(between.mean(), stated),
                Kind::Lowest => sums::is_same(extremes().0, stated),
                Kind::Highest => sums::is_same(extremes().1, stated),
            };
            if is_it {
                exact += 1;
            } else {
                others.push((column, stated, between));
            }
        }
        let is_other = |(column, stated, between): &(usize, f64, sums::Between)| {
            sums::is_rounded(between.sum, *stated)
                || sums::is_near(between.mean(), *stated)
                || self.is_within(table, (from.next_row(), row), *column, *stated)
        };
        exact > 0
            && (others.is_empty()
                || (!kind.is_extreme()
                    && self.labels.has(name, cells)
                    && others.iter().all(is_other)))
    }

    /// Whether a number is between the lowest and the highest of a column in rows without a sum.
    fn is_within(&self, table: &Raw, place: (usize, usize), column: usize, stated: f64) -> bool {
        let (lowest, highest) = self.extremes(table, place, column);
        // The highest of floating-point numbers is one of them.
        lowest <= stated && stated <= highest
    }

    /// The lowest and the highest number of a column in rows without a sum.
    fn extremes(&self, table: &Raw, (first, end): (usize, usize), column: usize) -> (f64, f64) {
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for row in first..end {
            let named = self.named[row].as_ref();
            if named.is_some_and(|(_, kind)| !kind.is_extreme()) {
                continue;
            }
            if let Some(number) = self.number(column, &table.rows[row]) {
                (lowest, highest) = (lowest.min(number), highest.max(number));
            }
        }
        (lowest, highest)
    }
}

#[cfg(test)]
mod tests;
