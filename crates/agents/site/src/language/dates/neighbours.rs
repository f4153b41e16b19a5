//! Days named by those of the message before: "the week before", "the day after that", "the
//! previous month".

use std::ops::Range;

use chrono::Datelike;
use contracts::tools::Period;

use super::calendar::{back, forth, month_days, months_back, year_days};
use super::periods::{Unit, unit};
use super::{Message, Reader};
use crate::language::text::number_word;

/// Which side of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// The days that `message` names by those before it, and where it does; `None` when it names none
/// so.
pub(in crate::language) fn beside(
    message: &Message<'_>,
    before: Period,
) -> Option<(Period, Range<usize>)> {
    let tokens = message.tokens();
    let reader = Reader::plain(&tokens);
    (0..tokens.len()).find_map(|at| {
        let (count, unit, side, next) = reader.neighbour(at)?;
        let span = tokens[at].start..tokens[next - 1].end;
        let furthest = neighbour(before, count, unit, side)?;
        // "The 7 days before" are all of them, "7 days before" is the last one.
        let period = if reader.is(at, &["the"]) {
            let nearest = neighbour(before, 1, unit, side)?;
            Period {
                start: furthest.start.min(nearest.start),
                end: furthest.end.max(nearest.end),
            }
        } else {
            furthest
        };
        Some((period, span))
    })
}

/// The day of the month that `message` names alone ("on the 8th"), in the month of the days
/// `before`, and its place; `None` where these are of several months.
pub(in crate::language) fn same_month(
    message: &Message<'_>,
    before: Period,
) -> Option<(Period, Range<usize>)> {
    if before.start.with_day(1) != before.end.with_day(1) {
        return None;
    }
    let tokens = message.tokens();
    let reader = Reader::plain(&tokens);
    (0..tokens.len()).find_map(|at| {
        let (day, next) = reader.day_alone(at)?;
        let day = before.start.with_day(day)?;
        let lead = (0..at)
            .rev()
            .take_while(|at| reader.is(*at, &["the", "on"]));
        let span = tokens[at - lead.count()].start..tokens[next - 1].end;
        let period = Period {
            start: day,
            end: day,
        };
        Some((period, span))
    })
}

/// The place of a part of a month that names no month: "the second week", "the first 3 days".
pub(in crate::language) fn part_alone(message: &Message<'_>) -> Option<Range<usize>> {
    let tokens = message.tokens();
    let reader = Reader::plain(&tokens);
    (0..tokens.len()).find_map(|at| {
        let next = reader.open_part(at)?;
        Some(tokens[at].start..tokens[next - 1].end)
    })
}

impl Reader<'_> {
    /// "The week before", "two days earlier", "the previous month"; the index after it.
    fn neighbour(&self, at: usize) -> Option<(u32, Unit, Side, usize)> {
        let side = |index: usize| match self.word(index)? {
            "before" | "earlier" | "prior" | "previously" | "beforehand" => Some(Side::Before),
            "after" | "later" | "afterwards" | "following" => Some(Side::After),
            _ => None,
        };
        let from = at + usize::from(self.is(at, &["the", "a", "one"]));
        if self.is(from, &["previous", "preceding", "prior", "following"]) {
            let of = self.word(from + 1).and_then(named)?;
            let side = if self.is(from, &["following"]) {
                Side::After
            } else {
                Side::Before
            };
            return Some((1, of, side, from + 2));
        }
        let counted = self
            .number(from, 1..3)
            .or_else(|| number_word(self.word(from)?));
        let (count, unit_at) = match counted {
            Some(count) => (count, from + 1),
            None => (1, from),
        };
        let of = self.word(unit_at).and_then(named)?;
        let side = side(unit_at + 1)?;
        let next = unit_at + 2;
        // "The day before yesterday", "the week before Easter" name their own.
        let own = self.word(next).is_some_and(|word| {
            !matches!(
                word,
                "that" | "this" | "it" | "too" | "please" | "then" | "instead"
            )
        });
        if own
            || self
                .token(next)
                .is_some_and(|token| token.number().is_some())
        {
            return None;
        }
        let next = next + usize::from(self.is(next, &["that", "this", "it"]));
        (count > 0).then_some((count, of, side, next))
    }
}

fn named(word: &str) -> Option<Unit> {
    unit(word).filter(|unit| matches!(unit, Unit::Day | Unit::Week | Unit::Month | Unit::Year))
}

/// The `count`th unit on one side of a period. Of a period that is such a unit itself the next one
/// of its kind, so that the week before a week from Monday begins on a Monday.
fn neighbour(period: Period, count: u32, unit: Unit, side: Side) -> Option<Period> {
    (0..count.min(120)).try_fold(period, |period, _| match side {
        Side::Before => one_before(period, unit),
        Side::After => one_after(period, unit),
    })
}

