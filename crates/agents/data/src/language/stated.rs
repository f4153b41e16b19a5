//! Values that a question states: texts in quotation marks, names ("in Berlin"), and numbers behind
//! a comparison ("over 500"). A query that answers it has them somewhere, whatever it does with
//! them, unless one of its conditions says them in other words.

use agent_kit::number_words;

use super::{
    made_up::Token,
    names::{singular, words},
    untested::{Asked, STEM, UNITS, is_alike, is_time},
};

/// Words before a name.
const BEFORE_NAMES: &[&str] = &[
    "at", "by", "called", "for", "from", "in", "named", "near", "of", "to", "with",
];

/// Words between names, and between a word of [`BEFORE_NAMES`] and a name.
const JOINTS: &[&str] = &["and", "nor", "or", "the"];

/// Words that compare with the number behind them.
const COMPARISONS: &[&[&str]] = &[
    &["above"],
    &["at", "least"],
    &["at", "most"],
    &["below"],
    &["exceed"],
    &["exceeding"],
    &["exceeds"],
    &["than"],
    &["over"],
    &["under"],
];

/// Words before a year.
const BEFORE_YEARS: &[&str] = &["during", "for", "in", "of"];

/// Factors between the number that is said and that of a query: cents, thousands, percent.
const FACTORS: [f64; 5] = [1.0, 100.0, 1_000.0, 0.01, 0.001];

/// Longest text in quotation marks, words.
const LONGEST: usize = 8;

/// A value that a question states.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stated {
    /// The places of its words in the question, and of the words that compare with it.
    pub(super) places: Vec<usize>,
    pub(super) value: Value,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    Quoted(Vec<String>),
    Name(String),
    /// The number, and as it may be meant as well: "1.500".
    Number(Vec<String>),
}

/// The values of a question, in order.
pub(super) fn stated(asked: &[Asked]) -> Vec<Stated> {
    let mut found = quoted(asked);
    let in_quotes = |at: &usize| found.iter().any(|one| one.places.contains(at));
    let free: Vec<usize> = (0..asked.len()).filter(|at| !in_quotes(at)).collect();
    let (names, numbers) = (names(asked, &free), numbers(asked, &free));
    found.extend(names.into_iter().chain(numbers));
    found.sort_by_key(|one| one.places.first().copied());
    found
}

fn quoted(asked: &[Asked]) -> Vec<Stated> {
    const MARKS: [char; 8] = [
        '"', '\'', '`', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}', '\u{ab}',
    ];
    let opens = |one: &Asked| one.raw.trim_start_matches('(').starts_with(MARKS);
    let closes = |one: &Asked| {
        let end = one
            .raw
            .trim_end_matches(['.', ',', '?', '!', ';', ':', ')']);
        end.ends_with(MARKS) || end.ends_with('\u{bb}')
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < asked.len() {
        let last = (at..asked.len().min(at + LONGEST)).find(|last| closes(&asked[*last]));
        let Some(last) = last.filter(|_| opens(&asked[at])) else {
            at += 1;
            continue;
        };
        let said = (at..=last).flat_map(|at| words(&asked[at].text));
        found.push(Stated {
            places: (at..=last).collect(),
            value: Value::Quoted(said.collect()),
        });
        at = last + 1;
    }
    found
}

fn names(asked: &[Asked], free: &[usize]) -> Vec<Stated> {
    // Titles and languages that write every noun with a capital say nothing by capitals.
    let capitals = free.iter().filter(|at| asked[**at].is_capital).count();
    if 3 * capitals > asked.len() + 2 {
        return Vec::new();
    }
    let is_name = |at: usize| {
        let one = &asked[at];
        let mut letters = one.text.chars();
        letters.next().is_some_and(char::is_uppercase)
            && one.text.len() >= STEM - 1
            && letters.clone().any(char::is_lowercase)
            && letters.all(char::is_alphabetic)
            && !is_time(&one.word)
            && at > 0
            && !asked[at - 1].raw.ends_with(['.', '?', '!', ':'])
    };
    let mut found: Vec<Stated> = Vec::new();
    for &at in free {
        let mut before = asked[..at].iter().enumerate().rev();
        let leads = before.find(|(_, one)| !one.is(JOINTS));
        let follows = leads.is_some_and(|(before, one)| {
            one.is(BEFORE_NAMES) || found.iter().any(|name| name.places.contains(&before))
        });
        if follows && is_name(at) {
            found.push(Stated {
                places: vec![at],
                value: Value::Name(asked[at].word.clone()),
            });
        }
    }
    found
}

