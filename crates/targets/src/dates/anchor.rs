//! A day by its distance from today.

use std::fmt;

use chrono::{Datelike, Days, Months, NaiveDate, TimeDelta};

/// The farthest shift, in units; beyond it a number is a mistake.
const FARTHEST: i32 = 10_000;

/// The start of a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// Today, moved by days.
    Day,
    /// Today, moved by months; the last day of a shorter month.
    SameDay,
    /// The Monday of this week, moved by weeks.
    Week,
    /// The first of this month, moved by months.
    Month,
    /// The first of this quarter, moved by quarters.
    Quarter,
    /// The first of this year, moved by years.
    Year,
}

/// A day by its distance from today: `{{month-1}}`, the first of last month; `{{month+0,-1d}}`, its
/// last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Anchor {
    base: Base,
    shift: i32,
    days: i32,
}

impl Base {
    const ALL: [(Base, &'static str); 6] = [
        (Base::Day, "day"),
        (Base::SameDay, "sameday"),
        (Base::Week, "week"),
        (Base::Month, "month"),
        (Base::Quarter, "quarter"),
        (Base::Year, "year"),
    ];

    fn name(self) -> &'static str {
        Base::ALL
            .iter()
            .find(|(base, _)| *base == self)
            .map_or("day", |(_, name)| name)
    }
}

impl Anchor {
    /// `shift` units after the one that today is in; before it where negative.
    pub fn new(base: Base, shift: i32) -> Self {
        Self {
            base,
            shift,
            days: 0,
        }
    }

    /// The same, this many days later.
    #[must_use]
    pub fn plus_days(self, days: i32) -> Self {
        // One day has one anchor, so that two that are the same compare as the same.
        if self.base == Base::Day {
            return Self::new(Base::Day, self.shift.saturating_add(days));
        }
        Self {
            days: self.days.saturating_add(days),
            ..self
        }
    }

    /// The day that it is when today is `today`; `None` beyond the calendar.
    pub fn on(self, today: NaiveDate) -> Option<NaiveDate> {
        let moved = match self.base {
            Base::Day => today.checked_add_signed(TimeDelta::days(self.shift.into()))?,
            Base::SameDay => by_months(today, self.shift)?,
            Base::Week => {
                let monday = today
                    .checked_sub_days(Days::new(today.weekday().num_days_from_monday().into()))?;
                monday.checked_add_signed(TimeDelta::weeks(self.shift.into()))?
            }
            Base::Month => by_months(today.with_day(1)?, self.shift)?,
            Base::Quarter => {
                let first = (today.month0() / 3) * 3 + 1;
                by_months(
                    NaiveDate::from_ymd_opt(today.year(), first, 1)?,
                    self.shift.checked_mul(3)?,
                )?
            }
            Base::Year => NaiveDate::from_ymd_opt(today.year().checked_add(self.shift)?, 1, 1)?,
        };
        moved.checked_add_signed(TimeDelta::days(self.days.into()))
    }

    /// Whether both are the same day on every day, not only today.
    pub(super) fn is_always(self, other: Self) -> bool {
        // Two years hold every way in which weeks, months and years can lie to each other that
        // matters here.
        let Some(first) = NaiveDate::from_ymd_opt(2023, 1, 1) else {
            return self == other;
        };
        first
            .iter_days()
            .take(800)
            .all(|today| self.on(today) == other.on(today))
    }

    /// Reads what stands between the braces, without a form.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (main, days) = match text.split_once(',') {
            Some((main, days)) => (main, number(days.trim().strip_suffix('d')?)?),
            None => (text, 0),
        };
        let at = main.find(['+', '-']).unwrap_or(main.len());
        let (name, shift) = main.split_at(at);
        let shift = if shift.is_empty() { 0 } else { number(shift)? };
        let (base, _) = Base::ALL.iter().find(|(_, known)| *known == name.trim())?;
        Some(Self::new(*base, shift).plus_days(days))
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:+}", self.base.name(), self.shift)?;
        if self.days != 0 {
            write!(f, ",{:+}d", self.days)?;
        }
        Ok(())
    }
}

fn number(text: &str) -> Option<i32> {
    let number: i32 = text.trim().parse().ok()?;
    (-FARTHEST..=FARTHEST).contains(&number).then_some(number)
}

fn by_months(day: NaiveDate, months: i32) -> Option<NaiveDate> {
    let count = Months::new(months.unsigned_abs());
    if months < 0 {
        day.checked_sub_months(count)
    } else {
        day.checked_add_months(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(text: &str, today: &str) -> String {
        let anchor = Anchor::parse(text).unwrap();
        anchor.on(today.parse().unwrap()).unwrap().to_string()
    }

    #[test]
    fn each_base_follows_the_calendar() {
        for (text, today, day) in [
            ("day+0", "2026-11-18", "2026-11-18"),
            ("day-30", "2026-03-01", "2026-01-30"),
            ("week-1", "2026-11-16", "2026-11-09"),
            ("week-1", "2026-11-22", "2026-11-09"),
            ("week+0", "2026-11-22", "2026-11-16"),
            ("month-1", "2026-01-31", "2025-12-01"),
            ("month+0,-1d", "2026-03-15", "2026-02-28"),
            ("quarter+0", "2026-11-18", "2026-10-01"),
            ("quarter-4", "2026-11-18", "2025-10-01"),
            ("year+1", "2026-11-18", "2027-01-01"),
            ("sameday-3", "2026-05-31", "2026-02-28"),
        ] {
            assert_eq!(on(text, today), day, "{text} on {today}");
        }
    }

    #[test]
    fn an_anchor_survives_its_text() {
        for anchor in [
            Anchor::new(Base::Week, -1),
            Anchor::new(Base::Month, 0).plus_days(-1),
            Anchor::new(Base::SameDay, -12).plus_days(1),
        ] {
            assert_eq!(Anchor::parse(&anchor.to_string()), Some(anchor));
        }
        for text in [
            "",
            "weeks-1",
            "week-x",
            "week+1,2",
            "day+99999999999",
            "day+10001",
        ] {
            assert_eq!(Anchor::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_beyond_the_calendar_is_none() {
        let today = NaiveDate::MAX;
        assert_eq!(Anchor::new(Base::Day, 10).on(today), None);
        assert_eq!(Anchor::new(Base::Year, 10_000).on(today), None);
    }
}
