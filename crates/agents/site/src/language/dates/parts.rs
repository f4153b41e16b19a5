//! Parts of periods: "the first week of November", "the second half of the year", "the last 3
//! days of October", "mid October", and the seasons.

use chrono::{Datelike, Months, NaiveDate, Weekday};

use super::calendar::{back, forth, month, month_days, months_back, weekday, year_days};
use super::periods::{Unit, unit};
use super::{Meaning, Parsed, Reader, Year};

/// Which of several: counted from the first, or from the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Nth(u32),
    Last,
}

/// The third of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Third {
    Early,
    Middle,
    Late,
}

impl Reader<'_> {
    /// A part of a period.
    pub(super) fn part(&self, at: usize) -> Parsed {
        self.counted_part(at).or_else(|| self.loosely(at))
    }

    /// "First week of November", "last 3 days of October", "second Monday in October".
    fn counted_part(&self, at: usize) -> Parsed {
        let (which, next) = self.which(at)?;
        let (count, unit_at) = match self.count(next) {
            Some((count, after)) if self.word(after).and_then(unit).is_some() => {
                (count.max(1), after)
            }
            _ => (1, next),
        };
        let word = self.word(unit_at)?;
        // "The last days of October" leaves open how many.
        if unit_at == next && matches!(word, "days" | "weeks" | "months" | "quarters") {
            return None;
        }
        let half = matches!(word, "half");
        let (unit, day) = (unit(word), weekday(word).map(|(day, _)| day));
        if !half && unit.is_none() && day.is_none() {
            return None;
        }
        let of = unit_at + 1;
        if !half && !self.is(of, &["of", "in"]) {
            return None;
        }
        let inside = of + usize::from(self.is(of, &["of", "in"]));
        let ((start, end), year, next) = self.container(inside)?;
        let days = match (unit, day) {
            _ if half => halved((start, end), which)?,
            (_, Some(day)) => {
                let found = of_weekday((start, end), which, day)?;
                (found, found)
            }
            (Some(Unit::Day), _) => run_of((start, end), which, count, 1)?,
            (Some(Unit::Week), _) => run_of((start, end), which, count, 7)?,
            (Some(Unit::Fortnight), _) => run_of((start, end), which, count, 14)?,
            (Some(Unit::Weekend), _) => {
                let saturday = of_weekday((start, end), which, Weekday::Sat)?;
                (saturday, forth(saturday, 1))
            }
            (Some(Unit::Month), _) => months_of((start, end), which, count)?,
            (Some(Unit::Quarter), _) => months_of(
                (start, end),
                match which {
                    Which::Nth(nth) => Which::Nth(nth.checked_mul(3)?.checked_sub(2)?),
                    Which::Last => Which::Last,
                },
                3,
            )?,
            _ => return None,
        };
        Some((self.clipped(days, year), next))
    }

    /// "Second week", "first 3 days": a part of a period that is not named; the index after it.
    /// "Last week" has a meaning of its own.
    pub(super) fn open_part(&self, at: usize) -> Option<usize> {
        let (Which::Nth(_), next) = self.which(at)? else {
            return None;
        };
        let unit_at = match self.count(next) {
            Some((_, after)) => after,
            None => next,
        };
        let word = self.word(unit_at)?;
        let counts = matches!(
            unit(word),
            Some(Unit::Day | Unit::Week | Unit::Weekend | Unit::Fortnight)
        );
        let part = word == "half" || counts || weekday(word).is_some();
        let alone = !self.is(unit_at + 1, &["of", "in"]);
        (part && alone).then_some(unit_at + 1)
    }

    /// "First", "2nd", "last".
    fn which(&self, at: usize) -> Option<(Which, usize)> {
        if let Some(number) = self.number(at, 1..3) {
            let ordinal = self.is(at + 1, &["st", "nd", "rd", "th"]) && self.tokens[at + 1].glued;
            return ordinal.then_some((Which::Nth(number), at + 2));
        }
        let which = match self.word(at)? {
            "first" => Which::Nth(1),
            "second" => Which::Nth(2),
            "third" => Which::Nth(3),
            "fourth" => Which::Nth(4),
            "fifth" => Which::Nth(5),
            "last" | "final" => Which::Last,
            _ => return None,
        };
        Some((which, at + 1))
    }

    /// The whole month, year or other period that a part is of, also where the data end in it.
    fn container(&self, at: usize) -> Option<((NaiveDate, NaiveDate), Year, usize)> {
        let at = at + usize::from(self.is(at, &["the"]));
        if let Some(named) = self.word(at).and_then(month) {
            let year = self
                .number(at + 1, 4..5)
                .and_then(|year| i32::try_from(year).ok());
            let (year, said, next) = if let Some(year) = year {
                (year, Year::Said, at + 2)
            } else {
                let this = month_days(self.now.year(), named)?.0 <= self.now;
                let year = self.now.year() - i32::from(!this && !self.ahead);
                (year, Year::Guessed, at + 1)
            };
            return Some((month_days(year, named)?, said, next));
        }
        if self.is(at, &["month", "year"]) {
            let days = if self.is(at, &["month"]) {
                month_days(self.now.year(), self.now.month())?
            } else {
                year_days(self.now.year())?
            };
            return Some((days, Year::Said, at + 1));
        }
        if let Some(year) = self
            .number(at, 4..5)
            .and_then(|year| i32::try_from(year).ok())
            && (1990..2100).contains(&year)
        {
            return Some((year_days(year)?, Year::Said, at + 1));
        }
        let (meaning, next) = self.period(at)?;
        let Meaning::Days {
            start, end, year, ..
        } = meaning
        else {
            return None;
        };
        let days = if self.is(at + 1, &["month"]) && start.day() == 1 {
            month_days(start.year(), start.month())?
        } else if self.is(at + 1, &["year"]) && start.ordinal() == 1 {
            year_days(start.year())?
        } else {
            (start, end)
        };
        (days.0 < days.1).then_some((days, year, next))
    }

    /// "Mid October", "the end of November", "in autumn": days that the person leaves open.
    pub(super) fn loosely(&self, at: usize) -> Parsed {
        self.third(at).or_else(|| self.season(at))
    }

    fn third(&self, at: usize) -> Parsed {
        let third = match self.word(at)? {
            "early" | "beginning" | "start" => Third::Early,
            "mid" | "middle" => Third::Middle,
            "late" | "end" => Third::Late,
            _ => return None,
        };
        let of = self.is(at + 1, &["of", "in"]);
        if !of && !self.is(at, &["early", "mid", "late"]) {
            return None;
        }
        let dash = usize::from(self.mark(at + 1, &["-"]));
        let ((start, end), year, next) = self.container(at + 1 + usize::from(of) + dash)?;
        let days = if start.day() == 1 && end == month_days(start.year(), start.month())?.1 {
            let tenth = forth(start, 9);
            match third {
                Third::Early => (start, tenth),
                Third::Middle => (forth(tenth, 1), forth(tenth, 10)),
                Third::Late => (forth(tenth, 11), end),
            }
        } else {
            let length = u32::try_from((end - start).num_days() + 1).ok()?;
            let each = (length / 3).max(1);
            match third {
                Third::Early => (start, forth(start, each - 1)),
                Third::Middle => (forth(start, each), back(end, each)),
                Third::Late => (back(end, each - 1), end),
            }
        };
        Some((self.clipped(days, year), next))
    }

    /// The seasons as meteorologists count them in the north: whole months.
    fn season(&self, at: usize) -> Parsed {
        let first = match self.word(at)? {
            "spring" => 3,
            "summer" => 6,
            "autumn" | "fall" => 9,
            "winter" => 12,
            _ => return None,
        };
        let introduced = self.after(
            at,
            &[
                "in", "last", "this", "of", "during", "for", "since", "the", "past", "previous",
            ],
        );
        if !introduced {
            return None;
        }
        let days = |year: i32| -> Option<(NaiveDate, NaiveDate)> {
            let start = NaiveDate::from_ymd_opt(year, first, 1)?;
            Some((start, start.checked_add_months(Months::new(3))?.pred_opt()?))
        };
        if let Some(year) = self
            .number(at + 1, 4..5)
            .and_then(|year| i32::try_from(year).ok())
        {
            return Some((self.clipped(days(year)?, Year::Said), at + 2));
        }
        let before = self.after(at, &["last", "past", "previous"]);
        let found = (0..3)
            .filter_map(|ago| days(self.now.year() - ago))
            .find(|(start, end)| *start <= self.now && !(before && *end >= self.now))?;
        Some((self.clipped(found, Year::Guessed), at + 1))
    }
}

