//! Whether the figures of a text are those of the facts.
//!
//! A text may name a fact in another unit (W as kW, a share as percent) and rounded to the places
//! that it shows. Ids, codes, days and times of the facts may be quoted. Any other figure is
//! unsupported. Numbers in words ("three") are not looked at.
//!
//! ```
//! use agent_kit::figures::{Known, unsupported};
//! use serde_json::json;
//!
//! let facts = json!({"loggerId": "GW-INV-001", "energyKwh": 1234.56, "date": "2025-12-04"});
//! let known = Known::of(&facts);
//! assert!(unsupported("GW-INV-001 made 1,235 kWh on 4 December 2025.", &known).is_empty());
//! assert_eq!(unsupported("It made 1,300 kWh.", &known)[0].text, "1,300 kWh");
//! ```

mod known;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use chrono::{Datelike, Month, NaiveDate, NaiveTime, Timelike};
use regex::Regex;

pub use known::Known;

/// A figure in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its value, without a sign.
    pub value: f64,
    /// Places after the point.
    pub decimals: usize,
    /// The unit of the figure.
    pub unit: Unit,
    /// As it is written, unit included.
    pub text: String,
    /// The position, in bytes.
    pub span: Range<usize>,
}

/// The unit of a figure, as far as it decides which other units the same fact may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// W, kW, MW, GW, and the same with h: the power of ten of the prefix.
    Watts(i32),
    /// g, kg or t: the power of ten against kg.
    Mass(i32),
    /// Percent or percentage points.
    Percent,
    /// Seconds, minutes or hours: how many of them make an hour.
    PerHour(u32),
    /// Hundredths of a currency.
    Cents,
    /// Anything else.
    None,
}

/// The factors between a fact and its text in `unit`.
fn scales(unit: Unit) -> Vec<f64> {
    match unit {
        // The fact may be in W or in kW, the text in any of them.
        Unit::Watts(power) => [0, 3].map(|fact: i32| 10_f64.powi(fact - power)).to_vec(),
        Unit::Mass(power) => vec![10_f64.powi(-power)],
        Unit::Percent | Unit::Cents => vec![1.0, 100.0],
        // The fact may be in minutes or in hours.
        Unit::PerHour(parts) => vec![f64::from(parts) / 60.0, f64::from(parts)],
        Unit::None => vec![1.0],
    }
}

/// A number and what may follow it: the unit decides.
static FIGURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<unit>[  ]?(?:%|percent(?:age)?|[kMG]?Wh?p?\b|kg\b|g\b|t\b|tonnes?\b|minutes?\b|min\b|hours?\b|h\b|seconds?\b|ct\b|cents?\b))?").ok()
});
/// `4 December 2025`, `4th of December`.
static DAY_MONTH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?(?P<month>[A-Z][a-z]{2,8})\b\.?,?(?: (?P<year>\d{4}))?").ok()
});
/// `December 4, 2025`, `Dec 4`, `December 2025`.
static MONTH_DAY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?P<month>[A-Z][a-z]{2,8})\.? (?:(?P<day>\d{1,2})(?:st|nd|rd|th)?\b(?:,? (?P<year>\d{4}))?|(?P<whole>\d{4}))").ok()
});
/// `2025-12-04`.
static ISO: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b\d{4}-\d{2}-\d{2}\b").ok());
/// `13:45`.
static CLOCK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2})?\b").ok());

/// Every figure in `text`. Digits that belong to a word ("CO2", "GW-INV-001") are none.
pub fn numbers_in(text: &str) -> Vec<Figure> {
    let Some(pattern) = FIGURE.as_ref() else {
        return Vec::new();
    };
    pattern
        .captures_iter(text)
        .filter_map(|captures| {
            let number = captures.name("number")?;
            let whole = captures.get(0)?;
            let before = text[..number.start()].chars().next_back();
            let after = text[whole.end()..].chars().next();
            let hyphen = before.is_some_and(|c| c == '-' || c == '_')
                && text[..number.start() - 1]
                    .chars()
                    .next_back()
                    .is_some_and(char::is_alphanumeric);
            let in_word = hyphen
                || before.is_some_and(char::is_alphanumeric)
                || captures.name("unit").is_none() && after.is_some_and(char::is_alphabetic);
            if in_word {
                return None;
            }
            let plain = number.as_str().replace(',', "");
            Some(Figure {
                value: plain.parse().ok()?,
                decimals: plain
                    .split_once('.')
                    .map_or(0, |(_, fraction)| fraction.len()),
                unit: unit(
                    captures
                        .name("unit")
                        .map_or("", |unit| unit.as_str().trim()),
                ),
                text: whole.as_str().to_owned(),
                span: whole.range(),
            })
        })
        .collect()
}

