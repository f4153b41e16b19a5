//! Days to come: "tomorrow", "next week", "the coming 3 days", "7-day forecast".

use std::ops::Range;

use chrono::{NaiveDate, Weekday};

use super::calendar::{days_until, weekday};
use super::periods::{Unit, unit};
use super::{Reader, names};
use crate::language::text::Message;

/// Coming days, counted from a day that has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::language) enum Ahead {
    /// This number of days, from the next one on.
    Next(u32),
    /// These days and none before them: "tomorrow", "next weekend".
    Only {
        /// The first, as its distance.
        first: u32,
        /// The last, as its distance.
        last: u32,
    },
}

impl Ahead {
    const fn day(distance: u32) -> Self {
        Self::Only {
            first: distance,
            last: distance,
        }
    }
}

/// The coming days that `message` asks for, counted from the anchor, and the position in the text.
/// `forecasting` when it asks for a forecast: then "for 3 days" and "7-day" look ahead, too.
pub(in crate::language) fn find_ahead(
    message: &Message<'_>,
    anchor: NaiveDate,
    forecasting: bool,
) -> Option<(Ahead, Range<usize>)> {
    let tokens = message.tokens();
    let reader = Reader {
        order: super::Order::MonthFirst,
        tokens: &tokens,
        anchor,
        now: anchor,
        earliest: anchor,
        current: anchor,
        spans: &[],
        ahead: true,
    };
    (0..tokens.len()).find_map(|at| {
        let (days, next) = reader.ahead(at, forecasting)?;
        Some((days, tokens[at].start..tokens[next - 1].end))
    })
}

impl Reader<'_> {
    fn ahead(&self, at: usize, forecasting: bool) -> Option<(Ahead, usize)> {
        if self.is(at, &["day"]) && self.is(at + 1, &["after"]) && self.tomorrow(at + 2) {
            return Some((Ahead::day(2), at + 3));
        }
        if self.tomorrow(at) {
            return Some(self.tomorrow_and(at + 1));
        }
        // "Friday next week", "Friday of next week".
        if let Some((day, _)) = self.word(at).and_then(weekday) {
            let of = usize::from(self.is(at + 1, &["of"]));
            let next = at + 1 + of;
            if self.is(next, &["next"]) && self.is(next + 1, &["week"]) {
                let monday = days_until(self.anchor, Weekday::Mon);
                let distance = monday + day.num_days_from_monday();
                return Some((Ahead::day(distance), next + 2));
            }
        }
        if self.is(at, &["next", "coming", "upcoming", "following"]) {
            let (days, next) = self.next(at + 1)?;
            return Some((self.up_to(at, days), next));
        }
        if self.is(at, &["in"])
            && let Some((count, next)) = self.count(at + 1)
            && let Some(unit) = self
                .word(next)
                .and_then(unit)
                .filter(|unit| matches!(unit, Unit::Day | Unit::Week))
        {
            let time = usize::from(self.is(next + 1, &["time"]));
            return Some((Ahead::day(days(count, unit)), next + 1 + time));
        }
        if self.is(at, &["week"]) && self.is(at + 1, &["ahead"]) {
            return Some((Ahead::Next(7), at + 2));
        }
        if forecasting && self.is(at, &["this"]) && self.is(at + 1, &["week"]) {
            return Some((Ahead::Next(7), at + 2));
        }
        let this = usize::from(self.is(at, &["this"]));
        let past = self.after(at, &["last", "past", "previous", "every", "each"]);
        if forecasting && !past && self.is(at + this, &["weekend"]) {
            return Some((self.up_to(at, self.weekend_to_come()), at + this + 1));
        }
        let (count, next) = self
            .count(at)
            .filter(|_| !self.after(at, &["last", "past", "previous"]))?;
        let unit = unit(self.word(next)?).filter(|unit| *unit != Unit::Hour)?;
        let ahead = self.is(
            next + 1,
            &["ahead", "forecast", "outlook", "prediction", "forward"],
        );
        let from_now = self.is(next + 1, &["from"]) && self.is(next + 2, &["now", "today"]);
        if from_now {
            return Some((Ahead::day(days(count, unit)), next + 3));
        }
        let stated = !self.is(next + 1, &["ago", "of"]);
        (ahead || forecasting && stated).then(|| {
            (
                Ahead::Next(days(count, unit)),
                next + 1 + usize::from(self.is(next + 1, &["ahead", "forward"])),
            )
        })
    }

    fn tomorrow(&self, at: usize) -> bool {
        self.word(at)
            .is_some_and(|word| names(word, "tomorrow", &["tmrw", "tmr"]))
    }

    /// "Tomorrow", "tomorrow and the day after"; `next` is behind the first word.
    fn tomorrow_and(&self, next: usize) -> (Ahead, usize) {
        let and = next + usize::from(self.is(next, &["and"]));
        let the = and + usize::from(self.is(and, &["the"]));
        let both = and > next && self.is(the, &["day"]) && self.is(the + 1, &["after"]);
        if both {
            let again = usize::from(self.tomorrow(the + 2));
            return (Ahead::Only { first: 1, last: 2 }, the + 2 + again);
        }
        let only_to = next > 1 && self.after(next - 1, UP_TO);
        let days = if only_to {
            Ahead::Next(1)
        } else {
            Ahead::day(1)
        };
        (days, next)
    }

    /// The days, and those before them where the message says "until".
    fn up_to(&self, at: usize, days: Ahead) -> Ahead {
        match days {
            Ahead::Only { last, .. } if self.after(at, UP_TO) => Ahead::Next(last),
            days => days,
        }
    }

    /// The weekend that runs, or the next one.
    fn weekend_to_come(&self) -> Ahead {
        let last = days_until(self.anchor, Weekday::Sun) % 7;
        Ahead::Only {
            first: last.saturating_sub(1),
            last,
        }
    }

    /// What follows "next": "week", "3 days", "Friday".
    fn next(&self, at: usize) -> Option<(Ahead, usize)> {
        if let Some((count, next)) = self.count(at)
            && let Some(unit) = self.word(next).and_then(unit)
        {
            return Some((Ahead::Next(days(count, unit)), next + 1));
        }
        let word = self.word(at)?;
        if let Some((weekday, _)) = weekday(word) {
            return Some((Ahead::day(days_until(self.anchor, weekday)), at + 1));
        }
        match unit(word)? {
            Unit::Weekend => {
                // On a Saturday the next one is not the one that runs.
                let first = days_until(self.anchor, Weekday::Sat);
                let last = first + 1;
                Some((Ahead::Only { first, last }, at + 1))
            }
            // "The coming days" says nothing about how many.
            Unit::Day if word == "days" => Some((Ahead::Next(7), at + 1)),
            Unit::Day => Some((Ahead::day(1), at + 1)),
            unit => Some((Ahead::Next(days(1, unit)), at + 1)),
        }
    }
}

/// Words behind which a day is the last of those that are asked for.
const UP_TO: &[&str] = &["until", "till", "through", "thru", "to"];

fn days(count: u32, unit: Unit) -> u32 {
    let each = match unit {
        Unit::Hour => return count.div_ceil(24).max(1),
        Unit::Day => 1,
        Unit::Weekend => 2,
        Unit::Week => 7,
        Unit::Fortnight => 14,
        Unit::Month => 30,
        Unit::Quarter => 90,
        Unit::Year => 365,
    };
    count.saturating_mul(each).max(1)
}
