//! Days and ranges of days in a message.
//!
//! All days are the site's local days, relative to the anchor (the newest day of data):
//!
//! - "in total", "so far" and "ever" are all days with data, when the message names no others.
//! - "Yesterday", "3 days ago", "last week" and "this month" count from today where the data reach
//!   to yesterday or today; where they ended before, from the anchor, and the answer says so.
//! - "today" is that day, too; "last N days" are the N days that end with it; 24 hours count as a
//!   day, and the answer says so; other numbers of hours are not read.
//! - "last weekend" is the last one that is over, "this weekend" on a Saturday or Sunday the one
//!   that runs.
//! - "last week" is the week from Monday to Sunday before that day's; "past week" are the last 7
//!   days. Month and year alike (30 and 365 days). "This week" runs from Monday to the anchor.
//! - A day or month without a year is the latest one that does not begin after the anchor; in a
//!   forecast the next one from it on.
//! - A period that reaches beyond the anchor ends with it. "From 20 October" runs up to the anchor.
//! - Several mentions are one period where their days follow one another, the narrower where one
//!   lies in the other, and otherwise [`When::Apart`].
//! - `29.11.2025` has the day first, `2025-11-29` the year. Of `11/12/2025` and `1/12 to 3/12` both
//!   readings are possible: all dates of a message are read alike, so that as many as possible lie
//!   within the data, and with the month first when that does not decide.

mod calendar;
mod days;
mod future;
mod lists;
mod neighbours;
mod parts;
mod periods;
mod ranges;

use std::ops::Range;

use chrono::{Datelike, NaiveDate, Weekday};
use contracts::tools::Period;
use serde::{Deserialize, Serialize};

use super::text::{Kind, Message, Token, nearly, number_word};

pub(super) use calendar::month;
pub(super) use future::{Ahead, find_ahead};
pub(super) use neighbours::{beside, part_alone, same_month};

/// When a message speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// One local day.
    Day(NaiveDate),
    /// Several, both ends included.
    Range(Period),
    /// Several days or periods with others between them, in the order of the message.
    Apart(Vec<Period>),
    /// It reads like a date and there is no such day ("Feb 30").
    NotADate {
        /// The person's words.
        phrase: String,
    },
}

/// A mention of days and where it is in the normalized text.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing about the reading, apart from the others"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) when: When,
    /// The place of the first mention.
    pub(super) span: Range<usize>,
    /// The places of further mentions: "in october …, and on 3 november".
    pub(super) more: Vec<Range<usize>>,
    /// Named by its distance from now ("last week"), not by the calendar.
    pub(super) relative: bool,
    /// It could be read in another way: with day and month the other way round, or "mid October".
    pub(super) ambiguous: bool,
    /// "From 20 October", without an end: up to the newest day.
    pub(super) onwards: bool,
    /// Some mentions are by the calendar and others by their distance from now, so that only the
    /// newest day shows how they lie to one another.
    pub(super) mixed: bool,
    /// It is made of more than one mention.
    pub(super) merged: bool,
}

/// The days that mentions are read against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock<'a> {
    /// The newest day of data.
    pub(super) anchor: NaiveDate,
    /// The day that "yesterday" and "last week" count from: today where the data are current,
    /// otherwise the newest day of data.
    pub(super) now: NaiveDate,
    /// The first day of data.
    pub(super) earliest: NaiveDate,
    /// The first day of the data that are intended: where a date with slashes is looked for.
    pub(super) current: NaiveDate,
    /// The first and last day of each device's data: where such a date is looked for next.
    pub(super) spans: &'a [(NaiveDate, NaiveDate)],
}

impl Clock<'_> {
    /// A clock that only has a newest day.
    pub(super) const fn at(anchor: NaiveDate, earliest: NaiveDate) -> Self {
        Self {
            anchor,
            now: anchor,
            earliest,
            current: earliest,
            spans: &[],
        }
    }
}

/// The meaning of a mention, before it becomes a [`When`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Days {
        start: NaiveDate,
        end: NaiveDate,
        year: Year,
        relative: bool,
    },
    Impossible,
}

/// Whether the person said which year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Year {
    Said,
    Guessed,
}

/// A parser's result: what it means and the index of the first token after it.
type Parsed = Option<(Meaning, usize)>;

