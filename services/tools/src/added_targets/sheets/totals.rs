//! Rows that are sums of others: the last ones of many tables, and those between the rows of months
//! or regions. As rows among others they would be counted twice.

use super::blanks;
use super::read::Raw;
use super::types::Guess;

/// Places from which a sum may count that are looked at.
const MOST_STARTS: usize = 500;
/// Words of a cell that names a sum, and bytes of it.
const MOST_WORDS: usize = 5;
const LONGEST: usize = 80;
/// Rows, and names of rows, that a note lists.
const MOST_LISTED: usize = 12;

/// The kind of a row, by its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Mean,
}

/// Words that name an average.
const MEANS: [&str; 8] = [
    "average",
    "mean",
    "ø",
    "durchschnitt",
    "mittelwert",
    "moyenne",
    "promedio",
    "media",
];

/// Words that name a sum, alone or with what it is of: `Total May`, `Mai gesamt`.
const WORDS: [&str; 13] = [
    "total",
    "sum",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "monatssumme",
    "somme",
    "totale",
    "suma",
    "totaal",
    "subtotal",
    "zwischensumme",
];

/// Names of a sum that are not understood by their first or last word.
const NAMES: [&str; 3] = ["totals", "grand total", "total général"];

/// Months by the beginning of their names, in English and German.
const MONTHS: [&str; 17] = [
    "jan", "jän", "feb", "mar", "mär", "apr", "may", "mai", "jun", "jul", "aug", "sep", "oct",
    "okt", "nov", "dec", "dez",
];

/// Difference to the sum that comes from rounding, as a share of it.
const ROUNDING: f64 = 0.005;

/// The rows that are left out.
pub(super) struct LeftOut {
    /// Their numbers, as the file shows them.
    pub(super) lines: Vec<u64>,
    /// The words of a note about them.
    pub(super) note: String,
}

/// A row that is a sum or an average of others.
struct Total {
    row: usize,
    name: String,
    kind: Kind,
}

/// Takes the rows away that say that they are sums or averages of rows above, and are.
pub(super) fn take(table: &mut Raw) -> Option<LeftOut> {
    let columns = Columns::of(table)?;
    let mut found = columns.totals(table, 2);
    if !found.is_empty() {
        // A file with such rows also has them for groups of one row.
        found = columns.totals(table, 1);
    }
    let is_last = |(at, total): (usize, &Total)| total.row == table.rows.len() - 1 - at;
    let at_end = found.iter().rev().enumerate().all(is_last);
    let lines: Vec<u64> = found.iter().map(|total| table.line(total.row)).collect();
    let note = if at_end {
        note_at_end(&found)?
    } else {
        note_inside(&found, &lines)
    };
    let mut left_out = vec![false; table.rows.len()];
    for total in &found {
        left_out[total.row] = true;
    }
    retain(&mut table.rows, &left_out);
    retain(&mut table.lines, &left_out);
    Some(LeftOut { lines, note })
}

/// Keeps what is not left out.
fn retain<T>(all: &mut Vec<T>, left_out: &[bool]) {
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        !left_out[at - 1]
    });
}

fn note_at_end(found: &[Total]) -> Option<String> {
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
        (names, _) => format!(
            "the last {} rows ({}) are sums or averages of those above, and are left out.",
            names.len(),
            names.join(", ")
        ),
    })
}

fn note_inside(found: &[Total], lines: &[u64]) -> String {
    let more = if found.len() > MOST_LISTED {
        " and so on"
    } else {
        ""
    };
    let rows: Vec<String> = lines
        .iter()
        .zip(found)
        .take(MOST_LISTED)
        .map(|(line, total)| format!("{line} (“{}”)", total.name))
        .collect();
    let (rows, count) = (rows.join(", "), found.len());
    if count == 1 {
        return format!("row {rows} is a sum or an average of rows above it, and is left out.");
    }
    format!("{count} rows are sums or averages of rows above them, and are left out: {rows}{more}.")
}

