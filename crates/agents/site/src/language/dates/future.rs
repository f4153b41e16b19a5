//! Days to come: "tomorrow", "next week", "the coming 3 days", "7-day forecast".

use std::ops::Range;

use chrono::{NaiveDate, Weekday};

use super::calendar::{days_until, weekday};
use super::periods::{Unit, unit};
use super::{Reader, names};
use crate::language::text::Message;

/// Number of days after the anchor that `message` asks for, and the position in the text.
/// `forecasting` when it asks for a forecast: then "for 3 days" and "7-day" look ahead, too.
pub(in crate::language) fn find_ahead(
    message: &Message<'_>,
    anchor: NaiveDate,
    forecasting: bool,
) -> Option<(u32, Range<usize>)> {
    let tokens = message.tokens();
    let reader = Reader {
        order: super::Order::MonthFirst,
        tokens: &tokens,
        anchor,
        earliest: anchor,
        current: anchor,
        ahead: true,
    };
    (0..tokens.len()).find_map(|at| {
        let (days, next) = reader.ahead(at, forecasting)?;
        Some((days, tokens[at].start..tokens[next - 1].end))
    })
}

impl Reader<'_> {
    fn ahead(&self, at: usize, forecasting: bool) -> Option<(u32, usize)> {
        if self.is(at, &["day"]) && self.is(at + 1, &["after"]) && self.tomorrow(at + 2) {
            return Some((2, at + 3));
        }
        if self.tomorrow(at) {
            return Some((1, at + 1));
        }
        if self.is(at, &["next", "coming", "upcoming", "following"]) {
            return self.next(at + 1);
        }
        if self.is(at, &["in"])
            && let Some((count, next)) = self.count(at + 1)
            && let Some(unit) = self
                .word(next)
                .and_then(unit)
                .filter(|unit| matches!(unit, Unit::Day | Unit::Week))
        {
            return Some((days(count, unit), next + 1));
        }
        if self.is(at, &["week"]) && self.is(at + 1, &["ahead"]) {
            return Some((7, at + 2));
        }
        if forecasting && self.is(at, &["this"]) && self.is(at + 1, &["week"]) {
            return Some((7, at + 2));
        }
        let (count, next) = self
            .count(at)
            .filter(|_| !self.after(at, &["last", "past", "previous"]))?;
        let unit = unit(self.word(next)?).filter(|unit| *unit != Unit::Hour)?;
        let ahead = self.is(
            next + 1,
            &["ahead", "forecast", "outlook", "prediction", "forward"],
        );
        let stated = !self.is(next + 1, &["ago", "of"]);
        (ahead || forecasting && stated).then(|| {
            (
                days(count, unit),
                next + 1 + usize::from(self.is(next + 1, &["ahead", "forward"])),
            )
        })
    }

    fn tomorrow(&self, at: usize) -> bool {
        self.word(at)
            .is_some_and(|word| names(word, "tomorrow", &["tmrw", "tmr"]))
    }

    /// What follows "next": "week", "3 days", "Friday".
    fn next(&self, at: usize) -> Option<(u32, usize)> {
        if let Some((count, next)) = self.count(at)
            && let Some(unit) = self.word(next).and_then(unit)
        {
            return Some((days(count, unit), next + 1));
        }
        let word = self.word(at)?;
        if let Some((weekday, _)) = weekday(word) {
            return Some((days_until(self.anchor, weekday), at + 1));
        }
        match unit(word)? {
            Unit::Weekend => Some((days_until(self.anchor, Weekday::Sun), at + 1)),
            // "The coming days" says nothing about how many.
            Unit::Day if word == "days" => Some((7, at + 1)),
            unit => Some((days(1, unit), at + 1)),
        }
    }
}

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