/// Reads days from tokens.
#[derive(Debug, Clone, Copy)]
struct Reader<'t> {
    tokens: &'t [Token<'t>],
    anchor: NaiveDate,
    /// The day that "yesterday" counts from; see [`Clock::now`].
    now: NaiveDate,
    earliest: NaiveDate,
    /// The first day of the data that are intended: where a date with slashes is looked for.
    current: NaiveDate,
    /// See [`Clock::spans`].
    spans: &'t [(NaiveDate, NaiveDate)],
    /// The message asks for a forecast: guess years and weekdays forwards.
    ahead: bool,
    /// Which of day and month stands first where slashes part them.
    order: Order,
}

/// Which of day and month stands first where slashes part them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    MonthFirst,
    DayFirst,
}

/// Other mentions than the first that one message may have.
const MORE: usize = 6;

/// The mention of days in `message`.
pub(super) fn find(message: &Message<'_>, anchor: NaiveDate, earliest: NaiveDate) -> Option<Found> {
    find_as(message, &Clock::at(anchor, earliest), false)
}

/// The same, read against a clock.
pub(super) fn find_by(message: &Message<'_>, clock: &Clock<'_>) -> Option<Found> {
    find_as(message, clock, false)
}

/// The same in a message that asks for a forecast.
pub(super) fn find_coming(message: &Message<'_>, now: NaiveDate) -> Option<Found> {
    find_as(message, &Clock::at(now, now), true)
}

fn find_as(message: &Message<'_>, clock: &Clock<'_>, ahead: bool) -> Option<Found> {
    let tokens = message.tokens();
    let mut reader = Reader {
        tokens: &tokens,
        anchor: clock.anchor,
        now: clock.now,
        earliest: clock.earliest,
        current: clock.current,
        spans: clock.spans,
        ahead,
        order: Order::MonthFirst,
    };
    reader.order = reader.order_of_slashes();
    let alone = |found: Parsed, at: usize| found.map(|(meaning, next)| (at, vec![meaning], next));
    let strong = |from: usize| {
        (from..tokens.len()).find_map(|at| {
            let (meanings, next) = reader.listed(at)?;
            Some((at, meanings, next))
        })
    };
    let weak = || {
        let all = 0..tokens.len();
        let newest = all.clone().find_map(|at| alone(reader.newest(at), at));
        newest.or_else(|| {
            let mut total = all.clone().filter(|_| !ahead);
            total.find_map(|at| alone(reader.in_total(at), at))
        })
    };
    let (at, mut meanings, next) = strong(0).or_else(weak)?;
    let span = tokens[at].start..tokens[next - 1].end;
    let onwards = meanings.len() == 1
        && reader
            .open_from(at)
            .is_some_and(|(_, open_end)| open_end == next);
    let mut more = Vec::new();
    let mut end = next;
    while !ahead
        && more.len() < MORE
        && let Some((at, others, next)) = strong(end)
    {
        more.push(tokens[at].start..tokens[next - 1].end);
        meanings.extend(others);
        end = next;
    }
    let ambiguous = (at..next).any(|at| {
        let slashed = reader
            .slashes(at)
            .is_some_and(|(one, other, _)| one <= 12 && other <= 12 && one != other);
        slashed || reader.loosely(at).is_some() || reader.is_loose(at)
    });
    let is_relative = |meaning: &Meaning| matches!(meaning, Meaning::Days { relative: true, .. });
    let mixed = meanings.iter().any(is_relative) && !meanings.iter().all(is_relative);
    let together = lists::together(&meanings).unwrap_or_else(|| {
        let phrase = message.words_of(span.clone()).to_owned();
        lists::Together {
            when: When::NotADate { phrase },
            relative: false,
            merged: false,
        }
    });
    let lists::Together {
        mut when,
        relative,
        merged,
    } = together;
    if let When::Range(period) = &mut when
        && period.start <= clock.anchor
        && period.end > clock.anchor
        && period.end <= clock.now
    {
        // A period up to today ends with the newest day of data that is in it.
        period.end = clock.anchor;
        if period.start == period.end {
            when = When::Day(clock.anchor);
        }
    }
    Some(Found {
        when,
        span,
        more,
        relative,
        ambiguous,
        onwards,
        mixed,
        merged,
    })
}

impl When {
    /// The days, a single one being a range of one; `None` if it is not a date.
    pub(crate) fn period(&self) -> Option<Period> {
        match self {
            Self::Day(day) => Some(Period {
                start: *day,
                end: *day,
            }),
            Self::Range(period) => Some(*period),
            Self::Apart(_) | Self::NotADate { .. } => None,
        }
    }
}