type DaysOf = (NaiveDate, NaiveDate);

/// The half of a period; of a month it is 15 days, of a year six months.
fn halved((start, end): DaysOf, which: Which) -> Option<DaysOf> {
    let length = u32::try_from((end - start).num_days() + 1).ok()?;
    let middle = if start.ordinal() == 1 && Some((start, end)) == year_days(start.year()) {
        NaiveDate::from_ymd_opt(start.year(), 7, 1)?
    } else {
        forth(start, length / 2)
    };
    match which {
        Which::Nth(1) => Some((start, back(middle, 1))),
        Which::Nth(2) | Which::Last => Some((middle, end)),
        Which::Nth(_) => None,
    }
}

/// `count` units of `each` days, counted from the first day or from the last.
fn run_of((start, end): DaysOf, which: Which, count: u32, each: u32) -> Option<DaysOf> {
    let length = count.checked_mul(each)?;
    match which {
        Which::Nth(nth) => {
            let first = forth(start, nth.checked_sub(1)?.checked_mul(each)?);
            (first <= end).then(|| (first, forth(first, length - 1).min(end)))
        }
        Which::Last => Some((back(end, length - 1).max(start), end)),
    }
}

fn of_weekday((start, end): DaysOf, which: Which, day: Weekday) -> Option<NaiveDate> {
    match which {
        Which::Nth(nth) => {
            let first = forth(start, day.days_since(start.weekday()));
            let found = forth(first, nth.checked_sub(1)?.checked_mul(7)?);
            (found <= end).then_some(found)
        }
        Which::Last => Some(back(end, end.weekday().days_since(day))),
    }
}

fn months_of((start, end): DaysOf, which: Which, count: u32) -> Option<DaysOf> {
    let first = match which {
        Which::Nth(nth) => start.checked_add_months(Months::new(nth.checked_sub(1)?))?,
        Which::Last => months_back(forth(end, 1), count),
    };
    let last = first.checked_add_months(Months::new(count))?.pred_opt()?;
    (start <= first && last <= end).then_some((first, last))
}
