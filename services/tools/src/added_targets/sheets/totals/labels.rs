//! Names of sums and averages, by their words.

use std::collections::HashSet;

/// Words of a cell that names a sum, and bytes of it.
const MOST_WORDS: usize = 5;
const LONGEST: usize = 80;
/// Texts of other rows that a name is compared with.
const MOST_TEXTS: usize = 10_000;

/// The kind of a row, by its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sum,
    Mean,
    Highest,
    Lowest,
}

impl Kind {
    pub(super) fn is_extreme(self) -> bool {
        matches!(self, Self::Highest | Self::Lowest)
    }
}

/// Words that name an average.
const MEANS: [&str; 10] = [
    "average",
    "mean",
    "ø",
    "durchschnitt",
    "mittelwert",
    "mittel",
    "schnitt",
    "moyenne",
    "promedio",
    "media",
];

/// Words that name a sum, alone or with what it is of: `Total May`, `Mai gesamt`.
const WORDS: [&str; 19] = [
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
    "endsumme",
    "teilsumme",
    "endbetrag",
    "gesamtergebnis",
    "übertrag",
    "σ",
];

/// Of these words those that name other things as well: a department, a size, a cut, a transfer.
const DOUBTFUL: [&str; 4] = ["media", "mittel", "schnitt", "übertrag"];

/// Names of a sum that are not understood by their first or last word.
const NAMES: [&str; 3] = ["totals", "grand total", "total général"];

/// Words that say no more beside these than what is summed up.
const BESIDE: [&str; 34] = [
    "grand",
    "sub",
    "sous",
    "overall",
    "all",
    "of",
    "for",
    "the",
    "and",
    "rows",
    "month",
    "year",
    "week",
    "day",
    "quarter",
    "page",
    "q",
    "q1",
    "q2",
    "q3",
    "q4",
    "monat",
    "jahr",
    "woche",
    "tag",
    "quartal",
    "seite",
    "général",
    "generale",
    "general",
    "mois",
    "amount",
    "value",
    "und",
];

/// Months by the beginning of their names, in English and German.
const MONTHS: [&str; 17] = [
    "jan", "jän", "feb", "mar", "mär", "apr", "may", "mai", "jun", "jul", "aug", "sep", "oct",
    "okt", "nov", "dec", "dez",
];

/// The cell of a row that names a sum, an average or, as its whole text, an extreme.
pub(super) fn named_by(row: &[String]) -> Option<(String, Kind)> {
    let is_short = |cell: &&String| cell.len() <= LONGEST;
    row.iter().filter(is_short).find_map(|cell| {
        let plain = cell.trim_end_matches(':').trim();
        // The sign of a sum is not a letter.
        let plain = plain.replace('∑', "Σ").to_lowercase();
        let words = words(&plain);
        let ends = [words.first()?, words.last()?];
        let has = |known: &[&str]| {
            words.len() <= MOST_WORDS && ends.iter().any(|word| known.contains(word))
        };
        let kind = if NAMES.contains(&plain.as_str()) || has(&WORDS) {
            Kind::Sum
        } else if has(&MEANS) {
            Kind::Mean
        } else {
            match plain.trim_end_matches('.') {
                "max" | "maximum" => Kind::Highest,
                "min" | "minimum" => Kind::Lowest,
                _ => return None,
            }
        };
        Some((cell.clone(), kind))
    })
}

fn words(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether a cell is the name of a month, also with a year.
pub(super) fn is_month(cell: &str) -> bool {
    let starts_with_digit = cell.starts_with(|letter: char| letter.is_ascii_digit());
    if cell.is_empty() || cell.len() > LONGEST || starts_with_digit {
        return false;
    }
    let lower = cell.to_lowercase();
    let mut words = words(&lower).into_iter();
    let is_year = |word: &str| word.len() == 4 && is_number(word);
    words.next().is_some_and(names_month)
        && words.next().is_none_or(is_year)
        && words.next().is_none()
}

fn names_month(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && MONTHS.iter().any(|name| word.starts_with(name))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The texts and columns of the other rows of a table, which distinguish the label of a sum from
/// the name of a person or a company with such a word.
pub(super) struct Labels {
    /// The texts of the other rows, in lower case.
    texts: HashSet<String>,
    /// The columns in which every other row has something.
    always: Vec<bool>,
}

impl Labels {
    pub(super) fn of<'r>(width: usize, others: impl Iterator<Item = &'r Vec<String>>) -> Self {
        let mut labels = Self {
            texts: HashSet::new(),
            always: vec![true; width],
        };
        let mut rows = 0;
        for row in others {
            rows += 1;
            for (column, always) in labels.always.iter_mut().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                *always &= !cell.is_empty();
                if labels.texts.len() < MOST_TEXTS && cell.len() <= LONGEST {
                    labels.texts.insert(cell.to_lowercase());
                }
            }
        }
        if rows < 2 {
            labels.always.fill(false);
        }
        labels
    }

    /// Whether the name of a row can only be the label of a sum or an average: by its words, by
    /// those of another row beside them (`Total North`), or by cells that no other row leaves out.
    pub(super) fn has(&self, name: &str, row: &[String]) -> bool {
        let lower = name.replace('∑', "Σ").to_lowercase();
        let is_total =
            |word: &str| WORDS.contains(&word) || MEANS.contains(&word) || NAMES.contains(&word);
        let words = words(&lower);
        let (totals, others): (Vec<&str>, Vec<&str>) =
            words.into_iter().partition(|word| is_total(word));
        if !totals.is_empty() && totals.iter().all(|word| DOUBTFUL.contains(word)) {
            return self.are_left_out(row);
        }
        let others: Vec<&str> = others
            .into_iter()
            .filter(|word| !BESIDE.contains(word))
            .collect();
        others
            .iter()
            .all(|word| names_month(word) || is_number(word))
            || self.texts.contains(&others.join(" "))
            || self.are_left_out(row)
    }

    /// Whether a row has nothing in a column in which every other row has something.
    pub(super) fn are_left_out(&self, row: &[String]) -> bool {
        let mut columns = self.always.iter().enumerate();
        columns.any(|(column, always)| *always && row.get(column).is_none_or(String::is_empty))
    }
}