impl<'t> Reader<'t> {
    /// Of a text whose words matter, and no calendar.
    fn plain(tokens: &'t [Token<'t>]) -> Self {
        Self {
            tokens,
            anchor: NaiveDate::MIN,
            now: NaiveDate::MIN,
            earliest: NaiveDate::MIN,
            current: NaiveDate::MIN,
            spans: &[],
            ahead: false,
            order: Order::MonthFirst,
        }
    }

    /// Whether a person may mean other days by the word at `at`: a weekend on a Saturday or Sunday,
    /// and hours.
    fn is_loose(&self, at: usize) -> bool {
        let runs = matches!(self.now.weekday(), Weekday::Sat | Weekday::Sun);
        self.is(at, &["weekend"]) && runs || self.is(at, &["hours", "hrs"])
    }

    /// A day or a period, not a range of two.
    fn mention(&self, at: usize) -> Parsed {
        self.period(at).or_else(|| self.day(at))
    }

    /// "Latest", "most recent": the newest day. Only when the message names no other.
    fn newest(&self, at: usize) -> Parsed {
        let words = match self.word(at)? {
            "latest" | "newest" => 1,
            "most" if self.is(at + 1, &["recent"]) => 2,
            "last" if self.is(at + 1, &["available", "known", "recorded"]) => 2,
            _ => return None,
        };
        // "The newest inverter" names a device, by a property that no rule reads.
        let event = self.is(
            at + words,
            &[
                "outage", "outages", "fault", "failure", "error", "problem", "downtime",
            ],
        );
        if event || self.is(at + words, DEVICES) {
            return None;
        }
        let day = usize::from(self.is(at + words, &["day", "date", "data", "available", "one"]));
        one(self.anchor, at + words + day)
    }

    fn token(&self, at: usize) -> Option<&'t Token<'t>> {
        self.tokens.get(at)
    }

    /// The word at `at`, without a genitive.
    fn word(&self, at: usize) -> Option<&'t str> {
        let token = self.token(at).filter(|token| token.kind == Kind::Word)?;
        Some(token.text.strip_suffix("'s").unwrap_or(token.text))
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.word(at).is_some_and(|word| words.contains(&word))
    }

    fn mark(&self, at: usize, marks: &[&str]) -> bool {
        self.token(at)
            .is_some_and(|token| token.kind == Kind::Mark && marks.contains(&token.text))
    }

    /// Whether the word before `at` is one of `words`.
    fn after(&self, at: usize, words: &[&str]) -> bool {
        at.checked_sub(1)
            .is_some_and(|before| self.is(before, words))
    }

    /// A number of `digits` digits.
    fn number(&self, at: usize, digits: Range<usize>) -> Option<u32> {
        let token = self.token(at)?;
        if digits.contains(&token.text.len()) {
            token.number()
        } else {
            None
        }
    }

    /// "3", "three", "a couple of", "few".
    fn count(&self, at: usize) -> Option<(u32, usize)> {
        if let Some(number) = self.number(at, 1..5) {
            // "7-day" is seven days.
            let dash = usize::from(
                self.mark(at + 1, &["-"])
                    && self
                        .token(at + 2)
                        .is_some_and(|next| next.glued && next.kind == Kind::Word),
            );
            return Some((number, at + 1 + dash));
        }
        let word = self.word(at)?;
        if word == "a" && self.is(at + 1, &["couple", "few"]) {
            return self.count(at + 1);
        }
        let number = match word {
            "a" | "an" | "one" => 1,
            "few" => 3,
            "couple" => return Some((2, at + 1 + usize::from(self.is(at + 1, &["of"])))),
            _ => number_word(word)?,
        };
        Some((number, at + 1))
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "every caller returns it as its own result"
)]
fn one(day: NaiveDate, next: usize) -> Parsed {
    Some((
        Meaning::Days {
            start: day,
            end: day,
            year: Year::Said,
            relative: true,
        },
        next,
    ))
}

/// Words that a device is called by.
const DEVICES: &[&str] = &[
    "inverter",
    "inverters",
    "device",
    "devices",
    "logger",
    "loggers",
    "meter",
    "meters",
    "unit",
    "units",
    "system",
    "systems",
    "site",
    "sites",
    "plant",
    "plants",
    "panel",
    "panels",
];

/// Whether `word` is `name`, a shorter form of it, or a slip.
fn names(word: &str, name: &str, short: &[&str]) -> bool {
    word == name || short.contains(&word) || nearly(word, name)
}
