//! Time ranges in text, as absolute days.
//!
//! Days are inclusive at both ends. What is relative counts from the `today` that the caller gives:
//!
//! - "Last week", "past week": from the same weekday of the week before to today, both included.
//!   "Next week" is as far ahead.
//! - "Last 7 days", and every "last N days | weeks | months | years": as long as it says, today
//!   included. "Next N days" are as far ahead. Hours become whole days.
//! - "Last month", "last quarter", "last year" and "next …": the calendar's, whole; "past month" is
//!   one month back to today. "Previous week" and "last calendar week" are Monday to Sunday.
//! - "This week | month | quarter | year": the whole of it, also the days to come (planned arrivals
//!   lie there); "so far" and "to date" end today.
//! - A day, month or quarter without a year is the newest that has begun, or begins within a month;
//!   where the words look ahead ("planned for March"), the next one.
//! - "The end of March" is its last day behind "by", "until", "before" and "from", otherwise the
//!   last third of the month, as "the beginning of" and "mid" are the other two.
//! - "Since" ends today; "after" has no end, "before" and "until" no beginning ([`OPEN_END`],
//!   [`OPEN_START`]).
//!
//! Not shared with the site assistant's grammar: that one stops at the newest day of its data,
//! looks ahead only to forecast, and its last week runs from Monday to Sunday.

mod calendar;
mod days;
mod parts;
mod periods;
mod ranges;
#[cfg(test)]
mod tests;

use std::ops::Range;

use chrono::NaiveDate;

use super::text::{Kind, Token, between, nearly, number_word, tokens};

/// The first day of a range without a beginning ("before March").
pub const OPEN_START: NaiveDate = match NaiveDate::from_ymd_opt(1900, 1, 1) {
    Some(day) => day,
    None => NaiveDate::MIN,
};
/// The last day of a range without an end ("after March").
pub const OPEN_END: NaiveDate = match NaiveDate::from_ymd_opt(2199, 12, 31) {
    Some(day) => day,
    None => NaiveDate::MAX,
};

/// Words that name a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeMention {
    /// The position, in bytes.
    pub span: Range<usize>,
    /// The same with the preposition before them: `in March`.
    pub phrase: Range<usize>,
    /// The words as they are written.
    pub words: String,
    /// The days that they mean, or why they mean none.
    pub meaning: Result<Days, NotADate>,
}

/// Days, inclusive at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first.
    pub start: NaiveDate,
    /// The last.
    pub end: NaiveDate,
    /// The words count from today.
    pub relative: bool,
    /// The words have no year, and the nearest that makes sense was taken.
    pub year_guessed: bool,
}

/// Words that look like a date and are none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotADate {
    /// Why, a sentence for the person.
    pub reason: String,
}

impl Days {
    fn new(start: NaiveDate, end: NaiveDate) -> Self {
        Self {
            start,
            end,
            relative: false,
            year_guessed: false,
        }
    }

    fn relative(start: NaiveDate, end: NaiveDate) -> Self {
        Self {
            relative: true,
            ..Self::new(start, end)
        }
    }

    /// As a phrase with its preposition: `between 2025-01-08 and 2025-01-15`.
    pub fn phrase(&self) -> String {
        let (start, end) = (self.start, self.end);
        if start == end {
            format!("on {start}")
        } else if start == OPEN_START {
            format!("until {end}")
        } else if end == OPEN_END {
            format!("after {}", start.pred_opt().unwrap_or(start))
        } else {
            format!("between {start} and {end}")
        }
    }
}

/// The times that `text` names, in order.
pub fn find(text: &str, today: NaiveDate) -> Vec<TimeMention> {
    find_in(text, &tokens(text), today)
}