fn numbers(asked: &[Asked], free: &[usize]) -> Vec<Stated> {
    let compares = |at: usize| {
        let mut known = COMPARISONS.iter();
        known.find_map(|said| {
            let start = at.checked_sub(said.len())?;
            let is_it = asked[start..at]
                .iter()
                .map(|one| one.word.as_str())
                .eq(said.iter().copied());
            is_it.then_some(start)
        })
    };
    let of_time = |at: usize| {
        let next = asked.get(at + 1).map(|one| singular(&one.word));
        next.is_some_and(|next| UNITS.contains(&next.as_str()))
    };
    // "In 2026".
    let dates = |at: usize| {
        let is_year = asked[at].word.len() == 4
            && asked[at].word.bytes().all(|byte| byte.is_ascii_digit())
            && ["19", "20"]
                .iter()
                .any(|century| asked[at].word.starts_with(century));
        let before = at.checked_sub(1).map(|before| &asked[before]);
        is_year && before.is_some_and(|before| before.is(BEFORE_YEARS))
    };
    let found = free.iter().filter_map(|&at| {
        let start = compares(at).or_else(|| dates(at).then_some(at))?;
        let value = number(&asked[at].word).filter(|_| !of_time(at))?;
        // "More than", "less than".
        let start = start.saturating_sub(usize::from(asked[start].word == "than"));
        Some(Stated {
            places: (start..=at).collect(),
            value: Value::Number(value),
        })
    });
    found.collect()
}

/// The readings of a number.
pub(super) fn number(word: &str) -> Option<Vec<String>> {
    if let Some(value) = number_words::value(word) {
        return Some(vec![value.to_string()]);
    }
    let is_number = word
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b".,".contains(&byte))
        && word.starts_with(|first: char| first.is_ascii_digit());
    is_number.then(|| {
        let point = word.replace(',', "");
        let comma = word.replace('.', "").replace(',', ".");
        vec![point, comma]
    })
}

impl Value {
    /// Whether a word of a condition is it.
    pub(super) fn is_said_by(&self, word: &str) -> bool {
        match self {
            Self::Quoted(said) => said.iter().any(|one| singular(one) == word),
            Self::Name(name) => is_alike(&singular(name), word),
            Self::Number(readings) => readings.iter().any(|one| is_same(one, word)),
        }
    }

    /// Whether a query has it, in a text, a name or a number.
    pub(super) fn is_in(&self, tokens: &[Token]) -> bool {
        let has = |word: &dyn Fn(&str) -> bool| {
            tokens.iter().any(|token| match token {
                Token::Text(text) | Token::Word(text) => words(text).iter().any(|one| word(one)),
                Token::Number(number) => word(number),
                Token::Sign(_) => false,
            })
        };
        match self {
            Self::Quoted(said) => {
                let bare = |text: &str| -> String {
                    let letters = text.chars().filter(|one| one.is_alphanumeric());
                    letters.flat_map(char::to_lowercase).collect()
                };
                let said = bare(&said.concat());
                said.is_empty()
                    || tokens.iter().any(|token| match token {
                        Token::Text(text) | Token::Word(text) | Token::Number(text) => {
                            bare(text).contains(&said)
                        }
                        Token::Sign(_) => false,
                    })
            }
            Self::Name(_) => has(&|word| self.is_said_by(&singular(word))),
            Self::Number(_) => has(&|word| self.is_said_by(word)),
        }
    }
}

/// Whether a number of a query is the one that is said, in its unit or another one. "More than
/// five" is six at least.
pub(super) fn is_same(said: &str, number: &str) -> bool {
    let (Ok(said), Ok(number)) = (said.parse::<f64>(), number.parse::<f64>()) else {
        return false;
    };
    let is_near = |factor: &f64| (said * factor - number).abs() <= 1e-9 * said.abs();
    FACTORS.iter().any(is_near) || (said - number).abs() <= 1.0 && said.fract() == 0.0
}
