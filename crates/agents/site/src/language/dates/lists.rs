//! Several days or periods in one message: "on 1, 2 and 3 November", "September and October".

use chrono::Datelike;
use contracts::tools::Period;

use super::calendar::{forth, month};
use super::{DEVICES, Kind, Meaning, Reader, When, Year};

/// Units whose number is not a day of a month.
const UNITS: &[&str] = &[
    "%", "days", "day", "weeks", "week", "months", "month", "years", "hours", "hour", "kwh", "kw",
    "kwp", "mwh", "w", "kg", "ct", "cents", "am", "pm",
];

impl Reader<'_> {
    /// The days from `at` on: one mention, or several that are joined by "and" or a comma.
    pub(super) fn listed(&self, at: usize) -> Option<(Vec<Meaning>, usize)> {
        let (mut meanings, mut next) = self.one_or_numbers(at)?;
        let by_month = self.word(at).and_then(month).is_some();
        while !self.ahead
            && let Some(start) = self.joint(next)
        {
            let more = self.one_or_numbers(start).or_else(|| {
                let (meaning, next) = self.same_months_day(start, *meanings.last()?)?;
                by_month.then(|| (vec![meaning], next))
            });
            let Some((more, end)) = more else { break };
            meanings.extend(more);
            next = end;
        }
        say_the_year(&mut meanings);
        Some((meanings, next))
    }

    fn one_or_numbers(&self, at: usize) -> Option<(Vec<Meaning>, usize)> {
        let one = || {
            let (meaning, next) = self.range(at).or_else(|| self.mention(at))?;
            Some((vec![meaning], next))
        };
        self.weekends(at)
            .or_else(|| self.numbers_of_month(at))
            .or_else(one)
    }

    /// "1, 2 and 3 November": numbers whose month stands with the last of them.
    fn numbers_of_month(&self, at: usize) -> Option<(Vec<Meaning>, usize)> {
        if self.ahead || self.token(at)?.glued {
            return None;
        }
        let mut days = Vec::new();
        let mut start = at;
        let (last, next) = loop {
            let dated = self.calendar_day(start).filter(|(_, next)| {
                (start + 1..*next).any(|index| self.word(index).and_then(month).is_some())
            });
            if let Some(dated) = dated {
                break dated;
            }
            let day = self
                .number(start, 1..3)
                .filter(|day| (1..=31).contains(day))?;
            days.push(day);
            let ordinal = usize::from(self.is(start + 1, &["st", "nd", "rd", "th"]));
            start = self.joint(start + 1 + ordinal)?;
        };
        if days.is_empty() {
            return None;
        }
        let Meaning::Days { start, year, .. } = last else {
            return Some((vec![Meaning::Impossible], next));
        };
        let mut meanings: Vec<Meaning> = days
            .into_iter()
            .map(|day| of_day(start.with_day(day), year))
            .collect();
        meanings.push(last);
        Some((meanings, next))
    }

    /// "… and 5" after "3 November" or "November 3".
    fn same_months_day(&self, at: usize, before: Meaning) -> Option<(Meaning, usize)> {
        let Meaning::Days {
            start, end, year, ..
        } = before
        else {
            return None;
        };
        let day = self.number(at, 1..3).filter(|day| (1..=31).contains(day))?;
        let ordinal = self.is(at + 1, &["st", "nd", "rd", "th"]);
        let next = at + 1 + usize::from(ordinal);
        let other = self.token(next).is_some_and(|token| {
            UNITS.contains(&token.text)
                || DEVICES.contains(&token.text)
                || token.glued
                    && token.kind == Kind::Mark
                    && matches!(token.text, "." | "/" | "-")
                    && self.token(next + 1).is_some_and(|after| after.glued)
        });
        (start == end && !other).then(|| (of_day(start.with_day(day), year), next))
    }

    /// The index after what joins two mentions.
    fn joint(&self, at: usize) -> Option<usize> {
        let comma = self.mark(at, &[",", "&", "+"]);
        let word = at + usize::from(comma);
        let and = self.is(word, &["and", "or", "plus"]);
        if !comma && !and {
            return None;
        }
        let mut next = word + usize::from(and);
        while self.is(next, &["on", "in", "the", "also", "for", "during"]) {
            next += 1;
        }
        Some(next)
    }
}

fn of_day(day: Option<chrono::NaiveDate>, year: Year) -> Meaning {
    day.map_or(Meaning::Impossible, |day| Meaning::Days {
        start: day,
        end: day,
        year,
        relative: false,
    })
}

/// A year said with the last of several holds for those before it.
fn say_the_year(meanings: &mut [Meaning]) {
    let Some((
        Meaning::Days {
            start: said,
            year: Year::Said,
            relative: false,
            ..
        },
        others,
    )) = meanings.split_last_mut()
    else {
        return;
    };
    for other in others {
        if let Meaning::Days {
            start,
            end,
            year: Year::Guessed,
            relative: false,
        } = other
            && let (Some(first), Some(last)) =
                (start.with_year(said.year()), end.with_year(said.year()))
        {
            (*start, *end) = (first, last);
        }
    }
}

/// What several mentions are together.
pub(super) struct Together {
    pub(super) when: When,
    /// All are named by their distance from now.
    pub(super) relative: bool,
    /// More than one of them counts.
    pub(super) merged: bool,
}

/// Several mentions as one: days that follow one another are a period, and the narrower of two
/// that lie in one another counts. `None` when one of them does not exist.
pub(super) fn together(meanings: &[Meaning]) -> Option<Together> {
    let mut periods: Vec<Period> = Vec::new();
    let mut all_relative = true;
    for meaning in meanings {
        let Meaning::Days {
            start,
            end,
            relative,
            ..
        } = *meaning
        else {
            return None;
        };
        let period = Period { start, end };
        all_relative &= relative;
        if !periods.contains(&period) {
            periods.push(period);
        }
    }
    let contains = |outer: &Period, inner: &Period| {
        outer != inner && outer.start <= inner.start && inner.end <= outer.end
    };
    let all = periods.clone();
    periods.retain(|outer| !all.iter().any(|inner| contains(outer, inner)));
    let periods_left = periods.len();
    let mut sorted = periods.clone();
    sorted.sort_by_key(|period| (period.start, period.end));
    let mut sorted = sorted.into_iter();
    let first = sorted.next()?;
    let whole = sorted.try_fold(first, |whole, next| {
        (next.start <= forth(whole.end, 1)).then(|| Period {
            start: whole.start,
            end: whole.end.max(next.end),
        })
    });
    let when = match whole {
        Some(Period { start, end }) if start == end => When::Day(start),
        Some(period) => When::Range(period),
        None => When::Apart(periods),
    };
    Some(Together {
        when,
        relative: all_relative,
        merged: periods_left > 1,
    })
}
