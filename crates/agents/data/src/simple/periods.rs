//! Days in the words of a condition: "in 2021", "after March 2021", "between 3 May and 9 June",
//! "last year", "in the last 30 days". Words that can mean two things are not read.

use std::sync::LazyLock;

use agent_kit::{calendar, number_words};
use chrono::{Datelike, Days, Months, NaiveDate, TimeDelta};
use regex::Regex;

use crate::language::pattern;

/// Days from the first one on, up to the day behind the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: Option<NaiveDate>,
    pub(super) until: Option<NaiveDate>,
}

/// The day of a question, and what is known of the days that it asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub(super) today: NaiveDate,
    /// Whether they lie ahead: what is due, scheduled or next.
    pub(super) is_ahead: bool,
    /// The last day that the data have.
    pub(super) last: Option<NaiveDate>,
}

impl Clock {
    /// Of days that have been.
    pub(super) fn of(today: NaiveDate) -> Self {
        Self {
            today,
            is_ahead: false,
            last: None,
        }
    }
}

/// The days around a period that a condition names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Within,
    Since,
    After,
    Before,
    Until,
}

static SIDES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?P<side>in|on|during|within|for|of|from|since|starting|after|later than|not before|no earlier than|before|earlier than|prior to|until|till|up to|by|not after|no later than)\s+(?P<rest>.+)$",
    )
});
static RANGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:between\s+(?P<low>.+?)\s+and\s+(?P<high>.+)|from\s+(?P<first>.+?)\s+(?:to|until|till|through)\s+(?P<last>.+))$",
    )
});
static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:in|from)\s+)?(?P<rest>.+?)\s+(?P<side>or later|and later|onwards?|or earlier|and earlier)$",
    )
});
static DAY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<month>[a-z]{3,9})\.?|(?P<name>[a-z]{3,9})\.? (?P<number>\d{1,2})(?:st|nd|rd|th)?)(?:,? (?P<year>\d{4}))?$",
    )
});
static MONTH: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?P<month>[a-z]{3,9})\.?(?:,? (?:of )?(?P<year>\d{4}))?$"));
static QUARTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:q(?P<number>[1-4])|(?P<year_before>\d{4})[ -]q(?P<behind>[1-4])|(?:the )?(?P<word>first|second|third|fourth|1st|2nd|3rd|4th) quarter)(?:,? (?:of )?(?P<year>\d{4}))?$",
    )
});
static RELATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:the )?(?P<which>last|previous|this|current|next|coming) (?P<unit>week|month|quarter|year)$",
    )
});
static PAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:the |these )?(?:last|past|previous) (?P<count>\d{1,3}|[a-z]+) (?P<unit>day|week|month|year)s?$",
    )
});
static COMING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:the |these )?(?:next|coming) (?P<count>\d{1,3}|[a-z]+) (?P<unit>day|week|month|year)s?$",
    )
});

/// The days that the words say; `None` where a word of them is something else.
pub(super) fn read(text: &str, clock: Clock) -> Option<Span> {
    let text = plain(text);
    let text = text.as_str();
    if let Some(found) = RANGE.as_ref()?.captures(text) {
        let part = |one: &str, other: &str| found.name(one).or(found.name(other));
        return range(
            part("low", "first")?.as_str(),
            part("high", "last")?.as_str(),
            clock,
        );
    }
    if let Some(found) = OPEN.as_ref()?.captures(text)
        && let Some(days) = days(&found["rest"], clock)
    {
        let side = if found["side"].contains("earlier") {
            Side::Until
        } else {
            Side::Since
        };
        return Some(side.of(days));
    }
    if let Some(found) = SIDES.as_ref()?.captures(text) {
        let side = match &found["side"] {
            "since" | "starting" | "not before" | "no earlier than" => Side::Since,
            "after" | "later than" => Side::After,
            "before" | "earlier than" | "prior to" => Side::Before,
            "until" | "till" | "up to" | "by" | "not after" | "no later than" => Side::Until,
            _ => Side::Within,
        };
        return Some(side.of(days(&found["rest"], clock)?));
    }
    // Without a word before them, a bare number is rather an amount.
    let is_number = text.chars().all(|c| c.is_ascii_digit());
    days(text, clock)
        .filter(|_| !is_number)
        .map(|days| Side::Within.of(days))
}

