//! Parts of a period: "the end of March", "the beginning of the year", "mid December".

use chrono::Datelike;

use super::calendar::{Unit, unit};
use super::{Days, Meaning, Parsed, Reader};

/// Words for the first day of a period.
const START: &[&str] = &["start", "beginning", "begin", "outset"];
/// Words for the last day of a period.
const END: &[&str] = &["end", "close", "ending"];
/// Words for a third of a month.
const THIRD: &[&str] = &["mid", "middle", "early", "late"];
/// The last days of the first and of the middle third of a month.
const THIRDS: (u32, u32) = (10, 20);

/// A third of a month.
#[derive(Debug, Clone, Copy)]
enum Third {
    First,
    Middle,
    Last,
}

impl Reader<'_> {
    /// "The end of March", "the beginning of the week": the first or the last day. Whether it is
    /// the last.
    pub(super) fn edge(&self, at: usize) -> Option<(Meaning, usize, bool)> {
        let word = at + usize::from(self.is(at, &["the"]));
        let is_end = self.is(word, END);
        if !(is_end || self.is(word, START)) {
            return None;
        }
        let (meaning, next) = self.whole(word + 1 + usize::from(self.is(word + 1, &["of"])))?;
        let day = |days: Days| {
            let day = if is_end { days.end } else { days.start };
            Days {
                start: day,
                end: day,
                ..days
            }
        };
        Some((meaning.map(day), next, is_end))
    }

    /// A period of the calendar: "March", "this week", "the month", "last year", "month".
    fn whole(&self, at: usize) -> Parsed {
        let directed = self.is(
            at,
            &[
                "the", "this", "current", "last", "past", "previous", "next", "coming",
            ],
        );
        let named = self.word(at + usize::from(directed)).and_then(unit);
        let Some((of, 1)) = named else {
            let named = at + usize::from(self.is(at, &["the"]));
            // No part of a part.
            let is_part = self.is(named, START) || self.is(named, END) || self.is(named, THIRD);
            return if is_part { None } else { self.point(named) };
        };
        let today = self.today;
        let day = match self.word(at)? {
            "last" | "past" | "previous" => of.back(today, 1)?,
            "next" | "coming" => of.forth(today, 1)?,
            _ => today,
        };
        let (start, end) = of.around(day)?;
        let is_whole = !matches!(of, Unit::Hour | Unit::Day);
        let next = at + 1 + usize::from(directed);
        is_whole.then_some((Ok(Days::relative(start, end)), next))
    }

    /// "At the end of December", "in early December", "mid December": a third of a month, by days
    /// that the answer names.
    pub(super) fn third_of_month(&self, at: usize) -> Parsed {
        let word = at + usize::from(self.is(at, &["the"]));
        let (third, mut next) = match self.word(word)? {
            text if START.contains(&text) => (Third::First, word + 1),
            text if END.contains(&text) => (Third::Last, word + 1),
            "mid" => (
                Third::Middle,
                word + 1 + usize::from(self.is(word + 1, &["-"])),
            ),
            "middle" => (Third::Middle, word + 1),
            // "Late December shipments" may be late ones.
            "early" if self.after(word, &["in"]) => (Third::First, word + 1),
            "late" if self.after(word, &["in"]) => (Third::Last, word + 1),
            _ => return None,
        };
        next += usize::from(self.is(next, &["of"]));
        let (meaning, next) = self.whole(next)?;
        let days = meaning.ok()?;
        let is_month = Unit::Month.around(days.start)? == (days.start, days.end);
        let day = |day: u32| days.start.with_day(day).filter(|_| is_month);
        let (start, end) = match third {
            Third::First => (days.start, day(THIRDS.0)?),
            Third::Middle => (day(THIRDS.0 + 1)?, day(THIRDS.1)?),
            Third::Last => (day(THIRDS.1 + 1)?, days.end),
        };
        Some((Ok(Days { start, end, ..days }), next))
    }
}
