//! "More than 100" and `> 10`: numbers of a question that its query does not have, where the query
//! compares with another one, and numbers that are compared with a key.

use super::{
    super::{
        made_up::{Token, is_word},
        names::{singular, words},
        untested::{Asked, UNITS},
    },
    Contradiction,
    comparisons::{self, said},
    parsed::{Comparison, Parsed},
    text,
};

/// Words of columns in another unit than the one that people say, and the factors to that.
const UNIT_COLUMNS: &[(&[&str], &[f64])] = &[
    (&["cent", "cents", "minor"], &[100.0]),
    (
        &[
            "discount",
            "fraction",
            "margin",
            "pct",
            "percent",
            "percentage",
            "rate",
            "ratio",
            "share",
        ],
        &[0.01, 100.0],
    ),
    (
        &[
            "g",
            "gram",
            "k",
            "kg",
            "kilo",
            "km",
            "kw",
            "kwh",
            "m",
            "meter",
            "metre",
            "milli",
            "million",
            "millions",
            "mm",
            "ms",
            "mw",
            "mwh",
            "t",
            "thousand",
            "thousands",
            "ton",
            "tonne",
            "w",
            "watt",
            "wh",
        ],
        &[1000.0, 0.001, 1e6, 1e-6],
    ),
    (
        &[
            "day", "days", "duration", "elapsed", "hour", "hours", "hrs", "min", "mins", "minute",
            "minutes", "month", "months", "sec", "second", "seconds", "time", "week", "weeks",
            "year", "years",
        ],
        TIMES,
    ),
];

/// Factors between units of time.
const TIMES: &[f64] = &[
    60.0, 3_600.0, 86_400.0, 24.0, 1_440.0, 7.0, 30.0, 12.0, 365.0,
];

/// Words behind a number that say its unit.
const SCALES: &[&str] = &[
    "cent",
    "hundred",
    "k",
    "kilo",
    "kilogram",
    "kilometer",
    "kilometre",
    "m",
    "million",
    "billion",
    "percent",
    "thousand",
    "ton",
    "tonne",
];

/// Words before a number that counts results or names a thing.
const LIMITS: &[&str] = &["bottom", "first", "last", "next", "past", "previous", "top"];

/// The numbers of a question in whose place the query has another one, or that it compares with a
/// key.
pub(super) fn contradicted(asked: &[Asked], query: &Parsed<'_>) -> Vec<Contradiction> {
    let known: Vec<f64> = asked.iter().flat_map(|one| values(&one.word)).collect();
    let mut found = Vec::new();
    let compared = said(asked);
    for one in &compared {
        let at = one.number_place(asked);
        found.extend(against(asked, one.places.clone(), at, &known, query));
    }
    for at in 0..asked.len() {
        let is_compared = compared.iter().any(|one| one.places.contains(&at));
        let is_figure = asked[at].word.bytes().all(|byte| byte.is_ascii_digit());
        let counts = at.checked_sub(1).is_some_and(|at| asked[at].is(LIMITS));
        if is_figure && !is_compared && !counts && !counts_time(asked, at) {
            found.extend(against(asked, at..at + 1, at, &known, query));
        }
    }
    found
}

/// The comparison that the query has in the place of a number, or of that number with a key.
fn against(
    asked: &[Asked],
    places: std::ops::Range<usize>,
    at: usize,
    known: &[f64],
    query: &Parsed<'_>,
) -> Option<Contradiction> {
    let said = values(&asked[at].word);
    let near = |value: f64| said.iter().any(|one| is_next(*one, value));
    let fits: Vec<&Comparison> = query
        .comparisons
        .iter()
        .filter(|one| value(one).is_some_and(near))
        .collect();
    let with_key = fits
        .first()
        .filter(|_| places.len() > 1 && fits.iter().all(|one| is_key(one)))
        .filter(|_| {
            !asked
                .iter()
                .any(|one| one.is(&["id", "ids", "key", "number"]))
        });
    let other = || {
        let has = query.tokens.iter().any(|token| match token {
            Token::Number(text) => text.parse().is_ok_and(near),
            Token::Text(text) | Token::Word(text) => {
                words(text).iter().flat_map(|word| values(word)).any(near)
            }
            Token::Sign(_) => false,
        });
        let scales = scales(asked, at);
        let is_scaled = |one: &&Comparison| {
            let factors = factors(one, scales, counts_time(asked, at));
            value(one).is_some_and(|value| {
                let mut said = said.iter();
                said.any(|said| factors.iter().any(|factor| is_same(said * factor, value)))
            })
        };
        if has || query.comparisons.iter().any(|one| is_scaled(&one)) {
            return None;
        }
        let mut others = query.comparisons.iter();
        others.find(|one| {
            let is_unsaid =
                |value: f64| value != 0.0 && !known.iter().any(|known| is_next(*known, value));
            (one.op.orders() || places.len() == 1) && value(one).is_some_and(is_unsaid)
        })
    };
    let reads = with_key.copied().or_else(other)?;
    Some(Contradiction::Words {
        said: text(asked, places),
        reads: reads.written(),
    })
}

/// The readings of a number.
fn values(word: &str) -> Vec<f64> {
    let readings = comparisons::value(word).into_iter().flatten();
    readings.filter_map(|one| one.parse().ok()).collect()
}

