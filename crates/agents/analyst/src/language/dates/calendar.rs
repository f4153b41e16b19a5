//! Names of months and weekdays, and calendar arithmetic.

use agent_kit::calendar;
pub(super) use agent_kit::calendar::{full_year, month_days, quarter_days, year_days};
use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use super::names;

/// A span of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// The number of a month's name.
pub(super) fn month(word: &str) -> Option<u32> {
    calendar::month(|name, short| names(word, name, short))
}

/// The weekday of a name, and whether the name is a short one.
pub(super) fn weekday(word: &str) -> Option<(Weekday, bool)> {
    // "On Mondays" is not a single day.
    let several = |name: &str| word.strip_suffix('s') == Some(name);
    let (day, short) = calendar::weekday(|name, short| names(word, name, short) && !several(name))?;
    Some((day, short.contains(&word)))
}

/// The unit of a word, and how many of it the word means.
pub(super) fn unit(word: &str) -> Option<(Unit, u32)> {
    Some(match word {
        "hour" | "hours" | "hr" | "hrs" | "h" => (Unit::Hour, 1),
        "day" | "days" => (Unit::Day, 1),
        "week" | "weeks" | "wk" | "wks" => (Unit::Week, 1),
        "fortnight" | "fortnights" => (Unit::Week, 2),
        "month" | "months" | "mth" => (Unit::Month, 1),
        "quarter" | "quarters" => (Unit::Quarter, 1),
        "year" | "years" | "yr" | "yrs" => (Unit::Year, 1),
        _ => return None,
    })
}

impl Unit {
    /// The first and last day of the unit that has `day` in it.
    pub(super) fn around(self, day: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
        match self {
            Self::Hour | Self::Day => Some((day, day)),
            Self::Week => {
                let monday = day
                    .checked_sub_days(Days::new(u64::from(day.weekday().num_days_from_monday())))?;
                Some((monday, monday.checked_add_days(Days::new(6))?))
            }
            Self::Month => month_days(day.year(), day.month()),
            Self::Quarter => quarter_days(day.year(), day.month0() / 3 + 1),
            Self::Year => year_days(day.year()),
        }
    }

    /// `count` of the unit before `day`; hours are rounded up to days.
    pub(super) fn back(self, day: NaiveDate, count: u32) -> Option<NaiveDate> {
        match self {
            Self::Hour => Self::Day.back(day, count.div_ceil(24)),
            Self::Day => day.checked_sub_days(Days::new(u64::from(count))),
            Self::Week => day.checked_sub_days(Days::new(u64::from(count) * 7)),
            Self::Month => day.checked_sub_months(Months::new(count)),
            Self::Quarter => day.checked_sub_months(Months::new(count.checked_mul(3)?)),
            Self::Year => day.checked_sub_months(Months::new(count.checked_mul(12)?)),
        }
        .filter(|day| day.year() >= 1000)
    }

    /// `count` of the unit after `day`.
    pub(super) fn forth(self, day: NaiveDate, count: u32) -> Option<NaiveDate> {
        match self {
            Self::Hour => Self::Day.forth(day, count.div_ceil(24)),
            Self::Day => day.checked_add_days(Days::new(u64::from(count))),
            Self::Week => day.checked_add_days(Days::new(u64::from(count) * 7)),
            Self::Month => day.checked_add_months(Months::new(count)),
            Self::Quarter => day.checked_add_months(Months::new(count.checked_mul(3)?)),
            Self::Year => day.checked_add_months(Months::new(count.checked_mul(12)?)),
        }
        .filter(|day| day.year() < 9999)
    }
}

/// Whether a number of four digits is read as a year.
pub(super) fn is_year(number: u32) -> bool {
    (1900..2200).contains(&number)
}

/// The first and last day of a half, 1 or 2.
pub(super) fn half_days(year: i32, half: u32) -> Option<(NaiveDate, NaiveDate)> {
    let (start, _) = month_days(year, half.checked_mul(6)?.checked_sub(5)?)?;
    Some((start, month_days(year, half * 6)?.1))
}
