//! Single days (and months, which are written like them): "Nov 29", "29.11.2025", "yesterday", "on
//! Friday", "3 days ago".

use chrono::{Datelike, NaiveDate};

use super::calendar::{
    back, days_until, forth, full_year, month, month_days, months_back, weekday,
};
use super::{Kind, Meaning, Order, Parsed, Reader, Year, names, one};

/// Number of years in which a day without a year is looked for: 29 February comes every fourth
/// year, with an exception in some centuries.
const YEARS_BACK: i32 = 8;

impl Reader<'_> {
    /// A day or month by the calendar, or by its distance from the anchor.
    pub(super) fn day(&self, at: usize) -> Parsed {
        self.calendar_day(at)
            .or_else(|| self.latest_day_alone(at))
            .or_else(|| self.relative_day(at))
            .or_else(|| self.weekday(at))
    }

    /// A day or month by the calendar.
    pub(super) fn calendar_day(&self, at: usize) -> Parsed {
        self.year_first(at)
            .or_else(|| self.dotted(at))
            .or_else(|| self.slashed(at))
            .or_else(|| self.day_month(at))
            .or_else(|| self.month_day(at))
    }

    /// `2025-11-29` (with a time after it, too), `2025/11/29`, `2025-11`, `20251129`.
    fn year_first(&self, at: usize) -> Parsed {
        if let Some(number) = self.number(at, 8..9) {
            let (year, rest) = (full_year(number / 10_000, 4), number % 10_000);
            return (1990..2100)
                .contains(&year)
                .then(|| (exactly(year, rest / 100, rest % 100), at + 1));
        }
        let year = full_year(self.number(at, 4..5)?, 4);
        if !self.mark(at + 1, &["-", "/", "."]) || !self.touching(at, 3) {
            return None;
        }
        let month = self.number(at + 2, 1..3)?;
        if self.token(at + 3).map(|t| t.text) != self.token(at + 1).map(|t| t.text)
            || !self.touching(at, 5)
        {
            let dash = self.mark(at + 1, &["-"]) && (1900..2200).contains(&year);
            return dash.then(|| {
                (
                    month_days(year, month)
                        .map_or(Meaning::Impossible, |days| self.clipped(days, Year::Said)),
                    at + 3,
                )
            });
        }
        let day = self.number(at + 4, 1..3)?;
        Some((exactly(year, month, day), self.after_time(at + 5)))
    }

    /// The index after a time of day that touches a date: `T13:45:00.000Z`.
    fn after_time(&self, at: usize) -> usize {
        if !self.is(at, &["t"]) || !self.token(at).is_some_and(|token| token.glued) {
            return at;
        }
        let more = self.tokens[at + 1..].iter().take_while(|token| {
            token.glued
                && (token.number().is_some() || matches!(token.text, ":" | "." | "z" | "+" | "-"))
        });
        at + 1 + more.count()
    }

    /// `29.11.2025`, `29.11.`: the day first.
    fn dotted(&self, at: usize) -> Parsed {
        let (day, month) = (self.number(at, 1..3)?, self.number(at + 2, 1..3)?);
        if !self.mark(at + 1, &["."])
            || !self.touching(at, 3)
            || !self.mark(at + 3, &["."])
            || !self.touching(at, 4)
        {
            return None;
        }
        if let Some(year) = self.number(at + 4, 2..5).filter(|_| self.touching(at, 5)) {
            return Some((
                exactly(full_year(year, self.tokens[at + 4].text.len()), month, day),
                at + 5,
            ));
        }
        let introduced = self.after(
            at,
            &[
                "on", "from", "to", "until", "since", "till", "and", "between",
            ],
        ) || self.mark(at.wrapping_sub(1), &["-"]);
        // "Power curve LTI 7.10." is a day, "at 7.10." an amount.
        let amount = self.after(
            at,
            &[
                "at", "rate", "tariff", "price", "of", "by", "is", "was", "chf", "eur", "usd",
                "about",
            ],
        ) || at > 0 && self.tokens[at].glued
            || self.mark(at.wrapping_sub(1), &["$", "€", "£"]);
        let introduced = introduced || !amount && (1..=31).contains(&day);
        (introduced && (1..=12).contains(&month)).then(|| (self.without_year(month, day), at + 4))
    }

    /// `11/29/2025`, `29/11/2025`, `on 11/29`, `1/12 to 3/12`.
    fn slashed(&self, at: usize) -> Parsed {
        let (first, second, next) = self.slashes(at)?;
        let year = (next == at + 5).then(|| self.slashed_year(at)).flatten();
        if year.is_none() && !self.introduced(at) && !self.is_end_of_range(at) {
            return None;
        }
        let day = self
            .slashed_as(first, second, year, self.order)
            .or_else(|| self.slashed_as(first, second, year, self.order.other()));
        Some((day.unwrap_or(Meaning::Impossible), next))
    }

    /// Two numbers with a slash between them, and the index after them and their year.
    pub(super) fn slashes(&self, at: usize) -> Option<(u32, u32, usize)> {
        let (first, second) = (self.number(at, 1..3)?, self.number(at + 2, 1..3)?);
        if !self.mark(at + 1, &["/"])
            || !self.touching(at, 3)
            || at > 1 && self.mark(at - 1, &["/"])
        {
            return None;
        }
        let more = self.mark(at + 3, &["/"]) && self.touching(at, 5);
        match (more, self.slashed_year(at)) {
            (true, Some(_)) => Some((first, second, at + 5)),
            (true, None) => None,
            (false, _) => Some((first, second, at + 3)),
        }
    }

    fn slashed_year(&self, at: usize) -> Option<i32> {
        let token = self.token(at + 4)?;
        (self.mark(at + 3, &["/"]) && self.touching(at, 5)).then_some(())?;
        Some(full_year(self.number(at + 4, 2..5)?, token.text.len()))
    }

    fn introduced(&self, at: usize) -> bool {
        self.after(
            at,
            &[
                "on", "from", "to", "until", "since", "till", "for", "and", "between",
            ],
        )
    }

    /// Whether another such date stands on the other side of "to" or a dash.
    fn is_end_of_range(&self, at: usize) -> bool {
        let joins = |at: usize| {
            self.is(at, &["to", "until", "till", "through", "thru"]) || self.mark(at, &["-"])
        };
        let behind = joins(at + 3) && self.slashes(at + 4).is_some();
        let before = at >= 4 && joins(at - 1) && self.slashes(at - 4).is_some();
        behind || before
    }

    /// The day in one order; none when there is no such day.
    fn slashed_as(
        &self,
        first: u32,
        second: u32,
        year: Option<i32>,
        order: Order,
    ) -> Option<Meaning> {
        let (month, day) = match order {
            Order::MonthFirst => (first, second),
            Order::DayFirst => (second, first),
        };
        if !(1..=12).contains(&month) {
            return None;
        }
        match year {
            Some(year) => NaiveDate::from_ymd_opt(year, month, day).map(|day| said(day, day)),
            None => {
                Some(self.without_year(month, day)).filter(|found| *found != Meaning::Impossible)
            }
        }
    }

    /// The order in which more of the message's dates lie within the data; the month first when
    /// that does not decide.
    pub(super) fn order_of_slashes(&self) -> Order {
        let count = |order, is_good: &dyn Fn(NaiveDate) -> bool| {
            (0..self.tokens.len())
                .filter(|at| {
                    let Some((first, second, next)) = self.slashes(*at) else {
                        return false;
                    };
                    let year = (next == at + 5).then(|| self.slashed_year(*at)).flatten();
                    let day = self.slashed_as(first, second, year, order);
                    matches!(day, Some(Meaning::Days { start, .. }) if is_good(start))
                })
                .count()
        };
        let current = self.current..=self.anchor;
        let measured = |day: NaiveDate| {
            let mut spans = self.spans.iter();
            spans.any(|(first, last)| (*first..=*last).contains(&day))
        };
        // The days that have data now, then those that any device has, then those that were.
        let weight = |order| {
            (
                count(order, &|day| current.contains(&day)),
                count(order, &measured),
                count(order, &|day| day <= self.anchor),
            )
        };
        if !self.ahead && weight(Order::DayFirst) > weight(Order::MonthFirst) {
            Order::DayFirst
        } else {
            Order::MonthFirst
        }
    }

    /// `29 Nov`, `29th of November 2025`.
    fn day_month(&self, at: usize) -> Parsed {
        let day = self.number(at, 1..3)?;
        // "CO2 of October".
        if self.tokens[at].glued && self.after(at, &["co"]) {
            return None;
        }
        let mut next = at + 1;
        if self.is(next, &["st", "nd", "rd", "th"]) && self.tokens[next].glued {
            next += 1;
        }
        next += usize::from(self.mark(next, &["."])) + usize::from(self.is(next, &["of"]));
        let month = month(self.word(next)?)?;
        Some(self.with_year(month, Some(day), next + 1))
    }

    /// `Nov 29`, `November 29th, 2025`, `November 2025`, `November`.
    fn month_day(&self, at: usize) -> Parsed {
        const BEFORE_MAY: &[&str] = &[
            "in", "of", "for", "since", "last", "this", "until", "from", "during", "to", "and",
            "between", "on",
        ];
        let word = self.word(at)?;
        let month = month(word)?;
        let mut next = at + 1;
        next += usize::from(
            self.mark(next, &["."])
                && self
                    .token(next + 1)
                    .is_some_and(|token| token.number().is_some()),
        );
        let Some(day) = self.number(next, 1..3).filter(|_| {
            !self.is(
                next + 1,
                &[
                    "days",
                    "day",
                    "weeks",
                    "kwh",
                    "kw",
                    "kwp",
                    "loggers",
                    "inverters",
                    "ct",
                    "cents",
                ],
            )
        }) else {
            let ambiguous = matches!(word, "may" | "mar" | "march");
            let year = self.number(at + 1, 4..5).is_some();
            return (!ambiguous || year || self.after(at, BEFORE_MAY))
                .then(|| self.with_year(month, None, at + 1));
        };
        next += 1;
        if self.is(next, &["st", "nd", "rd", "th"]) && self.tokens[next].glued {
            next += 1;
        }
        Some(self.with_year(month, Some(day), next))
    }

    /// Reads a year after day and month, if there is one.
    fn with_year(&self, month: u32, day: Option<u32>, next: usize) -> (Meaning, usize) {
        let comma = usize::from(self.mark(next, &[","]));
        let year = self
            .number(next + comma, 4..5)
            .filter(|year| (1900..2200).contains(year));
        match (year.map(|year| full_year(year, 4)), day) {
            (Some(year), Some(day)) => (exactly(year, month, day), next + comma + 1),
            (Some(year), None) => (
                month_days(year, month)
                    .map_or(Meaning::Impossible, |days| self.clipped(days, Year::Said)),
                next + comma + 1,
            ),
            (None, Some(day)) => (self.without_year(month, day), next),
            (None, None) => (self.month_without_year(month), next),
        }
    }

    /// The latest such day that is not after the anchor; when the message looks ahead, the next one
    /// from it on.
    pub(super) fn without_year(&self, month: u32, day: u32) -> Meaning {
        let year = self.now.year();
        let in_year = |year| NaiveDate::from_ymd_opt(year, month, day);
        let found = if self.ahead {
            (year..=year + YEARS_BACK)
                .filter_map(in_year)
                .find(|day| *day >= self.now)
        } else {
            (year - YEARS_BACK..=year)
                .rev()
                .filter_map(in_year)
                .find(|day| *day <= self.now)
        };
        found.map_or(Meaning::Impossible, |day| Meaning::Days {
            start: day,
            end: day,
            year: Year::Guessed,
            relative: false,
        })
    }

    fn month_without_year(&self, month: u32) -> Meaning {
        let year = self.now.year();
        // In a forecast the month that runs or comes, otherwise the one that runs or was.
        let other = if self.ahead { year + 1 } else { year - 1 };
        let days = month_days(year, month)
            .filter(|(start, end)| {
                if self.ahead {
                    *end >= self.now
                } else {
                    *start <= self.now
                }
            })
            .or_else(|| month_days(other, month));
        days.map_or(Meaning::Impossible, |days| {
            self.clipped(days, Year::Guessed)
        })
    }

    /// The days up to the anchor; a period that lies beyond it stays.
    pub(super) fn clipped(&self, (start, end): (NaiveDate, NaiveDate), year: Year) -> Meaning {
        let end = if start <= self.anchor && !self.ahead {
            end.min(self.anchor)
        } else {
            end
        };
        Meaning::Days {
            start,
            end,
            year,
            relative: false,
        }
    }

    /// "On the 5th": the day of a month that is not named, and the index after it.
    pub(super) fn day_alone(&self, at: usize) -> Option<(u32, usize)> {
        const BEHIND: &[&str] = &[
            "and", "or", "to", "until", "at", "in", "for", "please", "till", "then", "was", "is",
            "did", "were", "too", "as", "it", "from",
        ];
        let day = self.number(at, 1..3).filter(|day| (1..=31).contains(day))?;
        let ordinal = self.is(at + 1, &["st", "nd", "rd", "th"]) && self.tokens[at + 1].glued;
        let ends = self.token(at + 2).is_none_or(|next| {
            next.kind == Kind::Mark && !matches!(next.text, "-" | "/" | "\u{1}")
                || BEHIND.contains(&next.text)
        });
        let named = ordinal && ends && self.after(at, &["the", "on", "and"]);
        named.then_some((day, at + 2))
    }

    /// The latest day of that number: "on the 5th".
    fn latest_day_alone(&self, at: usize) -> Parsed {
        let (day, next) = self.day_alone(at)?;
        let first = self.now.with_day(1).unwrap_or(self.now);
        let found = (0..12)
            .filter_map(|ago| months_back(first, ago).with_day(day))
            .find(|found| *found <= self.now)?;
        Some((
            Meaning::Days {
                start: found,
                end: found,
                year: Year::Guessed,
                relative: false,
            },
            next,
        ))
    }

    /// "Today", "yesterday", "the day before yesterday", "3 days ago".
    fn relative_day(&self, at: usize) -> Parsed {
        if let Some(found) = self.ago(at) {
            return Some(found);
        }
        let word = self.word(at)?;
        if word == "day"
            && self.is(at + 1, &["before"])
            && self
                .word(at + 2)
                .is_some_and(|word| names(word, "yesterday", &[]))
        {
            return one(back(self.now, 2), at + 3);
        }
        match word {
            "today" | "tonight" => one(self.now, at + 1),
            "this" if self.is(at + 1, &["morning", "afternoon", "evening"]) => {
                one(self.now, at + 2)
            }
            "last" if self.is(at + 1, &["day"]) => one(self.anchor, at + 2),
            "previous" if self.is(at + 1, &["day"]) => one(back(self.now, 1), at + 2),
            word if names(word, "yesterday", &[]) => one(back(self.now, 1), at + 1),
            _ => None,
        }
    }

    fn ago(&self, at: usize) -> Parsed {
        let (count, next) = self.count(at)?;
        let day = match self.word(next)? {
            "day" | "days" => back(self.now, count),
            "week" | "weeks" => back(self.now, count.checked_mul(7)?),
            "month" | "months" => months_back(self.now, count),
            "year" | "years" => months_back(self.now, count.checked_mul(12)?),
            _ => return None,
        };
        if self.is(next + 1, &["ago", "earlier", "back"]) {
            one(day, next + 2)
        } else {
            None
        }
    }

    /// "On Friday" is the latest one, today included; "last Friday" the latest before today. Short
    /// names need a word before them: "sun" and "sat" mean other things, too.
    fn weekday(&self, at: usize) -> Parsed {
        const BEFORE: &[&str] = &[
            "on", "last", "this", "since", "until", "from", "to", "past", "previous", "for", "and",
        ];
        let last = self.is(at, &["last", "previous", "past"]);
        let name = at + usize::from(last || self.is(at, &["this"]));
        let (weekday, short) = weekday(self.word(name)?)?;
        if short && !self.after(name, BEFORE) || self.after(name, &["next", "coming"]) {
            return None;
        }
        // "Every Monday" picks days out of a period, and "on Friday, 29 November" says the date.
        let comma = usize::from(self.mark(name + 1, &[","]));
        if self.after(at, &["every", "each"]) || self.calendar_day(name + 1 + comma).is_some() {
            return None;
        }
        if self.ahead && !last {
            return one(forth(self.now, days_until(self.now, weekday)), name + 1);
        }
        let since = self.now.weekday().days_since(weekday);
        let days = if last && since == 0 { 7 } else { since };
        one(back(self.now, days), name + 1)
    }

    /// Whether the `count` tokens from `at` on touch one another.
    pub(super) fn touching(&self, at: usize, count: usize) -> bool {
        (at + 1..at + count).all(|index| self.token(index).is_some_and(|token| token.glued))
    }
}

impl Order {
    const fn other(self) -> Self {
        match self {
            Self::MonthFirst => Self::DayFirst,
            Self::DayFirst => Self::MonthFirst,
        }
    }
}

fn exactly(year: i32, month: u32, day: u32) -> Meaning {
    NaiveDate::from_ymd_opt(year, month, day).map_or(Meaning::Impossible, |day| said(day, day))
}

fn said(start: NaiveDate, end: NaiveDate) -> Meaning {
    Meaning::Days {
        start,
        end,
        year: Year::Said,
        relative: false,
    }
}