/// A year alone, as a word before the things of it: "2021 invoices".
pub(super) fn year(text: &str) -> Option<Span> {
    year_days(text).map(|days| Side::Within.of(days))
}

/// In small letters, with single spaces and without the signs of a possessive.
fn plain(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let text = words.join(" ").replace('’', "'");
    let text = text.trim_end_matches([',', '.']);
    text.strip_suffix("'s")
        .or(text.strip_suffix('\''))
        .unwrap_or(text)
        .to_owned()
}

impl Side {
    fn of(self, (first, last): (NaiveDate, NaiveDate)) -> Span {
        let behind = last.succ_opt();
        let (from, until) = match self {
            Self::Within => (Some(first), behind),
            Self::Since => (Some(first), None),
            Self::After => (behind, None),
            Self::Before => (None, Some(first)),
            Self::Until => (None, behind),
        };
        Span { from, until }
    }
}

/// From the beginning of one period to the end of another.
fn range(low: &str, high: &str, clock: Clock) -> Option<Span> {
    let last = days(high, clock)?;
    // "Between March and May 2021": the year is that of both.
    let shared = high
        .rsplit(' ')
        .next()
        .filter(|word| year_days(word).is_some());
    let whole = shared.map(|year| format!("{low} {year}"));
    let whole = whole.filter(|_| !low.split(' ').any(|word| year_days(word).is_some()));
    let first = whole
        .and_then(|whole| days(&whole, clock))
        .or_else(|| days(low, clock))?;
    let span = Span {
        from: Some(first.0),
        until: last.1.succ_opt(),
    };
    (first.0 <= last.1).then_some(span)
}

/// The first and the last day of a period.
fn days(text: &str, clock: Clock) -> Option<(NaiveDate, NaiveDate)> {
    let text = text.trim();
    let one = |day: NaiveDate| Some((day, day));
    match text {
        "today" => return one(clock.today),
        "yesterday" => return one(clock.today.pred_opt()?),
        "tomorrow" => return one(clock.today.succ_opt()?),
        _ => {}
    }
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return one(day);
    }
    let in_year = text
        .strip_prefix("the year ")
        .or(text.strip_prefix("year "))
        .unwrap_or(text);
    year_days(in_year)
        .or_else(|| day(text, clock))
        .or_else(|| quarter(text, clock))
        .or_else(|| month(text, clock))
        .or_else(|| relative(text, clock))
        .or_else(|| past(text, clock))
        .or_else(|| coming(text, clock))
}

fn year_days(text: &str) -> Option<(NaiveDate, NaiveDate)> {
    let is_year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
    calendar::year_days(text.parse().ok().filter(|_| is_year)?)
}

fn month_number(word: &str) -> Option<u32> {
    calendar::month(|name, short| name == word || short.contains(&word))
}

/// The days of a name without a year: the newest that have begun; of days that lie ahead the next
/// ones, if the data reach as far.
fn nearest(
    clock: Clock,
    of: impl Fn(i32) -> Option<(NaiveDate, NaiveDate)>,
) -> Option<(NaiveDate, NaiveDate)> {
    let (today, year) = (clock.today, clock.today.year());
    let this = of(year)?;
    let newest = if this.0 <= today {
        Some(this)
    } else {
        of(year - 1)
    };
    if !clock.is_ahead {
        return newest;
    }
    let next = if this.1 >= today {
        Some(this)
    } else {
        of(year + 1)
    };
    let (Some(newest), Some(next)) = (newest, next) else {
        return newest.or(next);
    };
    let is_reached = match clock.last {
        Some(last) => next.0 <= last,
        None => next.0 - today <= today - newest.1,
    };
    Some(if is_reached { next } else { newest })
}

