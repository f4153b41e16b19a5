//! Words that limit or change what is asked for: "in the morning", "per day", "on Sundays", "more
//! than 2000", "the biggest inverter". A rule has to read each of them; one that no rule reads is
//! named in a refusal, because an answer without it is the answer to another question.
//!
//! They are looked for in what is left of a message when its devices, days and rates are masked,
//! so that a number is read by something, too.

use std::ops::Range;

use chrono::NaiveDate;
use contracts::tools::LoggerSummary;

use super::classify::mentions_error_code;
use super::keywords::Keywords;
use super::loggers::{Finder, masked_between};
use super::text::{Kind, Message, Token, number_word};
use super::{When, dates, figures};

mod amounts;
mod times;
mod words;

pub(super) use words::DEVICES;

/// A kind of limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// A part of a day, or a time of day.
    PartOfDay,
    /// Days picked out of a period: Sundays, workdays.
    Weekdays,
    /// A part of a period that leaves open how many days it has.
    PartOfPeriod,
    /// Several periods with others between them.
    Periods,
    /// Days left out of a period.
    DaysOut,
    /// A figure per day, week or month.
    Series,
    /// A mean instead of a total.
    Average,
    /// A half, a share or a multiple.
    Share,
    /// A property by which devices are picked: the biggest, the newest.
    Property,
    /// A state by which devices or days are picked: the broken inverters, the dead days.
    State,
    /// A number of devices, without saying which.
    Count,
    /// A bound that a figure has to pass.
    Bound,
    /// A currency or a unit to convert to.
    Conversion,
    /// A share that is fed into the grid or used at the site.
    FeedIn,
    /// Other prices than one rate per kWh.
    Prices,
    /// Another factor for carbon dioxide.
    CarbonFactor,
    /// A clause with a time of its own: "before it died".
    Clause,
    /// A number that nothing reads.
    Number,
    /// A site, a device or a day that does not exist.
    Unknown,
    /// Two questions in one message.
    TwoQuestions,
}

/// A limit and its place in the normalized message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limited {
    pub(super) limit: Limit,
    /// The words to name.
    pub(super) words: String,
    /// What to take out of the message so that the rest can be answered.
    pub(super) out: Range<usize>,
}

/// Whether a word is one that a limit is known by.
pub(super) fn knows(word: &str) -> bool {
    [
        words::PARTS_OF_DAY,
        words::WEEKDAYS,
        words::SERIES,
        words::SHARES,
        words::CURRENCIES,
        words::OTHERS,
        words::WEEKDAY,
        words::OTHER_UNITS,
    ]
    .iter()
    .any(|table| table.contains(&word))
}

/// A day of no meaning, at the end of a year so that its months are past.
pub(super) fn meaningless() -> (NaiveDate, NaiveDate) {
    (
        NaiveDate::from_ymd_opt(2025, 12, 31).unwrap_or_default(),
        NaiveDate::from_ymd_opt(2024, 1, 1).unwrap_or_default(),
    )
}

/// A message whose devices, days and rates are masked.
pub(super) struct Masked<'m> {
    pub(super) message: Message<'m>,
    pub(super) days: Vec<Range<usize>>,
    /// The id of the site that is named.
    pub(super) site: Option<String>,
}

/// Masks what `original` names.
pub(super) fn masked<'m>(original: &'m str, loggers: &[LoggerSummary]) -> Masked<'m> {
    let mut message = Message::new(original);
    let mut finder = Finder::new(loggers);
    finder.ids(&mut message);
    figures::take_capacity(&mut message);
    figures::take_rate(&mut message);
    let before = message.text().to_owned();
    super::coverage::mask_days(&mut message, &mut 0);
    let days = masked_between(&before, message.text());
    let (_, site) = finder.rest(&mut message);
    Masked {
        message,
        days,
        site,
    }
}

/// The limits in `original` that no rule reads, in the order of the message.
pub(super) fn find(original: &str, loggers: &[LoggerSummary]) -> Vec<Limited> {
    let Masked {
        message,
        days,
        site,
    } = masked(original, loggers);
    let text = message.text().to_owned();
    let keywords = Keywords::of(&text);
    let whole = Message::new(original);
    let all = Keywords::of(whole.text());
    let scan = Scan {
        tokens: &keywords.tokens,
        days: &days,
        keywords: &keywords,
        all: &all,
        codes: mentions_error_code(&all),
        loggers,
        site: site.as_deref(),
    };
    let mut found: Vec<Limited> = a_day(&whole, &all).into_iter().collect();
    let mut at = 0;
    while at < scan.tokens.len() {
        match scan.limit(at) {
            Some((limit, tokens)) if !tokens.is_empty() => {
                let span = scan.span(&tokens);
                let names = scan.is_mask(tokens.end) && !scan.is_day(tokens.end);
                let first = match limit {
                    _ if names => tokens.start,
                    Limit::Weekdays | Limit::PartOfDay => scan.lead(scan.counted(tokens.start)),
                    _ => scan.lead(tokens.start),
                };
                let out = scan.tokens[first].start..span.end;
                found.push(Limited {
                    limit,
                    words: message.words_of(span).trim().to_owned(),
                    out,
                });
                at = tokens.end;
            }
            _ => at += 1,
        }
    }
    if found.is_empty() && several_periods(&whole, original, loggers) {
        found.extend(days.first().map(|day| Limited {
            limit: Limit::Periods,
            words: whole.words_of(day.clone()).to_owned(),
            out: day.clone(),
        }));
    }
    found
}