/// The columns of a table, and the rows that have the name of a sum.
struct Columns {
    guesses: Vec<Guess>,
    named: Vec<Option<(String, Kind)>>,
}

/// The sums of the columns up to a row.
#[derive(Clone)]
struct Sums {
    rows: usize,
    /// The sum and the number of the numbers of each column.
    columns: Vec<(f64, u64)>,
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
        named.iter().any(Option::is_some).then(|| Self {
            guesses: (0..table.columns.len())
                .map(|column| guess(column, &named))
                .collect(),
            named,
        })
    }

    /// The rows that are what their names say, of at least `least` rows above.
    fn totals(&self, table: &Raw, least: usize) -> Vec<Total> {
        let mut sums = Sums {
            rows: 0,
            columns: vec![(0.0, 0); self.guesses.len()],
        };
        let (mut starts, mut found) = (vec![sums.clone()], Vec::new());
        for (row, cells) in table.rows.iter().enumerate() {
            let named = self.named[row].as_ref();
            let total = named.filter(|(name, kind)| {
                let mut starts = starts.iter().rev();
                starts.any(|start| {
                    sums.rows - start.rows >= least
                        && self.is_of(cells, (name, *kind), (start, &sums))
                })
            });
            if let Some((name, kind)) = total {
                found.push(Total {
                    row,
                    name: name.clone(),
                    kind: *kind,
                });
                if starts.last().is_some_and(|start| start.rows < sums.rows)
                    && starts.len() < MOST_STARTS
                {
                    starts.push(sums.clone());
                }
                continue;
            }
            sums.rows += 1;
            for (column, sum) in sums.columns.iter_mut().enumerate() {
                if let Some(number) = self.number(column, cells) {
                    *sum = (sum.0 + number, sum.1 + 1);
                }
            }
        }
        found
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

    /// Whether each number of a row is the sum or the average of those between two places. Without
    /// a number, or with a day of its own, it is not.
    fn is_of(
        &self,
        cells: &[String],
        (name, kind): (&str, Kind),
        (from, until): (&Sums, &Sums),
    ) -> bool {
        let mut numbers = 0;
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
            let (Some(stated), Some(first), Some(last)) = (
                self.number(column, cells),
                from.columns.get(column),
                until.columns.get(column),
            ) else {
                return false;
            };
            let (sum, count) = (last.0 - first.0, last.1 - first.1);
            let expected = match kind {
                Kind::Sum => sum,
                Kind::Mean => sum / count as f64,
            };
            let is_near = (expected - stated).abs() <= ROUNDING * stated.abs().max(1e-9);
            if count == 0 || !is_near {
                return false;
            }
            numbers += 1;
        }
        numbers > 0
    }
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// The cell of a row that names a sum or an average.
fn named_by(row: &[String]) -> Option<(String, Kind)> {
    let is_short = |cell: &&String| cell.len() <= LONGEST && !cell.starts_with(is_digit);
    row.iter().filter(is_short).find_map(|cell| {
        let plain = cell.trim_end_matches(':').trim().to_lowercase();
        let words: Vec<&str> = plain
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let ends = [words.first()?, words.last()?];
        let has = |known: &[&str]| {
            words.len() <= MOST_WORDS && ends.iter().any(|word| known.contains(word))
        };
        let kind = if NAMES.contains(&plain.as_str()) || has(&WORDS) {
            Kind::Sum
        } else if has(&MEANS) {
            Kind::Mean
        } else {
            return None;
        };
        Some((cell.clone(), kind))
    })
}

