//! Single days, and months written like them: "Jan 8", "8.1.2025", "yesterday", "on Monday", "3
//! days ago".

use chrono::{Datelike, NaiveDate, Weekday};

use super::calendar::{Unit, full_year, is_year, month, month_days, unit, weekday};
use super::{Days, Meaning, Parsed, Reader, found, names};

/// Number of years in which a day without a year is looked for: 29 February comes every fourth
/// year, with an exception in some centuries.
const YEARS: i32 = 8;

const NO_SUCH_DAY: &str = "is not a day of the calendar.";

impl Reader<'_> {
    /// A day or month, by the calendar or by its distance from today.
    pub(super) fn day(&self, at: usize) -> Parsed {
        self.calendar_day(at)
            .or_else(|| self.ago(at))
            .or_else(|| self.relative_day(at))
            .or_else(|| self.weekday(at))
    }

    fn calendar_day(&self, at: usize) -> Parsed {
        self.dotted(at)
            .or_else(|| self.holiday(at))
            .or_else(|| self.slashed(at))
            .or_else(|| self.day_month(at))
            .or_else(|| self.month_day(at))
    }

    /// `2025-01-08` (with a time after it, too), `2025/01/08`, `2025-01`, `20250108`.
    pub(super) fn year_first(&self, at: usize) -> Parsed {
        if let Some(number) = self.digits(at, 8..9) {
            let (year, rest) = (number / 10_000, number % 10_000);
            let alone = !self.token(at)?.glued && !self.glued_word(at + 1);
            return ((1990..2100).contains(&year) && alone)
                .then(|| (exactly(full_year(year, 4), rest / 100, rest % 100), at + 1));
        }
        let year = self.digits(at, 4..5).filter(|year| is_year(*year))?;
        let year = full_year(year, 4);
        if !self.is(at + 1, &["-", "/", "."]) || !self.touching(at, 3) {
            return None;
        }
        let month = self.digits(at + 2, 1..3)?;
        let same_mark = self.token(at + 3).map(|token| &token.text)
            == self.token(at + 1).map(|token| &token.text);
        if let Some(day) = self
            .digits(at + 4, 1..3)
            .filter(|_| same_mark && self.touching(at, 5))
        {
            return Some((exactly(year, month, day), self.after_time(at + 5)));
        }
        (self.is(at + 1, &["-"]) && self.tokens[at + 2].text.len() == 2).then(|| {
            let days = month_days(year, month).map(|(start, end)| Days::new(start, end));
            (days.ok_or_else(|| NO_SUCH_DAY.to_owned()), at + 3)
        })
    }

    fn glued_word(&self, at: usize) -> bool {
        self.token(at)
            .is_some_and(|token| token.glued && (token.is_word() || token.is(&["-", "_"])))
    }

    /// The index after a time of day that touches a date: `T13:45:00.000Z`.
    fn after_time(&self, at: usize) -> usize {
        if !self.is(at, &["t"]) || !self.tokens[at].glued {
            return at;
        }
        let more = self.tokens[at + 1..].iter().take_while(|token| {
            token.glued && (token.number().is_some() || token.is(&[":", ".", "z", "+", "-"]))
        });
        at + 1 + more.count()
    }

    /// `Christmas`, `Christmas Eve 2024`, `Boxing Day`, `over New Year`, `New Year's Day`.
    fn holiday(&self, at: usize) -> Parsed {
        const AT: &[&str] = &[
            "over", "at", "on", "around", "during", "since", "until", "before", "after",
        ];
        let word = self.word(at)?;
        let new_year =
            word == "new" && self.is(at + 1, &["year", "year's", "years", "year\u{2019}s"]);
        if new_year && self.is(at + 2, &["day"]) {
            return Some(self.with_year(1, Some(1), at + 3));
        }
        let (days, next) = match word {
            "christmas" | "xmas" if self.is(at + 1, &["eve"]) => (24..=24, at + 2),
            "christmas" | "xmas" if self.is(at + 1, &["day"]) => (25..=25, at + 2),
            "christmas" | "xmas" => (25..=26, at + 1),
            "new" if new_year && self.is(at + 2, &["eve"]) => (31..=31, at + 3),
            "new" if new_year && self.after(at, AT) => (31..=32, at + 2),
            "boxing" if self.is(at + 1, &["day"]) => (26..=26, at + 2),
            _ => return None,
        };
        let (first, end) = self.with_year(12, Some(*days.start()), next);
        let Ok(first) = first else {
            return Some((first, end));
        };
        let more = u64::from(days.end() - days.start());
        let last = first.end.checked_add_days(chrono::Days::new(more))?;
        Some((Ok(Days { end: last, ..first }), end))
    }

    /// `08.01.2025`, `on 8.1.`: the day first.
    fn dotted(&self, at: usize) -> Parsed {
        const BEFORE: &[&str] = &[
            "on", "from", "to", "until", "since", "till", "and", "between", "before", "after", "-",
        ];
        let (day, month) = (self.digits(at, 1..3)?, self.digits(at + 2, 1..3)?);
        if !self.is(at + 1, &["."]) || !self.is(at + 3, &["."]) || !self.touching(at, 4) {
            return None;
        }
        if let Some(year) = self.digits(at + 4, 2..5).filter(|_| self.touching(at, 5)) {
            let digits = self.tokens[at + 4].text.len();
            return (digits != 3).then(|| (exactly(full_year(year, digits), month, day), at + 5));
        }
        (self.after(at, BEFORE) && (1..=12).contains(&month))
            .then(|| (self.without_year(month, day), at + 4))
    }

    /// `1/8/2025` with the month first, unless only the day can be first; `on 1/8`.
    fn slashed(&self, at: usize) -> Parsed {
        const BEFORE: &[&str] = &[
            "on", "from", "to", "until", "since", "till", "for", "and", "between", "before",
            "after",
        ];
        let (first, second) = (self.digits(at, 1..3)?, self.digits(at + 2, 1..3)?);
        if !self.is(at + 1, &["/"]) || !self.touching(at, 3) {
            return None;
        }
        if self.is(at + 3, &["/"]) && self.touching(at, 5) {
            let digits = self.token(at + 4)?.text.len();
            let year = full_year(self.digits(at + 4, 2..5)?, digits);
            let day = NaiveDate::from_ymd_opt(year, first, second)
                .or_else(|| NaiveDate::from_ymd_opt(year, second, first));
            return Some((one(day), at + 5));
        }
        let (month, day) = if first <= 12 {
            (first, second)
        } else {
            (second, first)
        };
        self.after(at, BEFORE)
            .then(|| (self.without_year(month, day), at + 3))
    }

    /// `8 Jan`, `8th of January 2025`.
    fn day_month(&self, at: usize) -> Parsed {
        let day = self.digits(at, 1..3)?;
        let mut next = self.after_ordinal(at + 1);
        next += usize::from(self.is(next, &["."])) + usize::from(self.is(next, &["of"]));
        let word = self.word(next)?;
        let month = month(word)?;
        // "5 may be late": the verb.
        if word == "may" && self.is(next + 1, &["be", "have", "not", "i", "we"]) {
            return None;
        }
        Some(self.with_year(month, Some(day), next + 1))
    }

    pub(super) fn after_ordinal(&self, at: usize) -> usize {
        let ordinal = self.is(at, &["st", "nd", "rd", "th"]) && self.tokens[at].glued;
        at + usize::from(ordinal)
    }

    /// `Jan 8`, `January 8th, 2025`, `January 2025`, `January`.
    fn month_day(&self, at: usize) -> Parsed {
        const BEFORE: &[&str] = &[
            "in", "of", "for", "since", "last", "this", "next", "until", "till", "from", "during",
            "to", "and", "between", "before", "after", "by", "early", "late",
        ];
        let word = self.word(at)?;
        let month = month(word)?;
        let dot = usize::from(
            self.is(at + 1, &["."])
                && self
                    .token(at + 2)
                    .is_some_and(|token| token.number().is_some()),
        );
        let next = at + 1 + dot;
        if let Some(day) = self.digits(next, 1..3).filter(|_| !self.counts(next)) {
            return Some(self.with_year(month, Some(day), self.after_ordinal(next + 1)));
        }
        // "May", "march" and "mar" are other words, too.
        let said = !matches!(word, "may" | "mar" | "march")
            || self.after(at, BEFORE)
            || self.year_at(at + 1).is_some();
        said.then(|| self.with_year(month, None, at + 1))
    }

    /// Whether the number at `at` counts something: "in January 5 shipments".
    fn counts(&self, at: usize) -> bool {
        self.word(at + 1).is_some_and(|word| {
            !matches!(
                word,
                "st" | "nd"
                    | "rd"
                    | "th"
                    | "to"
                    | "until"
                    | "till"
                    | "through"
                    | "and"
                    | "or"
                    | "in"
                    | "at"
                    | "on"
                    | "of"
                    | "by"
                    | "per"
                    | "from"
                    | "for"
                    | "with"
                    | "only"
                    | "please"
                    | "instead"
                    | "too"
                    | "as"
                    | "is"
                    | "was"
                    | "were"
                    | "are"
                    | "but"
                    | "sorted"
                    | "grouped"
                    | "group"
                    | "sort"
                    | "order"
                    | "ordered"
                    | "onward"
                    | "onwards"
                    | "forward"
            )
        }) && !self.is(at + 2, &["-"])
    }

    /// The year at `at`, if there is one, and the place behind it.
    pub(super) fn year_at(&self, at: usize) -> Option<(i32, usize)> {
        let at = at + usize::from(self.is(at, &[",", "of"]));
        let year = self.digits(at, 4..5).filter(|year| is_year(*year))?;
        Some((full_year(year, 4), at + 1))
    }

    /// A day or month with the year behind it, if there is one.
    pub(super) fn with_year(&self, month: u32, day: Option<u32>, next: usize) -> (Meaning, usize) {
        match (self.year_at(next), day) {
            (Some((year, next)), Some(day)) => (exactly(year, month, day), next),
            (Some((year, next)), None) => (
                month_days(year, month)
                    .map(|(start, end)| Days::new(start, end))
                    .ok_or_else(|| NO_SUCH_DAY.to_owned()),
                next,
            ),
            (None, Some(day)) => (self.without_year(month, day), next),
            (None, None) => (
                self.guess_year(|year| month_days(year, month))
                    .ok_or_else(|| NO_SUCH_DAY.to_owned()),
                next,
            ),
        }
    }

    /// Such a day of the year that makes most sense.
    pub(super) fn without_year(&self, month: u32, day: u32) -> Meaning {
        self.guess_year(|year| {
            let day = NaiveDate::from_ymd_opt(year, month, day)?;
            Some((day, day))
        })
        .ok_or_else(|| NO_SUCH_DAY.to_owned())
    }

    /// The days of the newest year in which they have begun or begin within a month; looking ahead,
    /// of the first in which they are not over.
    pub(super) fn guess_year(
        &self,
        days_of: impl Fn(i32) -> Option<(NaiveDate, NaiveDate)>,
    ) -> Option<Days> {
        let year = self.today.year();
        let (start, end) = if self.ahead {
            (year..=year + YEARS)
                .filter_map(days_of)
                .find(|(_, end)| *end >= self.today)
        } else {
            let soon = Unit::Day.forth(self.today, 31)?;
            (year - YEARS..=year + 1)
                .rev()
                .filter_map(days_of)
                .find(|(start, _)| *start <= soon)
        }?;
        Some(Days {
            year_guessed: true,
            ..Days::new(start, end)
        })
    }

    /// "3 days ago", "a week ago", "two months ago".
    fn ago(&self, at: usize) -> Parsed {
        let (count, next) = self.some(at)?;
        let (unit, each) = unit(self.word(next)?)?;
        if !self.is(next + 1, &["ago", "earlier", "back"]) {
            return None;
        }
        let day = unit.back(self.today, count.saturating_mul(each));
        found(day.map(|day| Days::relative(day, day)), next + 2)
    }

    /// A count before a unit: `3`, `three`, `a`, `a couple of`, `the few`.
    pub(super) fn some(&self, at: usize) -> Option<(u32, usize)> {
        let article = usize::from(self.is(at, &["a", "an", "the"]));
        let of = |next: usize| next + usize::from(self.is(next, &["of"]));
        if self.is(at + article, &["couple"]) {
            return Some((2, of(at + article + 1)));
        }
        if self.is(at + article, &["few"]) {
            return Some((3, of(at + article + 1)));
        }
        if article == 1 && self.is(at, &["a", "an"]) {
            return Some((1, at + 1));
        }
        self.count(at).map(|count| (count, at + 1))
    }

    /// "Today", "yesterday", "the day before yesterday", "tomorrow".
    fn relative_day(&self, at: usize) -> Parsed {
        let word = self.word(at)?;
        let day =
            |day: Option<NaiveDate>, next| found(day.map(|day| Days::relative(day, day)), next);
        let named =
            |at: usize, name: &str| self.word(at).is_some_and(|word| names(word, name, &[]));
        if word == "day" && self.is(at + 1, &["before"]) && named(at + 2, "yesterday") {
            return day(Unit::Day.back(self.today, 2), at + 3);
        }
        if word == "day" && self.is(at + 1, &["after"]) && is_tomorrow(self.word(at + 2)?) {
            return day(Unit::Day.forth(self.today, 2), at + 3);
        }
        match word {
            "today" | "tonight" => day(Some(self.today), at + 1),
            "this" if self.is(at + 1, &["morning", "afternoon", "evening"]) => {
                day(Some(self.today), at + 2)
            }
            "previous" if self.is(at + 1, &["day"]) => day(Unit::Day.back(self.today, 1), at + 2),
            "next" if self.is(at + 1, &["day"]) => day(Unit::Day.forth(self.today, 1), at + 2),
            _ if named(at, "yesterday") => day(Unit::Day.back(self.today, 1), at + 1),
            _ if is_tomorrow(word) => day(Unit::Day.forth(self.today, 1), at + 1),
            _ => None,
        }
    }

    /// "On Monday", "last Friday", "next Tuesday".
    fn weekday(&self, at: usize) -> Parsed {
        const BEFORE: &[&str] = &[
            "on", "since", "until", "till", "from", "to", "before", "after", "between", "and", "by",
        ];
        let directed = self.is(at, &["last", "past", "previous", "this", "next", "coming"]);
        let place = at + usize::from(directed);
        let (weekday, short) = weekday(self.word(place)?)?;
        // "Sun" and "sat" are other words, too.
        if short && !directed && !self.after(at, BEFORE) {
            return None;
        }
        let day = match self.word(at)? {
            "last" | "past" | "previous" => self.weekday_before(weekday, 1),
            "next" | "coming" => self.weekday_from(weekday, 1),
            "this" => Unit::Week
                .around(self.today)
                .and_then(|(monday, _)| Unit::Day.forth(monday, weekday.num_days_from_monday())),
            _ if self.ahead => self.weekday_from(weekday, 0),
            _ => self.weekday_before(weekday, 0),
        };
        found(day.map(|day| Days::relative(day, day)), place + 1)
    }

    /// The newest such day that is at least `least` days back.
    fn weekday_before(&self, weekday: Weekday, least: u32) -> Option<NaiveDate> {
        let back = self.today.weekday().days_since(weekday);
        Unit::Day.back(self.today, if back < least { back + 7 } else { back })
    }

    /// The first such day that is at least `least` days ahead.
    fn weekday_from(&self, weekday: Weekday, least: u32) -> Option<NaiveDate> {
        let ahead = weekday.days_since(self.today.weekday());
        Unit::Day.forth(self.today, if ahead < least { ahead + 7 } else { ahead })
    }
}

fn is_tomorrow(word: &str) -> bool {
    names(word, "tomorrow", &["tmrw", "tommorow"])
}

fn exactly(year: i32, month: u32, day: u32) -> Meaning {
    one(NaiveDate::from_ymd_opt(year, month, day))
}

fn one(day: Option<NaiveDate>) -> Meaning {
    day.map(|day| Days::new(day, day))
        .ok_or_else(|| NO_SUCH_DAY.to_owned())
}