fn value(one: &Comparison) -> Option<f64> {
    one.number().and_then(|number| number.parse().ok())
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs()
}

/// "More than five" is six at least.
fn is_next(said: f64, value: f64) -> bool {
    is_same(said, value) || said.fract() == 0.0 && ((said - value).abs() - 1.0).abs() < 1e-9
}

fn counts_time(asked: &[Asked], at: usize) -> bool {
    let next = asked.get(at + 1).map(|one| singular(&one.word));
    next.is_some_and(|next| UNITS.contains(&next.as_str()) || next == "second")
}

/// Whether the number at a place is in a unit or a multiple that a query may write otherwise.
fn scales(asked: &[Asked], at: usize) -> bool {
    let next = asked.get(at + 1).map(|one| singular(&one.word));
    asked[at].raw.contains('%') || next.is_some_and(|next| SCALES.contains(&next.as_str()))
}

/// The factors between the number that is said and that of a comparison.
fn factors(one: &Comparison, scales: bool, counts_time: bool) -> Vec<f64> {
    let said: Vec<String> = one
        .left
        .iter()
        .filter_map(|token| match token {
            Token::Word(word) => Some(words(word)),
            _ => None,
        })
        .flatten()
        .collect();
    let mut all: Vec<f64> = Vec::new();
    for (names, factors) in UNIT_COLUMNS {
        if said.iter().any(|word| names.contains(&word.as_str())) {
            all.extend(*factors);
        }
    }
    if scales {
        all.extend([100.0, 0.01, 1000.0, 0.001, 1e6, 1e9]);
    }
    if counts_time || all.contains(&TIMES[0]) {
        all.extend(TIMES);
        all.extend(TIMES.iter().map(|factor| 1.0 / factor));
    }
    all
}

/// Whether a key is compared: `id > 4`, and not `COUNT(id) > 4`.
fn is_key(one: &Comparison) -> bool {
    let calls =
        one.left.contains(&Token::Sign('(')) || one.left.iter().any(|one| is_word(one, "count"));
    let last = one.left.iter().rev().find_map(|token| match token {
        Token::Word(word) => Some(words(word)),
        _ => None,
    });
    let is_id = last.is_some_and(|name| name.last().is_some_and(|word| word == "id"));
    one.op.orders() && is_id && !calls
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;

    /// A question, a query that answers it, one with another number or on a key, and the words.
    const PAIRS: &[(&str, &str, &str, &str)] = &[
        (
            "Which invoices are more than 100 euros?",
            "SELECT id FROM invoice WHERE amount > 100",
            "SELECT id FROM invoice WHERE amount > 10",
            "more than 100",
        ),
        (
            "Which invoices are more than 100 euros?",
            "SELECT id FROM invoice WHERE amount_cents > 10000",
            "SELECT id FROM invoice WHERE amount > 1",
            "more than 100",
        ),
        (
            "List invoices over 100",
            "SELECT id FROM invoice WHERE amount >= 101",
            "SELECT id FROM invoice WHERE amount > 1000",
            "over 100",
        ),
        (
            "How many invoices exceed 1,000 EUR?",
            "SELECT COUNT(*) FROM invoice WHERE amount > 1000",
            "SELECT COUNT(*) FROM invoice WHERE amount > 990",
            "exceed 1,000",
        ),
        (
            "Which parts have less than 20 in stock?",
            "SELECT name FROM part WHERE stock < 20",
            "SELECT name FROM part WHERE stock < 200",
            "less than 20",
        ),
        (
            "Who worked more than 40 hours?",
            "SELECT name FROM work WHERE minutes > 2400",
            "SELECT name FROM work WHERE id > 4",
            "more than 40",
        ),
        (
            "Which customers have more than five orders?",
            "SELECT c FROM orders GROUP BY c HAVING COUNT(id) > 5",
            "SELECT c FROM orders GROUP BY c HAVING COUNT(id) > 50",
            "more than five",
        ),
        (
            "Which parts have at least 5 units?",
            "SELECT name FROM part WHERE units >= 5",
            "SELECT name FROM part WHERE id >= 5",
            "at least 5",
        ),
        (
            "Which products have a margin above 20 percent?",
            "SELECT name FROM product WHERE margin > 0.2",
            "SELECT name FROM product WHERE margin > 2",
            "above 20",
        ),
        (
            "Who works in crew 7?",
            "SELECT name FROM employee WHERE crewId = 7",
            "SELECT name FROM employee WHERE crewId = 3",
            "7",
        ),
        (
            "Which jobs took longer than 3 days?",
            "SELECT id FROM job WHERE hours > 72",
            "SELECT id FROM job WHERE hours > 30",
            "longer than 3",
        ),
        (
            "Which vans weigh more than 2 tonnes?",
            "SELECT id FROM van WHERE weight > 2000",
            "SELECT id FROM van WHERE weight > 20",
            "more than 2",
        ),
    ];

    #[test]
    fn another_number_and_a_number_on_a_key_are_found() {
        for (question, right, against, words) in PAIRS {
            assert_eq!(said(question, right), [""; 0], "{question} {right}");
            assert_eq!(said(question, against), [*words], "{question} {against}");
        }
    }
}
