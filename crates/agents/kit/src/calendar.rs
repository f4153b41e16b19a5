//! Names of months and weekdays in questions, and the days of their months, quarters and years.

use chrono::{Months, NaiveDate, Weekday};

/// The months by number, with their short names.
const MONTHS: [(&str, &[&str]); 12] = [
    ("january", &["jan"]),
    ("february", &["feb", "febuary"]),
    ("march", &["mar"]),
    ("april", &["apr"]),
    ("may", &[]),
    ("june", &["jun"]),
    ("july", &["jul"]),
    ("august", &["aug"]),
    ("september", &["sep", "sept"]),
    ("october", &["oct"]),
    ("november", &["nov"]),
    ("december", &["dec"]),
];

const WEEKDAYS: [(Weekday, &str, &[&str]); 7] = [
    (Weekday::Mon, "monday", &["mon"]),
    (Weekday::Tue, "tuesday", &["tue", "tues"]),
    (Weekday::Wed, "wednesday", &["wed"]),
    (Weekday::Thu, "thursday", &["thu", "thur", "thurs"]),
    (Weekday::Fri, "friday", &["fri"]),
    (Weekday::Sat, "saturday", &["sat"]),
    (Weekday::Sun, "sunday", &["sun"]),
];

/// The number of the first month whose name or short names match.
pub fn month(matches: impl Fn(&str, &[&str]) -> bool) -> Option<u32> {
    let at = MONTHS.iter().position(|(name, short)| matches(name, short));
    u32::try_from(at? + 1).ok()
}

/// The first weekday whose name or short names match, with its short names.
pub fn weekday(
    matches: impl Fn(&str, &[&str]) -> bool,
) -> Option<(Weekday, &'static [&'static str])> {
    let found = WEEKDAYS
        .iter()
        .find(|(_, name, short)| matches(name, short));
    found.map(|(day, _, short)| (*day, *short))
}

/// Whether a word in small letters is the whole name of a month or a weekday. "May" is not: it is
/// rather the verb.
pub fn is_name(word: &str) -> bool {
    let is_month = || MONTHS.iter().any(|(name, _)| *name == word);
    let is_weekday = || WEEKDAYS.iter().any(|(_, name, _)| *name == word);
    word != "may" && (is_month() || is_weekday())
}

/// A year as it is written: "25" is 2025.
pub fn full_year(number: u32, digits: usize) -> i32 {
    let number = i32::try_from(number).unwrap_or(0);
    if digits == 2 { 2000 + number } else { number }
}

/// The first and last day of a month.
pub fn month_days(year: i32, month: u32) -> Option<(NaiveDate, NaiveDate)> {
    let start = NaiveDate::from_ymd_opt(year, month, 1)?;
    Some((start, start.checked_add_months(Months::new(1))?.pred_opt()?))
}

/// The first and last day of a quarter, 1 to 4.
pub fn quarter_days(year: i32, quarter: u32) -> Option<(NaiveDate, NaiveDate)> {
    let (start, _) = month_days(year, quarter.checked_mul(3)?.checked_sub(2)?)?;
    Some((start, month_days(year, quarter * 3)?.1))
}

/// The first and last day of a year.
pub fn year_days(year: i32) -> Option<(NaiveDate, NaiveDate)> {
    Some((
        NaiveDate::from_ymd_opt(year, 1, 1)?,
        NaiveDate::from_ymd_opt(year, 12, 31)?,
    ))
}