fn one_before(period: Period, unit: Unit) -> Option<Period> {
    let end = back(period.start, 1);
    let (start, end) = match unit {
        Unit::Week => (back(period.start, 7), end),
        Unit::Month if is_month(period) || !is_about_a_month(period) => {
            let first = months_back(period.start.with_day(1)?, 1);
            month_days(first.year(), first.month())?
        }
        Unit::Month => (back(period.start, length(period)), end),
        Unit::Year => year_days(period.start.year() - 1)?,
        _ => (end, end),
    };
    Some(Period { start, end })
}

fn one_after(period: Period, unit: Unit) -> Option<Period> {
    let start = forth(period.end, 1);
    let (start, end) = match unit {
        Unit::Week => (start, forth(period.end, 7)),
        Unit::Month if is_month(period) || !is_about_a_month(period) => {
            let next = forth(month_days(period.end.year(), period.end.month())?.1, 1);
            month_days(next.year(), next.month())?
        }
        Unit::Month => (start, forth(period.end, length(period))),
        Unit::Year => year_days(period.end.year() + 1)?,
        _ => (start, start),
    };
    Some(Period { start, end })
}

fn length(period: Period) -> u32 {
    u32::try_from((period.end - period.start).num_days() + 1).unwrap_or(1)
}

fn is_about_a_month(period: Period) -> bool {
    (28..=31).contains(&length(period))
}

fn is_month(period: Period) -> bool {
    month_days(period.start.year(), period.start.month()) == Some((period.start, period.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, start: &str, end: &str) -> Option<String> {
        let before = Period {
            start: start.parse().unwrap(),
            end: end.parse().unwrap(),
        };
        let (period, _) = beside(&Message::new(text), before)?;
        Some(format!("{} {}", period.start, period.end))
    }

    /// A message, the first and last day of the message before it, and its own.
    const BESIDE: &[(&str, &str, &str, &str)] = &[
        (
            "the day before",
            "2025-11-08",
            "2025-11-08",
            "2025-11-07 2025-11-07",
        ),
        (
            "the day after that?",
            "2025-11-08",
            "2025-11-08",
            "2025-11-09 2025-11-09",
        ),
        (
            "a day earlier",
            "2025-11-03",
            "2025-11-09",
            "2025-11-02 2025-11-02",
        ),
        (
            "two days before",
            "2025-11-08",
            "2025-11-08",
            "2025-11-06 2025-11-06",
        ),
        (
            "the week before",
            "2025-11-03",
            "2025-11-09",
            "2025-10-27 2025-11-02",
        ),
        (
            "the week before that",
            "2025-11-08",
            "2025-11-08",
            "2025-11-01 2025-11-07",
        ),
        (
            "the following week",
            "2025-11-03",
            "2025-11-09",
            "2025-11-10 2025-11-16",
        ),
        (
            "the month before",
            "2025-11-01",
            "2025-11-30",
            "2025-10-01 2025-10-31",
        ),
        (
            "previous month",
            "2025-11-03",
            "2025-11-09",
            "2025-10-01 2025-10-31",
        ),
        (
            "the month before",
            "2025-11-05",
            "2025-12-04",
            "2025-10-06 2025-11-04",
        ),
        (
            "3 months earlier",
            "2025-11-01",
            "2025-11-30",
            "2025-08-01 2025-08-31",
        ),
        (
            "the 7 days before that",
            "2025-11-23",
            "2025-11-29",
            "2025-11-16 2025-11-22",
        ),
        (
            "and the 2 weeks before?",
            "2025-11-03",
            "2025-11-09",
            "2025-10-20 2025-11-02",
        ),
        (
            "the two months before",
            "2025-10-01",
            "2025-10-31",
            "2025-08-01 2025-09-30",
        ),
        (
            "the 3 days after",
            "2025-11-03",
            "2025-11-09",
            "2025-11-10 2025-11-12",
        ),
        (
            "the month after",
            "2025-01-01",
            "2025-01-31",
            "2025-02-01 2025-02-28",
        ),
        (
            "the year before",
            "2025-11-01",
            "2025-11-30",
            "2024-01-01 2024-12-31",
        ),
    ];

    #[test]
    fn days_beside_those_of_the_message_before() {
        for &(text, start, end, expected) in BESIDE {
            assert_eq!(found(text, start, end).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_days_are_their_own() {
        for text in [
            "the day before yesterday",
            "the week before 3 November",
            "before 5 November",
            "last week",
            "next week",
            "two days",
            "one inverter after another",
        ] {
            assert_eq!(found(text, "2025-11-08", "2025-11-08"), None, "{text}");
        }
    }
}
