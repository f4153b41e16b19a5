//! Whether a model's rewrite may be taken.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::{find_words, words};
use crate::language::dates::{self, OPEN_END, OPEN_START};
use crate::language::text::{Kind, number_word, tokens};

/// Why a model's rewrite is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// It is much longer than the request.
    #[error("it is too long")]
    TooLong,
    /// A name of the request is not in it.
    #[error("{0} is missing")]
    Lost(String),
    /// It has a number or a day that the request does not have and that does not follow from it.
    #[error("{0} was not asked for")]
    Invented(String),
}

/// Words of a request that are not conditions.
const PLAIN: &[&str] = &[
    "a", "all", "an", "and", "are", "as", "at", "between", "by", "can", "count", "data", "did",
    "display", "do", "does", "during", "each", "every", "find", "for", "from", "get", "give",
    "had", "has", "have", "how", "i", "in", "is", "it", "its", "list", "many", "me", "much", "my",
    "of", "on", "our", "per", "please", "record", "request", "result", "retrieve", "said", "same",
    "see", "show", "tell", "that", "the", "their", "them", "there", "these", "they", "this",
    "those", "to", "us", "was", "were", "what", "when", "where", "which", "who", "whose", "with",
    "you",
];

/// Whether a model's `rewritten` may take the place of `original`: no name of `mentions` is lost,
/// no number or day is new, and no word is, for it may be a condition that was not asked for.
/// Whatever the model was shown and may use (the request before) belongs to `original`; of `said`,
/// what else was said in the conversation, it may use the names.
pub fn check_rewrite(
    original: &str,
    rewritten: &str,
    mentions: &[&str],
    said: &str,
    today: NaiveDate,
) -> Result<(), Refused> {
    let conversation = said;
    if words(rewritten).is_empty() {
        return Err(Refused::Empty);
    }
    if rewritten.len() > original.len() * 3 + 200 {
        return Err(Refused::TooLong);
    }
    let said = tokens(rewritten);
    for mention in mentions {
        let wanted = words(mention);
        if !wanted.is_empty() && find_words(&said, &wanted).is_none() {
            return Err(Refused::Lost((*mention).to_owned()));
        }
    }
    let known = Known::of(original, today);
    let times = dates::find(rewritten, today);
    for time in &times {
        let new = match &time.meaning {
            Ok(days) => !known.has_day(days.start) || !known.has_day(days.end),
            Err(_) => true,
        };
        if new {
            return Err(Refused::Invented(time.words.clone()));
        }
    }
    let figure = said.iter().find(|token| {
        token.kind == Kind::Number
            && !times.iter().any(|time| time.span.contains(&token.start))
            && !known.numbers.contains(plain(&token.text))
    });
    if let Some(token) = figure {
        return Err(Refused::Invented(token.text.clone()));
    }
    let roots = |text: &str| -> BTreeSet<String> {
        let all = tokens(text);
        all.iter().map(|token| root(&token.text)).collect()
    };
    let mut known = roots(original);
    for name in mentions {
        known.extend(roots(name));
    }
    let names = roots(conversation);
    let mut first = true;
    for token in said.iter().filter(|token| token.kind == Kind::Word) {
        let begins = std::mem::take(&mut first);
        let is_name = !begins && token.capital;
        let root = root(&token.text);
        let of_time = times.iter().any(|time| time.phrase.contains(&token.start));
        let is_known = known.contains(&root)
            || PLAIN.contains(&token.text.as_str())
            || is_name && names.contains(&root);
        if !of_time && !is_known {
            return Err(Refused::Invented(token.text.clone()));
        }
    }
    Ok(())
}

/// A word without its usual ends, near enough to compare words.
fn root(word: &str) -> String {
    let lower = word.to_lowercase();
    let ends = ["ing", "ied", "ies", "ed", "es", "s"];
    let mut stems = ends.iter().filter_map(|end| lower.strip_suffix(end));
    let stem = stems.next().filter(|stem| stem.len() > 2);
    let stem = stem.unwrap_or(&lower);
    stem.trim_end_matches(['e', 'y']).to_owned()
}

/// The numbers and days of a request.
struct Known {
    numbers: BTreeSet<String>,
    days: BTreeSet<NaiveDate>,
}

impl Known {
    fn of(original: &str, today: NaiveDate) -> Self {
        let all = tokens(original);
        let digits = all
            .iter()
            .filter(|token| token.kind == Kind::Number)
            .map(|token| plain(&token.text).to_owned());
        let spelled = all
            .iter()
            .filter_map(|token| number_word(&token.text))
            .map(|number| number.to_string());
        let times = dates::find(original, today);
        let days = times.into_iter().filter_map(|time| time.meaning.ok());
        Self {
            numbers: digits.chain(spelled).collect(),
            days: days.flat_map(|days| [days.start, days.end]).collect(),
        }
    }

    fn has_day(&self, day: NaiveDate) -> bool {
        day == OPEN_START || day == OPEN_END || self.days.contains(&day)
    }
}

/// Digits without zeros before them.
fn plain(digits: &str) -> &str {
    let plain = digits.trim_start_matches('0');
    if plain.is_empty() { "0" } else { plain }
}
