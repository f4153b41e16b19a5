//! The last row of many tables is their sum. As a row among others it would be counted twice.

use super::read::Raw;
use super::types::Guess;

/// Words that name the row.
const WORDS: [&str; 14] = [
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
];

/// Difference to the sum that comes from rounding, as a share of it.
const ROUNDING: f64 = 0.005;

/// Takes the last row away if it says that it is the sum, and is. Returns its word.
pub(super) fn take(table: &mut Raw) -> Option<String> {
    let (last, above) = table.rows.split_last()?;
    if above.len() < 2 {
        return None;
    }
    let is_word = |cell: &&String| {
        let plain = cell.trim_end_matches(':').trim().to_lowercase();
        WORDS.contains(&plain.as_str())
    };
    let word = last.iter().find(is_word)?.clone();
    let mut sums = 0;
    for (at, cell) in last.iter().enumerate() {
        if cell.is_empty() || *cell == word {
            continue;
        }
        let cells = table.rows.iter().filter_map(|row| row.get(at));
        let guess = Guess::of(&cells.clone().map(String::as_str));
        let number = |cell: &String| guess.value(cell)?.parse::<f64>().ok();
        let stated = guess.value(cell).filter(|_| guess.is_number())?;
        let stated: f64 = stated.parse().ok()?;
        let sum: f64 = above
            .iter()
            .filter_map(|row| row.get(at))
            .filter(|cell| !cell.is_empty())
            .filter_map(number)
            .sum();
        if (sum - stated).abs() > ROUNDING * stated.abs().max(1e-9) {
            return None;
        }
        sums += 1;
    }
    if sums == 0 {
        return None;
    }
    table.rows.pop();
    Some(word)
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
        assert_eq!(take(&mut german).as_deref(), Some("Summe:"));
        assert_eq!(german.rows.len(), 2);
        assert_eq!(take(&mut german), None);
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
