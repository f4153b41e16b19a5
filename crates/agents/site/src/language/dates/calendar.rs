//! Names of months and weekdays, and calendar arithmetic.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use super::names;

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

/// The number of a month's name.
pub(in crate::language) fn month(word: &str) -> Option<u32> {
    let at = MONTHS
        .iter()
        .position(|(name, short)| names(word, name, short))?;
    u32::try_from(at + 1).ok()
}

/// The weekday of a name, and whether the name is a short one.
pub(super) fn weekday(word: &str) -> Option<(Weekday, bool)> {
    // "Sundays" are days picked out of a period.
    if word.ends_with("days") {
        return None;
    }
    WEEKDAYS
        .iter()
        .find(|(_, name, short)| names(word, name, short))
        .map(|(day, _, short)| (*day, short.contains(&word)))
}

/// A year as it is written: "25" is 2025.
pub(super) fn full_year(number: u32, digits: usize) -> i32 {
    let number = i32::try_from(number).unwrap_or(0);
    if digits == 2 { 2000 + number } else { number }
}

/// The first and last day of a month.
pub(super) fn month_days(year: i32, month: u32) -> Option<(NaiveDate, NaiveDate)> {
    let start = NaiveDate::from_ymd_opt(year, month, 1)?;
    Some((start, start.checked_add_months(Months::new(1))?.pred_opt()?))
}

/// The first and last day of a year.
pub(super) fn year_days(year: i32) -> Option<(NaiveDate, NaiveDate)> {
    Some((
        NaiveDate::from_ymd_opt(year, 1, 1)?,
        NaiveDate::from_ymd_opt(year, 12, 31)?,
    ))
}

/// The first and last day of a quarter, 1 to 4.
pub(super) fn quarter_days(year: i32, quarter: u32) -> Option<(NaiveDate, NaiveDate)> {
    let (start, _) = month_days(year, quarter.checked_mul(3)?.checked_sub(2)?)?;
    Some((start, month_days(year, quarter * 3)?.1))
}

/// Monday of the week of `day`.
pub(super) fn monday(day: NaiveDate) -> NaiveDate {
    back(day, day.weekday().num_days_from_monday())
}

/// `days` before `day`, as far as the calendar reaches.
pub(super) fn back(day: NaiveDate, days: u32) -> NaiveDate {
    day.checked_sub_days(Days::new(u64::from(days)))
        .unwrap_or(NaiveDate::MIN)
}

/// `days` after `day`, as far as the calendar reaches.
pub(super) fn forth(day: NaiveDate, days: u32) -> NaiveDate {
    day.checked_add_days(Days::new(u64::from(days)))
        .unwrap_or(NaiveDate::MAX)
}

/// `months` before `day`.
pub(super) fn months_back(day: NaiveDate, months: u32) -> NaiveDate {
    day.checked_sub_months(Months::new(months))
        .unwrap_or(NaiveDate::MIN)
}

/// Days from `from` to the next `weekday`, 1 to 7.
pub(super) fn days_until(from: NaiveDate, weekday: Weekday) -> u32 {
    match weekday.days_since(from.weekday()) {
        0 => 7,
        days => days,
    }
}