fn unit(text: &str) -> Unit {
    match text {
        "%" | "percent" | "percentage" => Unit::Percent,
        "g" => Unit::Mass(-3),
        "kg" => Unit::Mass(0),
        "t" | "tonne" | "tonnes" => Unit::Mass(3),
        "min" | "minute" | "minutes" => Unit::PerHour(60),
        "h" | "hour" | "hours" => Unit::PerHour(1),
        "second" | "seconds" => Unit::PerHour(3600),
        "ct" | "cent" | "cents" => Unit::Cents,
        text => match text.chars().next() {
            Some('W') => Unit::Watts(0),
            Some('k') => Unit::Watts(3),
            Some('M') => Unit::Watts(6),
            Some('G') => Unit::Watts(9),
            _ => Unit::None,
        },
    }
}

/// The figures of `text` that no fact supports, in order; days and times included.
pub fn unsupported(text: &str, known: &Known) -> Vec<Figure> {
    let mut rest = text.to_owned();
    // Long names first: one may be a part of another.
    let mut names: Vec<&String> = known.names.iter().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names {
        blank_name(&mut rest, name);
    }
    let mut wrong = Vec::new();
    check(&mut rest, ISO.as_ref(), &mut wrong, |found| {
        found
            .as_str()
            .parse()
            .is_ok_and(|day| known.dates.contains(&day))
    });
    days(&mut rest, DAY_MONTH.as_ref(), known, &mut wrong);
    days(&mut rest, MONTH_DAY.as_ref(), known, &mut wrong);
    check(&mut rest, CLOCK.as_ref(), &mut wrong, |found| {
        let time = NaiveTime::parse_from_str(found.as_str(), "%H:%M")
            .or_else(|_| NaiveTime::parse_from_str(found.as_str(), "%H:%M:%S"));
        time.is_ok_and(|time| known.times.contains(&(time.hour(), time.minute())))
    });
    let years: BTreeSet<i32> = known.dates.iter().map(Datelike::year).collect();
    let is_year = |figure: &Figure| {
        figure.decimals == 0
            && figure.text.len() == 4
            && years
                .iter()
                .any(|year| (figure.value - f64::from(*year)).abs() < 0.5)
    };
    wrong.extend(
        numbers_in(&rest)
            .into_iter()
            .filter(|figure| !is_year(figure) && !known.supports(figure)),
    );
    wrong.sort_by_key(|figure| figure.span.start);
    wrong
}

/// Takes a name out of the text where it represents itself, not as a part of a number.
fn blank_name(text: &mut String, name: &str) {
    let plain_number = name.bytes().all(|byte| byte.is_ascii_digit());
    if name.is_empty() || plain_number && name.len() < 3 {
        return;
    }
    let mut from = 0;
    while let Some(at) = text[from..].find(name).map(|at| at + from) {
        let end = at + name.len();
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if !joined(text[..at].chars().next_back()) && !joined(text[end..].chars().next()) {
            blank(text, at..end);
        }
        from = end;
    }
}

fn blank(text: &mut String, span: Range<usize>) {
    let filler = " ".repeat(span.len());
    text.replace_range(span, &filler);
}

fn check(
    text: &mut String,
    pattern: Option<&Regex>,
    wrong: &mut Vec<Figure>,
    supported: impl Fn(&regex::Match<'_>) -> bool,
) {
    let Some(pattern) = pattern else { return };
    let found: Vec<(Range<usize>, bool)> = pattern
        .find_iter(text)
        .map(|found| (found.range(), supported(&found)))
        .collect();
    for (span, supported) in found {
        if !supported {
            wrong.push(quoted(text, span.clone()));
        }
        blank(text, span);
    }
}

fn quoted(text: &str, span: Range<usize>) -> Figure {
    Figure {
        value: 0.0,
        decimals: 0,
        unit: Unit::None,
        text: text[span.clone()].to_owned(),
        span,
    }
}

/// Days in words; a day without a year is supported by any year's.
fn days(text: &mut String, pattern: Option<&Regex>, known: &Known, wrong: &mut Vec<Figure>) {
    let Some(pattern) = pattern else { return };
    let mut found: Vec<(Range<usize>, bool)> = Vec::new();
    for captures in pattern.captures_iter(text) {
        let (Some(whole), Some(month)) = (
            captures.get(0),
            captures
                .name("month")
                .and_then(|name| month_number(name.as_str())),
        ) else {
            continue;
        };
        let part = |name: &str| {
            captures
                .name(name)
                .and_then(|part| part.as_str().parse::<u32>().ok())
        };
        let (day, year) = (part("day"), part("year").or_else(|| part("whole")));
        let same = |date: &NaiveDate| {
            date.month() == month
                && day.is_none_or(|day| date.day() == day)
                && year.is_none_or(|year| i64::from(date.year()) == i64::from(year))
        };
        found.push((whole.range(), known.dates.iter().any(same)));
    }
    for (span, supported) in found {
        if !supported {
            wrong.push(quoted(text, span.clone()));
        }
        blank(text, span);
    }
}

/// The number of a month's name, whole or short.
fn month_number(name: &str) -> Option<u32> {
    let name = if name.eq_ignore_ascii_case("sept") {
        "september"
    } else {
        name
    };
    let month: Month = name.parse().ok()?;
    Some(month.number_from_month())
}

#[cfg(test)]
mod tests;