/// The same of a text that is cut into tokens.
pub(super) fn find_in(text: &str, tokens: &[Token], today: NaiveDate) -> Vec<TimeMention> {
    let reader = Reader {
        tokens,
        today,
        ahead: looks_ahead(tokens),
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((meaning, next)) = reader.range(at) else {
            at += 1;
            continue;
        };
        let mention = &tokens[at..next];
        let words = between(text, mention);
        let (start, end) = (mention[0].start, mention[mention.len() - 1].end);
        found.push(TimeMention {
            span: start..end,
            phrase: reader.preposition(at).unwrap_or(start)..end,
            words: words.to_owned(),
            meaning: meaning.map_err(|why| NotADate {
                reason: format!("“{words}” {why}"),
            }),
        });
        at = next;
    }
    found
}

/// Days, or why there are none: the rest of a sentence that begins with the words.
type Meaning = Result<Days, String>;

/// The meaning of the tokens from one place on, and the first token behind them.
type Parsed = Option<(Meaning, usize)>;

#[expect(
    clippy::unnecessary_wraps,
    reason = "the readers of the grammar return it as it is"
)]
fn found(days: Option<Days>, next: usize) -> Parsed {
    Some((
        days.ok_or_else(|| "is beyond the calendar.".to_owned()),
        next,
    ))
}

/// Whether the words look for what is to come.
fn looks_ahead(tokens: &[Token]) -> bool {
    const AHEAD: &[&str] = &[
        "will",
        "upcoming",
        "planned",
        "scheduled",
        "expected",
        "due",
        "eta",
        "future",
        "coming",
        "arriving",
        "departing",
        "forecast",
    ];
    const BACK: &[&str] = &[
        "arrived",
        "departed",
        "delivered",
        "was",
        "were",
        "shipped",
        "left",
        "did",
        "had",
        "actual",
        "happened",
    ];
    tokens.iter().any(|token| token.is(AHEAD)) && !tokens.iter().any(|token| token.is(BACK))
}

/// Reads times out of tokens.
struct Reader<'t> {
    tokens: &'t [Token],
    today: NaiveDate,
    ahead: bool,
}

impl<'t> Reader<'t> {
    fn token(&self, at: usize) -> Option<&'t Token> {
        self.tokens.get(at)
    }

    fn word(&self, at: usize) -> Option<&'t str> {
        self.token(at)
            .filter(|token| token.is_word())
            .map(|token| token.text.as_str())
    }

    fn is(&self, at: usize, texts: &[&str]) -> bool {
        self.token(at).is_some_and(|token| token.is(texts))
    }

    /// Whether the token before `at` is one of these.
    fn after(&self, at: usize, texts: &[&str]) -> bool {
        at.checked_sub(1)
            .is_some_and(|before| self.is(before, texts))
    }

    /// The number at `at`, if it has this number of digits.
    fn digits(&self, at: usize, digits: Range<usize>) -> Option<u32> {
        self.token(at)
            .filter(|token| token.kind == Kind::Number && digits.contains(&token.text.len()))?
            .number()
    }

    /// Whether the tokens `at + 1 .. at + count` touch.
    fn touching(&self, at: usize, count: usize) -> bool {
        (at + 1..at + count).all(|at| self.token(at).is_some_and(|token| token.glued))
    }

    /// A number in digits or as a word.
    fn count(&self, at: usize) -> Option<u32> {
        let token = self.token(at)?;
        token.number().or_else(|| number_word(&token.text))
    }

    /// The beginning of the preposition before the time at `at`.
    fn preposition(&self, at: usize) -> Option<usize> {
        const BEFORE: &[&str] = &[
            "in", "on", "during", "for", "over", "within", "of", "at", "from",
        ];
        let mut at = at;
        if self.after(at, &["the"]) {
            at -= 1;
        }
        self.after(at, BEFORE).then(|| self.tokens[at - 1].start)
    }
}

/// Whether `word` is `name`, one of its `short` forms, or `name` with a slip of the finger.
fn names(word: &str, name: &str, short: &[&str]) -> bool {
    word == name || short.contains(&word) || nearly(word, name)
}
