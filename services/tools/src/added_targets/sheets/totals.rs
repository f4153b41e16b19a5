//! The last row of many tables is their sum. As a row among others it would be counted twice.

use super::blanks;
use super::read::Raw;
use super::types::Guess;

/// Rows at the end that may be such.
const MOST: usize = 4;

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

/// Words that name a sum.
const WORDS: [&str; 15] = [
    "total",
    "totals",
    "grand total",
    "sum",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "total général",
    "somme",
    "totale",
    "suma",
    "totaal",
    "subtotal",
    "zwischensumme",
];

/// Difference to the sum that comes from rounding, as a share of it.
const ROUNDING: f64 = 0.005;

/// Takes the rows at the end away that say that they are sums or averages, and are. Returns what a
/// note says of them.
pub(super) fn take(table: &mut Raw) -> Option<String> {
    let named = table.rows.iter().rev().take(MOST);
    let named: Vec<(String, Kind)> = named.map_while(|row| named_by(row)).collect();
    let count = (1..=named.len()).rev().find(|count| {
        let (above, last) = table.rows.split_at(table.rows.len() - count);
        let mut kinds = last.iter().zip(named[..*count].iter().rev());
        above.len() >= 2 && kinds.all(|(row, (word, kind))| is_of(row, word, *kind, above))
    })?;
    table.rows.truncate(table.rows.len() - count);
    let words: Vec<String> = named[..count]
        .iter()
        .rev()
        .map(|(word, _)| format!("“{word}”"))
        .collect();
    Some(match (words.as_slice(), named[0].1) {
        ([word], Kind::Sum) => {
            format!("the last row ({word}) is the sum of those above, and is left out.")
        }
        ([word], Kind::Mean) => {
            format!("the last row ({word}) is the average of those above, and is left out.")
        }
        (words, _) => format!(
            "the last {count} rows ({}) are sums or averages of those above, and are left out.",
            words.join(", ")
        ),
    })
}

/// The word of a row that names a sum or an average.
fn named_by(row: &[String]) -> Option<(String, Kind)> {
    row.iter().find_map(|cell| {
        let plain = cell.trim_end_matches(':').trim().to_lowercase();
        let kind = if WORDS.contains(&plain.as_str()) {
            Kind::Sum
        } else if MEANS.contains(&plain.as_str()) {
            Kind::Mean
        } else {
            return None;
        };
        Some((cell.clone(), kind))
    })
}

/// Whether each number of a row is the sum or the average of those above.
fn is_of(row: &[String], word: &str, kind: Kind, above: &[Vec<String>]) -> bool {
    let stated = row.iter().enumerate();
    let mut stated = stated
        .filter(|(_, cell)| !cell.is_empty() && *cell != word && !blanks::is_one(cell))
        .peekable();
    stated.peek().is_some()
        && stated.all(|(at, cell)| matches(at, cell, kind, above).unwrap_or(false))
}

fn matches(at: usize, stated: &str, kind: Kind, above: &[Vec<String>]) -> Option<bool> {
    let column = above.iter().filter_map(|row| row.get(at));
    let cells = column
        .map(String::as_str)
        .filter(|cell| !blanks::is_one(cell));
    let guess = Guess::of(&cells.clone().chain([stated]));
    let number = |cell: &str| guess.value(cell)?.parse::<f64>().ok();
    if !guess.is_number() {
        return None;
    }
    let filled = cells.filter(|cell| !cell.is_empty());
    let numbers: Vec<f64> = filled.filter_map(number).collect();
    let (stated, sum) = (number(stated)?, numbers.iter().sum::<f64>());
    let expected = match kind {
        Kind::Sum => sum,
        Kind::Mean => sum / numbers.len() as f64,
    };
    Some((expected - stated).abs() <= ROUNDING * stated.abs().max(1e-9))
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

    #[test]
    fn a_sum_at_the_end_is_no_row() {
        let mut german = table(&[
            &["Nord", "1.234,50", "01.02.2026"],
            &["Süd", "99,90", "02.02.2026"],
            &["Summe:", "1.334,40", ""],
        ]);
        assert_eq!(
            take(&mut german).as_deref(),
            Some("the last row (“Summe:”) is the sum of those above, and is left out.")
        );
        assert_eq!(german.rows.len(), 2);
        assert_eq!(take(&mut german), None);
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
            take(&mut sales).as_deref(),
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
            assert_eq!(take(&mut kept), None, "{last:?}");
            assert_eq!(kept.rows.len(), 3);
        }
    }
}
