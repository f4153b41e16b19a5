//! Names of months and weekdays, and calendar arithmetic.

use agent_kit::calendar;
pub(super) use agent_kit::calendar::{full_year, month_days, quarter_days, year_days};
use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use super::names;

/// The number of a month's name.
pub(in crate::language) fn month(word: &str) -> Option<u32> {
    calendar::month(|name, short| names(word, name, short))
}

/// The weekday of a name, and whether the name is a short one.
pub(super) fn weekday(word: &str) -> Option<(Weekday, bool)> {
    // "Sundays" are days picked out of a period.
    if word.ends_with("days") {
        return None;
    }
    let (day, short) = calendar::weekday(|name, short| names(word, name, short))?;
    Some((day, short.contains(&word)))
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