/// Whether a cell is the name of a month, also with a year.
fn is_month(cell: &str) -> bool {
    if cell.is_empty() || cell.len() > LONGEST || cell.starts_with(is_digit) {
        return false;
    }
    let lower = cell.to_lowercase();
    let mut words = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let month = words.next().is_some_and(|word| {
        word.chars().all(char::is_alphabetic) && MONTHS.iter().any(|name| word.starts_with(name))
    });
    month && words.next().is_none_or(is_year) && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Raw {
        let cells = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
        Raw {
            name: "sales".to_owned(),
            source: "Sales".to_owned(),
            columns: ["region", "sum", "day"]
                .map(|name| (name.to_owned(), name.to_owned()))
                .into(),
            rows: rows.iter().map(cells).collect(),
            lines: Vec::new(),
            types: Vec::new(),
        }
    }

    fn note(table: &mut Raw) -> Option<String> {
        take(table).map(|left_out| left_out.note)
    }

    #[test]
    fn sums_between_the_rows_are_no_rows() {
        let mut sales = table(&[
            &["2026-04-29", "10", ""],
            &["2026-04-30", "20", ""],
            &["Total April", "30", ""],
            &["2026-05-01", "1", ""],
            &["2026-05-02", "2", ""],
            &["Zwischensumme", "3", ""],
            &["2026-05-03", "4", ""],
            &["Zwischensumme", "4", ""],
            &["Mai gesamt", "7", ""],
            &["2026-06-01", "5", ""],
            &["2026-06-02", "6", ""],
            &["June 2026", "11", ""],
            &["Total", "48", ""],
        ]);
        let left_out = take(&mut sales).unwrap();
        assert_eq!(left_out.lines, [3, 6, 8, 9, 12, 13]);
        assert!(
            left_out.note.starts_with(
                "6 rows are sums or averages of rows above them, and are left out: 3 (“Total April”), 6 ("
            ),
            "{}",
            left_out.note
        );
        let sum = |row: &Vec<String>| row[1].parse::<u32>().unwrap();
        assert_eq!(sales.rows.iter().map(sum).sum::<u32>(), 48);
        // Other sums, names of people and companies, and a table of months.
        for rows in [
            &[
                &["a", "1", ""][..],
                &["b", "2", ""],
                &["Total May", "4", ""],
                &["c", "5", ""],
            ],
            &[
                &["Total Energies", "1", ""],
                &["Sum Ltd", "2", ""],
                &["Ada Sum", "4", ""],
                &["b", "5", ""],
            ],
            &[
                &["Jan", "1", ""],
                &["Feb", "2", ""],
                &["Mar", "3", ""],
                &["Apr", "6", ""],
            ],
        ] {
            let mut kept = table(rows);
            assert_eq!(note(&mut kept), None, "{rows:?}");
        }
    }

    #[test]
    fn a_sum_at_the_end_is_no_row() {
        let mut german = table(&[
            &["Nord", "1.234,50", "01.02.2026"],
            &["Süd", "99,90", "02.02.2026"],
            &["Summe:", "1.334,40", ""],
        ]);
        assert_eq!(
            note(&mut german).as_deref(),
            Some("the last row (“Summe:”) is the sum of those above, and is left out.")
        );
        assert_eq!(german.rows.len(), 2);
        assert_eq!(note(&mut german), None);
    }

    #[test]
    fn several_rows_at_the_end_are_sums_and_averages() {
        let mut sales = table(&[
            &["a", "100", "2026-02-01"],
            &["b", "n/a", "2026-02-02"],
            &["c", "50", "2026-02-03"],
            &["Zwischensumme", "150", ""],
            &["Durchschnitt", "75", ""],
            &["Gesamt", "150", ""],
        ]);
        assert_eq!(
            note(&mut sales).as_deref(),
            Some(
                "the last 3 rows (“Zwischensumme”, “Durchschnitt”, “Gesamt”) are sums or averages of those above, and are left out."
            )
        );
        assert_eq!(sales.rows.len(), 3);
    }

    #[test]
    fn a_row_that_is_not_the_sum_stays() {
        // A company of this name, a sum of other rows, and a row without a number.
        for last in [
            &["Total", "12.5", "2026-02-03"][..],
            &["Total", "12.5", ""],
            &["Total", "", ""],
            &["Totals of", "110", ""],
        ] {
            let mut kept = table(&[
                &["a", "100", "2026-02-01"],
                &["b", "10", "2026-02-02"],
                last,
            ]);
            assert_eq!(note(&mut kept), None, "{last:?}");
            assert_eq!(kept.rows.len(), 3);
        }
    }
}
