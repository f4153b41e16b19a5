//! Periods: "last week", "past 30 days", "this month", "Q1 2025", "2024", "the week of Jan 6".

use chrono::{Datelike, NaiveDate};

use super::calendar::{Unit, full_year, half_days, is_year, month, quarter_days, unit, year_days};
use super::{Days, Parsed, Reader, found};

impl Reader<'_> {
    /// A period of several days.
    pub(super) fn period(&self, at: usize) -> Parsed {
        self.weekend(at)
            .or_else(|| self.half_of_month(at))
            .or_else(|| self.week_of_month(at))
            .or_else(|| self.third_of_month(at))
            .or_else(|| self.named_month(at))
            .or_else(|| self.backward(at))
            .or_else(|| self.current(at))
            .or_else(|| self.forward(at))
            .or_else(|| self.to_date(at))
            .or_else(|| self.part_of_year(at))
            .or_else(|| self.week_of(at))
            .or_else(|| self.year(at))
    }

    /// "The first week of December 2024": its first seven days.
    fn week_of_month(&self, at: usize) -> Parsed {
        let first = match self.word(at)? {
            "first" => 1,
            "second" => 8,
            "third" => 15,
            "fourth" => 22,
            "last" => 0,
            _ => return None,
        };
        if !self.is(at + 1, &["week"]) || !self.is(at + 2, &["of", "in"]) {
            return None;
        }
        let month = month(self.word(at + 3)?)?;
        let (days, next) = self.with_year(month, None, at + 4);
        let Ok(days) = days else {
            return Some((days, next));
        };
        let start = match first {
            0 => Unit::Day.back(days.end, 6)?,
            day => Unit::Day.forth(days.start, day - 1)?,
        };
        let end = Unit::Day.forth(start, 6)?;
        Some((Ok(Days { start, end, ..days }), next))
    }

    /// "The first half of December 2024".
    fn half_of_month(&self, at: usize) -> Parsed {
        let first = self.is(at, &["first"]);
        if !(first || self.is(at, &["second", "last"])) || !self.is(at + 1, &["half"]) {
            return None;
        }
        let month = at + 2 + usize::from(self.is(at + 2, &["of", "in"]));
        let (meaning, next) = self.end_point(month)?;
        let days = meaning.ok()?;
        let whole = Unit::Month.around(days.start)? == (days.start, days.end);
        let middle = days.start.with_day(15).filter(|_| whole)?;
        let half = if first {
            Days {
                end: middle,
                ..days
            }
        } else {
            Days {
                start: middle.succ_opt()?,
                ..days
            }
        };
        Some((Ok(half), next))
    }

    /// "Last week", "past 30 days", "previous month", "the last couple of weeks".
    fn backward(&self, at: usize) -> Parsed {
        let word = self.word(at)?;
        if !matches!(word, "last" | "past" | "previous" | "trailing") {
            return None;
        }
        let calendar = self.is(at + 1, &["calendar", "full", "whole"]);
        let next = at + 1 + usize::from(calendar);
        if let Some((count, next)) = self.some(next) {
            let next = next + usize::from(self.is(next, &["calendar", "full", "whole"]));
            let (unit, each) = unit(self.word(next)?)?;
            if count == 0 {
                return Some((Err("is no time at all.".to_owned()), next + 1));
            }
            let start = self.rolling(unit, count.saturating_mul(each));
            return found(
                start.map(|start| Days::relative(start, self.today)),
                next + 1,
            );
        }
        let (unit, each) = unit(self.word(next)?)?;
        let rolling = !calendar
            && match word {
                "last" => matches!(unit, Unit::Hour | Unit::Day | Unit::Week),
                "previous" => false,
                _ => true,
            };
        let days = if rolling {
            // "Last week" reaches back to the same weekday, both days included; with a number, the
            // days are counted.
            let start = match unit {
                Unit::Week if each == 1 => unit.back(self.today, each),
                _ => self.rolling(unit, each),
            };
            start.map(|start| Days::relative(start, self.today))
        } else {
            unit.back(self.today, each)
                .and_then(|day| unit.around(day))
                .map(|(start, end)| Days::relative(start, end))
        };
        found(days, next + 1)
    }

    /// The first day of a time that ends today: seven days are a week. A single day, and hours,
    /// reach into yesterday.
    fn rolling(&self, unit: Unit, count: u32) -> Option<NaiveDate> {
        let start = unit.back(self.today, count)?;
        if unit == Unit::Hour || unit == Unit::Day && count < 2 {
            Some(start)
        } else {
            start.succ_opt()
        }
    }

    /// The last day of a time that begins today.
    fn ahead_of(&self, unit: Unit, count: u32) -> Option<NaiveDate> {
        let end = unit.forth(self.today, count)?;
        if unit == Unit::Hour || unit == Unit::Day && count < 2 {
            Some(end)
        } else {
            end.pred_opt()
        }
    }

    /// "This month", "the current week", "this year so far".
    fn current(&self, at: usize) -> Parsed {
        if !self.is(at, &["this", "current"]) {
            return None;
        }
        let (unit, _) = unit(self.word(at + 1)?)?;
        let days = unit.around(self.today);
        if self.is(at + 2, &["so"]) && self.is(at + 3, &["far"]) {
            return found(self.so_far(days), at + 4);
        }
        if self.is(at + 2, &["to"]) && self.is(at + 3, &["date"]) {
            return found(self.so_far(days), at + 4);
        }
        found(days.map(|(start, end)| Days::relative(start, end)), at + 2)
    }

    fn so_far(&self, days: Option<(NaiveDate, NaiveDate)>) -> Option<Days> {
        days.map(|(start, _)| Days::relative(start, self.today))
    }

    /// "Next week", "the next 3 days", "the coming month".
    fn forward(&self, at: usize) -> Parsed {
        if !self.is(at, &["next", "coming", "following"]) {
            return None;
        }
        if let Some((count, next)) = self.some(at + 1) {
            let (unit, each) = unit(self.word(next)?)?;
            if count == 0 {
                return Some((Err("is no time at all.".to_owned()), next + 1));
            }
            let end = self.ahead_of(unit, count.saturating_mul(each));
            return found(end.map(|end| Days::relative(self.today, end)), next + 1);
        }
        let (unit, each) = unit(self.word(at + 1)?)?;
        let days = if matches!(unit, Unit::Hour | Unit::Day | Unit::Week) {
            let end = match unit {
                Unit::Week if each == 1 => unit.forth(self.today, each),
                _ => self.ahead_of(unit, each),
            };
            end.map(|end| Days::relative(self.today, end))
        } else {
            unit.forth(self.today, each)
                .and_then(|day| unit.around(day))
                .map(|(start, end)| Days::relative(start, end))
        };
        found(days, at + 2)
    }

    /// "Month to date", "YTD".
    fn to_date(&self, at: usize) -> Parsed {
        let word = self.word(at)?;
        let short = match word {
            "wtd" => Some(Unit::Week),
            "mtd" => Some(Unit::Month),
            "qtd" => Some(Unit::Quarter),
            "ytd" => Some(Unit::Year),
            _ => None,
        };
        if let Some(unit) = short {
            return found(self.so_far(unit.around(self.today)), at + 1);
        }
        let (unit, _) = unit(word)?;
        let mut next = at + 1 + usize::from(self.is(at + 1, &["-"]));
        if !self.is(next, &["to"]) {
            return None;
        }
        next += 1 + usize::from(self.is(next + 1, &["-"]));
        self.is(next, &["date"])
            .then(|| found(self.so_far(unit.around(self.today)), next + 1))?
    }

    /// "Last weekend", "this weekend", "the weekend".
    fn weekend(&self, at: usize) -> Parsed {
        let directed = self.is(
            at,
            &["last", "past", "previous", "this", "next", "coming", "the"],
        );
        let place = at + usize::from(directed);
        if !self.is(place, &["weekend"]) {
            return None;
        }
        let (monday, _) = Unit::Week.around(self.today)?;
        let saturday = if self.is(at, &["this", "next", "coming"]) || self.ahead {
            Unit::Day.forth(monday, 5)
        } else {
            Unit::Day.back(monday, 2)
        };
        let days = saturday
            .and_then(|saturday| Some(Days::relative(saturday, Unit::Day.forth(saturday, 1)?)));
        found(days, place + 1)
    }

    /// "Last March", "this March", "next March".
    fn named_month(&self, at: usize) -> Parsed {
        let direction = self.word(at)?;
        if !matches!(
            direction,
            "last" | "past" | "previous" | "this" | "next" | "coming"
        ) {
            return None;
        }
        let month = month(self.word(at + 1)?)?;
        // "Last March 5": a day.
        if self.digits(at + 2, 1..3).is_some() {
            return None;
        }
        let year = self.today.year();
        let days_of = |year| super::calendar::month_days(year, month);
        let (this_start, _) = days_of(year)?;
        let (own_start, own_end) = Unit::Month.around(self.today)?;
        let year = match direction {
            "this" => year,
            "next" | "coming" if this_start > own_end => year,
            "next" | "coming" => year + 1,
            _ if this_start < own_start => year,
            _ => year - 1,
        };
        found(
            days_of(year).map(|(start, end)| Days::relative(start, end)),
            at + 2,
        )
    }

    /// "Q1", "Q1 2025", "2025 Q1", "the first quarter of 2025", "H2 2024".
    fn part_of_year(&self, at: usize) -> Parsed {
        if let Some(year) = self.digits(at, 4..5).filter(|year| is_year(*year)) {
            let place = at + 1 + usize::from(self.is(at + 1, &["-"]));
            let (part, next) = self.part(place)?;
            return found(part.of(full_year(year, 4)), next);
        }
        let (part, next) = self.part(at)?;
        if let Some((year, next)) = self.year_at(next) {
            return found(part.of(year), next);
        }
        for (words, unit_back) in [("last", 1), ("this", 0)] {
            if self.is(next, &["of"]) && self.is(next + 1, &[words]) && self.is(next + 2, &["year"])
            {
                return found(part.of(self.today.year() - unit_back), next + 3);
            }
        }
        // "Q5" is an impossible quarter, not one of another year.
        let days = self.guess_year(|year| part.days(year));
        Some((
            days.ok_or_else(|| "is not a part of a year.".to_owned()),
            next,
        ))
    }

    /// `Q1`, `H2`, `first quarter`, `2nd half`.
    fn part(&self, at: usize) -> Option<(Part, usize)> {
        if let Some(number) = self.digits(at + 1, 1..2).filter(|_| self.touching(at, 2)) {
            let alone = !self
                .token(at + 2)
                .is_some_and(|token| token.glued && token.is_word());
            return match self.word(at)? {
                "q" if alone => Some((Part::Quarter(number), at + 2)),
                "h" if alone => Some((Part::Half(number), at + 2)),
                _ => None,
            };
        }
        let (number, next) = match self.word(at)? {
            "first" => (1, at + 1),
            "second" => (2, at + 1),
            "third" => (3, at + 1),
            "fourth" => (4, at + 1),
            _ => return None,
        };
        match self.word(next)? {
            "quarter" => Some((Part::Quarter(number), next + 1)),
            "half" if number <= 2 && self.year_at(next + 1).is_some() => {
                Some((Part::Half(number), next + 1))
            }
            _ => None,
        }
    }

    /// "The week of Jan 6", "week 3", "week 3 of 2025".
    fn week_of(&self, at: usize) -> Parsed {
        if !self.is(at, &["week", "wk", "cw"]) {
            return None;
        }
        if self.is(at + 1, &["of"]) {
            let (meaning, next) = self.day(at + 2)?;
            let around = meaning.and_then(|days| {
                let (start, end) = Unit::Week
                    .around(days.start)
                    .ok_or_else(|| "is beyond the calendar.".to_owned())?;
                Ok(Days { start, end, ..days })
            });
            return Some((around, next));
        }
        let number = self.digits(at + 1, 1..3)?;
        let week_days = |year| {
            let monday = NaiveDate::from_isoywd_opt(year, number, chrono::Weekday::Mon)?;
            Unit::Week.around(monday)
        };
        let no_week = || "is not a week of the year.".to_owned();
        match self.year_at(at + 2) {
            Some((year, next)) => Some((
                week_days(year)
                    .map(|(start, end)| Days::new(start, end))
                    .ok_or_else(no_week),
                next,
            )),
            None => Some((self.guess_year(week_days).ok_or_else(no_week), at + 2)),
        }
    }

    /// "2024" where a year is expected.
    fn year(&self, at: usize) -> Parsed {
        const SURELY: &[&str] = &[
            "in",
            "during",
            "since",
            "year",
            "throughout",
            "until",
            "till",
        ];
        const PERHAPS: &[&str] = &[
            "of", "for", "from", "to", "and", "between", "before", "after", "-",
        ];
        let number = self.digits(at, 4..5).filter(|year| is_year(*year))?;
        let follows = self.token(at + 1);
        let counts = self.counts_something(at)
            || self.after(at, &["between"]) && self.counts_something(at + 2);
        let part_of_a_number = self.token(at)?.glued && !self.after(at, &["-"])
            || follows.is_some_and(|token| {
                token.glued && (token.is_word() || token.is(&["%", "_"]))
                    || token.is(&[",", "."])
                        && token.glued
                        && self
                            .token(at + 2)
                            .is_some_and(|token| token.glued && token.number().is_some())
            });
        let said = self.after(at, SURELY) || (self.after(at, PERHAPS) && !counts);
        (said && !part_of_a_number).then(|| {
            found(
                year_days(full_year(number, 4)).map(|(start, end)| Days::new(start, end)),
                at + 1,
            )
        })?
    }

    /// Whether a word follows that the number at `at` may count: "for 2000 containers".
    fn counts_something(&self, at: usize) -> bool {
        self.token(at + 1).is_some_and(|token| {
            token.is_word()
                && !token.is(&[
                    "to", "and", "until", "till", "through", "or", "by", "per", "in", "at", "from",
                    "for", "with", "instead", "only", "please", "on", "sorted", "grouped",
                ])
        })
    }
}

/// A part of a year, by its number.
#[derive(Debug, Clone, Copy)]
enum Part {
    Quarter(u32),
    Half(u32),
}

impl Part {
    fn days(self, year: i32) -> Option<(NaiveDate, NaiveDate)> {
        match self {
            Self::Quarter(number) => quarter_days(year, number),
            Self::Half(number) => half_days(year, number),
        }
    }

    fn of(self, year: i32) -> Option<Days> {
        self.days(year).map(|(start, end)| Days::new(start, end))
    }
}
