//! Days in the words of a condition: "in 2021", "after March 2021", "between 3 May and 9 June",
//! "last year", "in the last 30 days". Words that can mean two things are not read.

use std::sync::LazyLock;

use agent_kit::{calendar, number_words};
use chrono::{Datelike, Days, Months, NaiveDate};
use regex::Regex;

use crate::language::pattern;

/// Days from the first one on, up to the day behind the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: Option<NaiveDate>,
    pub(super) until: Option<NaiveDate>,
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
    pattern(r"^(?:the )?(?P<which>last|previous|this|current) (?P<unit>week|month|quarter|year)$")
});
static PAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:the |these )?(?:last|past|previous) (?P<count>\d{1,3}|[a-z]+) (?P<unit>day|week|month|year)s?$",
    )
});

/// The days that the words say; `None` where a word of them is something else.
pub(super) fn read(text: &str, today: NaiveDate) -> Option<Span> {
    let text = plain(text);
    let text = text.as_str();
    if let Some(found) = RANGE.as_ref()?.captures(text) {
        let part = |one: &str, other: &str| found.name(one).or(found.name(other));
        return range(
            part("low", "first")?.as_str(),
            part("high", "last")?.as_str(),
            today,
        );
    }
    if let Some(found) = OPEN.as_ref()?.captures(text)
        && let Some(days) = days(&found["rest"], today)
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
        return Some(side.of(days(&found["rest"], today)?));
    }
    // Without a word before them, a bare number is rather an amount.
    let is_number = text.chars().all(|c| c.is_ascii_digit());
    days(text, today)
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
fn range(low: &str, high: &str, today: NaiveDate) -> Option<Span> {
    let last = days(high, today)?;
    // "Between March and May 2021": the year is that of both.
    let shared = high
        .rsplit(' ')
        .next()
        .filter(|word| year_days(word).is_some());
    let whole = shared.map(|year| format!("{low} {year}"));
    let whole = whole.filter(|_| !low.split(' ').any(|word| year_days(word).is_some()));
    let first = whole
        .and_then(|whole| days(&whole, today))
        .or_else(|| days(low, today))?;
    let span = Span {
        from: Some(first.0),
        until: last.1.succ_opt(),
    };
    (first.0 <= last.1).then_some(span)
}

/// The first and the last day of a period.
fn days(text: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let text = text.trim();
    let one = |day: NaiveDate| Some((day, day));
    match text {
        "today" => return one(today),
        "yesterday" => return one(today.pred_opt()?),
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
        .or_else(|| day(text, today))
        .or_else(|| quarter(text, today))
        .or_else(|| month(text, today))
        .or_else(|| relative(text, today))
        .or_else(|| past(text, today))
}

fn year_days(text: &str) -> Option<(NaiveDate, NaiveDate)> {
    let is_year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
    calendar::year_days(text.parse().ok().filter(|_| is_year)?)
}

fn month_number(word: &str) -> Option<u32> {
    calendar::month(|name, short| name == word || short.contains(&word))
}

/// The newest of the days of a name without a year that has begun.
fn newest(
    today: NaiveDate,
    of: impl Fn(i32) -> Option<(NaiveDate, NaiveDate)>,
) -> Option<(NaiveDate, NaiveDate)> {
    let this = of(today.year())?;
    if this.0 <= today {
        Some(this)
    } else {
        of(today.year() - 1)
    }
}

fn day(text: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let found = DAY.as_ref()?.captures(text)?;
    let part = |one: &str, other: &str| found.name(one).or(found.name(other)).map(|it| it.as_str());
    let month = month_number(part("month", "name")?)?;
    let number: u32 = part("day", "number")?.parse().ok()?;
    let of = |year: i32| NaiveDate::from_ymd_opt(year, month, number).map(|day| (day, day));
    match found.name("year") {
        Some(year) => of(year.as_str().parse().ok()?),
        None => newest(today, of),
    }
}

fn month(text: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let found = MONTH.as_ref()?.captures(text)?;
    let month = month_number(&found["month"])?;
    match found.name("year") {
        Some(year) => calendar::month_days(year.as_str().parse().ok()?, month),
        None => newest(today, |year| calendar::month_days(year, month)),
    }
}

fn quarter(text: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
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
        None => newest(today, |year| calendar::quarter_days(year, number)),
    }
}

/// "Last month", "this year": whole ones of the calendar; weeks begin on Monday.
fn relative(text: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let found = RELATIVE.as_ref()?.captures(text)?;
    let is_last = matches!(&found["which"], "last" | "previous");
    let months = |count: u32| {
        if is_last {
            today.checked_sub_months(Months::new(count))
        } else {
            Some(today)
        }
    };
    match &found["unit"] {
        "week" => {
            let back =
                u64::from(today.weekday().num_days_from_monday()) + if is_last { 7 } else { 0 };
            let monday = today.checked_sub_days(Days::new(back))?;
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

/// "The last 30 days": today is the last of them.
fn past(text: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let found = PAST.as_ref()?.captures(text)?;
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
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
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
}
