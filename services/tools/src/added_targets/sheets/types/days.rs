//! Days and times as people write them.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

use super::{Form, Guess};

/// Forms of days. Days after the twelfth decide between ambiguous ones.
pub(super) const DAYS: [&str; 12] = [
    "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y%m%d", "%d.%m.%y",
    "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%y-%m-%d",
];
/// Forms of days with the name of the month, in which no day has two meanings.
const NAMED_DAYS: [&str; 5] = ["%d %B %Y", "%d. %B %Y", "%d-%B-%Y", "%B %d, %Y", "%B %d %Y"];
/// German names of months that are not written as in English, and these.
const MONTHS: [(&str, &str); 12] = [
    ("januar", "january"),
    ("jänner", "january"),
    ("februar", "february"),
    ("märz", "march"),
    ("mär", "mar"),
    ("mai", "may"),
    ("juni", "june"),
    ("juli", "july"),
    ("oktober", "october"),
    ("okt", "oct"),
    ("dezember", "december"),
    ("dez", "dec"),
];
/// Forms of times behind a day.
pub(super) const TIMES: [&str; 6] = [
    "%H:%M:%S%.f",
    "%H:%M",
    "%I:%M %p",
    "%H:%M:%S%.fZ",
    "%H:%MZ",
    "%H:%M:%S %p",
];

/// A day in one form.
pub(super) fn day(cell: &str, form: &str) -> Option<NaiveDate> {
    if !has_its_year(cell, form) {
        return None;
    }
    let day = NaiveDate::parse_from_str(cell, form).ok();
    day.filter(|day| is_near(*day))
}

/// A time of a day in one form.
pub(super) fn time(cell: &str, day: &str, form: &str) -> Option<NaiveDateTime> {
    let length = cell.find([' ', 'T']).unwrap_or(cell.len());
    if !has_its_year(&cell[..length], day) {
        return None;
    }
    let at = NaiveDateTime::parse_from_str(cell, form).ok();
    at.filter(|at| is_near(at.date()))
}

/// Whether the year of a day may have two digits. Versions and numbers of articles look as such
/// days do, so every part has two digits then, except between slashes.
fn has_its_year(cell: &str, form: &str) -> bool {
    let parts: Vec<&str> = cell.split(['.', '/', '-']).collect();
    let two = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    !form.contains("%y")
        || (parts.len() == 3
            && (parts.iter().all(two) || (cell.contains('/') && parts.last().is_some_and(two))))
}

/// A time in UTC with the offset behind it, such as `+02:00` or `Z`.
pub(super) fn instant(cell: &str, day: &str, form: &str) -> Option<NaiveDateTime> {
    let (local, seconds) = offset(cell)?;
    time(local, day, form)?.checked_sub_signed(TimeDelta::seconds(seconds))
}

/// The time before an offset, and the offset in seconds.
fn offset(cell: &str) -> Option<(&str, i64)> {
    if let Some(local) = cell.strip_suffix('Z').or_else(|| cell.strip_suffix("UTC")) {
        return Some((local.trim_end(), 0));
    }
    let (local, zone) = cell.split_at(cell.rfind(['+', '-'])?);
    let digits = zone[1..].replace(':', "");
    let is_zone = matches!(digits.len(), 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit());
    // The day has such marks as well.
    if !is_zone || !local.contains(':') {
        return None;
    }
    let hours: i64 = digits[..2].parse().ok()?;
    let minutes: i64 = digits.get(2..4).map_or(Some(0), |text| text.parse().ok())?;
    let seconds = 3600 * hours + 60 * minutes;
    let is_possible = hours <= 14 && minutes < 60;
    is_possible.then(|| {
        let seconds = if zone.starts_with('-') {
            -seconds
        } else {
            seconds
        };
        (local.trim_end(), seconds)
    })
}

/// A day in any form, if only one day is written so, or the preferred form decides.
pub(super) fn unmistakable(cell: &str, prefer: Option<Form>) -> Option<NaiveDate> {
    let parsed = |form: &&str| day(cell, form);
    let named = || {
        let english = english(cell);
        NAMED_DAYS
            .iter()
            .find_map(|form| NaiveDate::parse_from_str(&english, form).ok())
            .filter(|day| is_near(*day))
    };
    let mut days = DAYS.iter().filter_map(&parsed);
    let Some(first) = days.next() else {
        return named();
    };
    if days.all(|day| day == first) {
        return Some(first);
    }
    let is_preferred = |day: &&&'static str| {
        let way = Guess { day, ..Guess::DATE };
        prefer.is_some() && way.form() == prefer
    };
    DAYS.iter().filter(is_preferred).find_map(parsed)
}

/// The same with a time behind it; without, midnight.
pub(super) fn unmistakable_time(cell: &str, prefer: Option<Form>) -> Option<NaiveDateTime> {
    let mut gaps = cell.char_indices().filter(|(_, c)| matches!(c, ' ' | 'T'));
    let with_time = gaps.find_map(|(at, _)| {
        let (day, time) = (&cell[..at], &cell[at + 1..]);
        let time = TIMES
            .iter()
            .find_map(|form| NaiveTime::parse_from_str(time, form).ok())?;
        Some(unmistakable(day, prefer)?.and_time(time))
    });
    let midnight = || unmistakable(cell, prefer)?.and_hms_opt(0, 0, 0);
    with_time.or_else(midnight)
}

/// A day with the name of its month in English.
fn english(cell: &str) -> String {
    let lower = cell.to_lowercase();
    let words = lower.split(' ').map(|word| {
        let plain = word.trim_end_matches('.');
        let known = MONTHS.iter().find(|(german, _)| *german == plain);
        match known {
            Some((_, english)) => (*english).to_owned(),
            // A month may be shortened with a full stop; behind a number it is part of the form.
            None if plain.ends_with(char::is_alphabetic) => plain.to_owned(),
            None => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A year of four digits.
fn is_near(day: NaiveDate) -> bool {
    use chrono::Datelike;
    (1000..=9999).contains(&day.year())
}