/// "kWh a day": the masks hide it, because "a day" may be a number of days, too.
fn a_day(whole: &Message<'_>, all: &Keywords<'_>) -> Option<Limited> {
    if figures::daily_average(all) {
        return None;
    }
    let tokens = &all.tokens;
    let at = tokens.windows(3).position(|three| {
        matches!(
            three[0].text,
            "kwh" | "energy" | "money" | "savings" | "much"
        ) && matches!(three[1].text, "a" | "an" | "/")
            && matches!(three[2].text, "day" | "week" | "month" | "year" | "hour")
    })?;
    // "A week ago" is a day.
    let ago = tokens
        .get(at + 3)
        .is_some_and(|next| matches!(next.text, "ago" | "earlier" | "back" | "before" | "after"));
    if ago {
        return None;
    }
    let span = tokens[at + 1].start..tokens[at + 2].end;
    Some(Limited {
        limit: Limit::Series,
        words: whole.words_of(span.clone()).to_owned(),
        out: span,
    })
}

/// Whether the message names several periods with others between them.
fn several_periods(whole: &Message<'_>, original: &str, loggers: &[LoggerSummary]) -> bool {
    let mut message = whole.clone();
    let mut finder = Finder::new(loggers);
    finder.ids(&mut message);
    figures::take_rate(&mut message);
    let (anchor, earliest) = meaningless();
    let coming = super::question::forecasts(&Keywords::of(whole.text()));
    !coming
        && !original.is_empty()
        && dates::find(&message, anchor, earliest).is_some_and(|found| {
            let apart = matches!(found.when, When::Apart(_)) && !found.mixed;
            // "LTI on 20 November and MEIER on 21 November": each has days of its own.
            let own = found.merged
                && found.more.first().is_some_and(|more| {
                    message
                        .text()
                        .get(found.span.end..more.start)
                        .is_some_and(|between| between.contains('\u{1}'))
                });
            apart || own
        })
}

struct Scan<'t> {
    tokens: &'t [Token<'t>],
    days: &'t [Range<usize>],
    /// Of the masked message.
    keywords: &'t Keywords<'t>,
    /// Of the whole one.
    all: &'t Keywords<'t>,
    codes: bool,
    loggers: &'t [LoggerSummary],
    /// The site that is named.
    site: Option<&'t str>,
}

impl Scan<'_> {
    /// The limit that begins at a token, and its tokens.
    fn limit(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        self.days_out(at)
            .or_else(|| self.part_of_day(at))
            .or_else(|| self.weekdays(at))
            .or_else(|| self.series(at))
            .or_else(|| self.prices(at))
            .or_else(|| self.factor(at))
            .or_else(|| self.bound(at))
            .or_else(|| self.share(at))
            .or_else(|| self.conversion(at))
            .or_else(|| self.clause(at))
            .or_else(|| self.state(at))
            .or_else(|| self.property(at))
            .or_else(|| self.count(at))
            .or_else(|| self.open_part(at))
            .or_else(|| self.number(at))
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| match token.kind {
            Kind::Word => token.text.strip_suffix("'s").unwrap_or(token.text),
            _ => token.text,
        })
    }

    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    fn is_number(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.kind == Kind::Number)
    }

    /// Whether a masked day begins at a token.
    fn is_day(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| self.days.iter().any(|day| day.start == token.start))
    }

    fn is_mask(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is("\u{1}"))
    }

    /// The index after the mask from `at` on.
    fn after_mask(&self, at: usize) -> usize {
        let more = self.tokens[at + 1..].iter();
        at + 1
            + more
                .take_while(|token| token.glued && token.is("\u{1}"))
                .count()
    }

    fn span(&self, tokens: &Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end
    }

    /// The first of the words that count what begins at a token: "the last two Fridays".
    fn counted(&self, at: usize) -> usize {
        let mut first = at;
        while first > 0
            && (self.is_number(first - 1)
                || number_word(self.word(first - 1)).is_some()
                || matches!(
                    self.word(first - 1),
                    "last" | "past" | "previous" | "first" | "next" | "few" | "the"
                ))
        {
            first -= 1;
        }
        first
    }

    /// The first of the small words before a token that go with it when it is taken out.
    fn lead(&self, at: usize) -> usize {
        let mut first = at;
        while first > 0
            && matches!(
                self.word(first - 1),
                "in" | "on"
                    | "at"
                    | "of"
                    | "for"
                    | "by"
                    | "from"
                    | "the"
                    | "and"
                    | "with"
                    | "every"
                    | "each"
                    | "during"
                    | "over"
                    | "to"
                    | "a"
                    | "an"
                    | "before"
                    | "after"
                    | "until"
                    | "between"
                    | "public"
                    | "bank"
                    | "my"
                    | "our"
            )
            && self.tokens[first - 1].end <= self.tokens[first].start
        {
            first -= 1;
        }
        first
    }
}