fn day(text: &str, clock: Clock) -> Option<(NaiveDate, NaiveDate)> {
    let found = DAY.as_ref()?.captures(text)?;
    let part = |one: &str, other: &str| found.name(one).or(found.name(other)).map(|it| it.as_str());
    let month = month_number(part("month", "name")?)?;
    let number: u32 = part("day", "number")?.parse().ok()?;
    let of = |year: i32| NaiveDate::from_ymd_opt(year, month, number).map(|day| (day, day));
    match found.name("year") {
        Some(year) => of(year.as_str().parse().ok()?),
        None => nearest(clock, of),
    }
}

fn month(text: &str, clock: Clock) -> Option<(NaiveDate, NaiveDate)> {
    let found = MONTH.as_ref()?.captures(text)?;
    let month = month_number(&found["month"])?;
    match found.name("year") {
        Some(year) => calendar::month_days(year.as_str().parse().ok()?, month),
        None => nearest(clock, |year| calendar::month_days(year, month)),
    }
}

fn quarter(text: &str, clock: Clock) -> Option<(NaiveDate, NaiveDate)> {
    let found = QUARTER.as_ref()?.captures(text)?;
    let number = match found.name("word").map(|word| word.as_str()) {
        Some("first" | "1st") => 1,
        Some("second" | "2nd") => 2,
        Some("third" | "3rd") => 3,
        Some(_) => 4,
        None => found
            .name("number")
            .or(found.name("behind"))?
            .as_str()
            .parse()
            .ok()?,
    };
    match found.name("year").or(found.name("year_before")) {
        Some(year) => calendar::quarter_days(year.as_str().parse().ok()?, number),
        None => nearest(clock, |year| calendar::quarter_days(year, number)),
    }
}

/// "Last month", "this year": whole ones of the calendar; weeks begin on Monday.
fn relative(text: &str, clock: Clock) -> Option<(NaiveDate, NaiveDate)> {
    let found = RELATIVE.as_ref()?.captures(text)?;
    let today = clock.today;
    let steps = match &found["which"] {
        "last" | "previous" => -1,
        "next" | "coming" => 1,
        _ => 0,
    };
    let months = |count: u32| match steps {
        -1 => today.checked_sub_months(Months::new(count)),
        1 => today.checked_add_months(Months::new(count)),
        _ => Some(today),
    };
    match &found["unit"] {
        "week" => {
            let monday =
                today.checked_sub_days(Days::new(today.weekday().num_days_from_monday().into()))?;
            let monday = monday.checked_add_signed(TimeDelta::weeks(steps))?;
            Some((monday, monday.checked_add_days(Days::new(6))?))
        }
        "month" => {
            let day = months(1)?;
            calendar::month_days(day.year(), day.month())
        }
        "quarter" => {
            let day = months(3)?;
            calendar::quarter_days(day.year(), day.month0() / 3 + 1)
        }
        _ => calendar::year_days(months(12)?.year()),
    }
}

/// "The next 30 days": today is the first of them.
fn coming(text: &str, clock: Clock) -> Option<(NaiveDate, NaiveDate)> {
    let found = COMING.as_ref()?.captures(text)?;
    let today = clock.today;
    let count = &found["count"];
    let count = count.parse().ok().or_else(|| number_words::value(count))?;
    let behind = match &found["unit"] {
        "day" => today.checked_add_days(Days::new(count.into()))?,
        "week" => today.checked_add_days(Days::new(u64::from(count) * 7))?,
        "month" => today.checked_add_months(Months::new(count))?,
        _ => today.checked_add_months(Months::new(count.checked_mul(12)?))?,
    };
    Some((today, behind.pred_opt()?))
}

/// "The last 30 days": today is the last of them.
fn past(text: &str, clock: Clock) -> Option<(NaiveDate, NaiveDate)> {
    let found = PAST.as_ref()?.captures(text)?;
    let today = clock.today;
    let count = &found["count"];
    let count = count.parse().ok().or_else(|| number_words::value(count))?;
    let before = match &found["unit"] {
        "day" => today.checked_sub_days(Days::new(count.into()))?,
        "week" => today.checked_sub_days(Days::new(u64::from(count) * 7))?,
        "month" => today.checked_sub_months(Months::new(count))?,
        _ => today.checked_sub_months(Months::new(count.checked_mul(12)?))?,
    };
    Some((before.succ_opt()?, today))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_from_words() {
        let today = Clock::of(NaiveDate::from_ymd_opt(2026, 11, 21).unwrap());
        let shown = |day: Option<NaiveDate>| day.map_or("-".to_owned(), |day| day.to_string());
        for (text, from, until) in [
            ("in 2021", "2021-01-01", "2022-01-01"),
            ("of the year 2021", "2021-01-01", "2022-01-01"),
            ("after March 2021", "2021-04-01", "-"),
            ("since March 2021", "2021-03-01", "-"),
            ("before March 2021", "-", "2021-03-01"),
            ("until march 2021", "-", "2021-04-01"),
            ("from 2021 onwards", "2021-01-01", "-"),
            ("in 2021 or later", "2021-01-01", "-"),
            ("on 5 March 2021", "2021-03-05", "2021-03-06"),
            ("on March 5th, 2021", "2021-03-05", "2021-03-06"),
            ("after 2021-03-05", "2021-03-06", "-"),
            ("between March and May 2021", "2021-03-01", "2021-06-01"),
            ("from 1 March to 15 April 2021", "2021-03-01", "2021-04-16"),
            ("between 2019 and 2021", "2019-01-01", "2022-01-01"),
            ("in Q2 2021", "2021-04-01", "2021-07-01"),
            ("in the first quarter of 2021", "2021-01-01", "2021-04-01"),
            ("in December", "2025-12-01", "2026-01-01"),
            ("last year", "2025-01-01", "2026-01-01"),
            ("last year's", "2025-01-01", "2026-01-01"),
            ("this month", "2026-11-01", "2026-12-01"),
            ("last month", "2026-10-01", "2026-11-01"),
            ("last quarter", "2026-07-01", "2026-10-01"),
            ("last week", "2026-11-09", "2026-11-16"),
            ("in the last 30 days", "2026-10-23", "2026-11-22"),
            ("in the past two months", "2026-09-22", "2026-11-22"),
            ("today", "2026-11-21", "2026-11-22"),
            ("yesterday", "2026-11-20", "2026-11-21"),
            ("tomorrow", "2026-11-22", "2026-11-23"),
            ("next month", "2026-12-01", "2027-01-01"),
            ("next week", "2026-11-23", "2026-11-30"),
            ("in the next 30 days", "2026-11-21", "2026-12-21"),
        ] {
            let span = read(text, today).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (shown(span.from), shown(span.until)),
                (from.to_owned(), until.to_owned()),
                "{text}"
            );
        }
        for text in [
            "2021",
            "in Bonn",
            "after the due date",
            "in 31 February 2021",
            "between May 2021 and March 2021",
            "on Fridays",
            "in the evening",
            "last order",
            "over 2021",
        ] {
            assert_eq!(read(text, today), None, "{text}");
        }
    }

    #[test]
    fn days_ahead_are_the_next_ones_that_the_data_reach() {
        let day = |year, month, day| NaiveDate::from_ymd_opt(year, month, day);
        let ahead = |last| Clock {
            today: day(2026, 11, 30).unwrap(),
            is_ahead: true,
            last,
        };
        for (text, last, from) in [
            ("in December", day(2027, 1, 9), day(2026, 12, 1)),
            ("in November", day(2027, 1, 9), day(2026, 11, 1)),
            ("in March", day(2027, 1, 9), day(2026, 3, 1)),
            ("in March", day(2027, 3, 2), day(2027, 3, 1)),
            ("in Q1", day(2027, 1, 9), day(2027, 1, 1)),
            ("on 5 December", day(2027, 1, 9), day(2026, 12, 5)),
            ("on 5 November", day(2027, 1, 9), day(2026, 11, 5)),
            ("in December", None, day(2026, 12, 1)),
            ("in October", None, day(2026, 10, 1)),
            ("in December 2025", day(2027, 1, 9), day(2025, 12, 1)),
        ] {
            let span = read(text, ahead(last)).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(span.from, from, "{text} {last:?}");
        }
    }
}
