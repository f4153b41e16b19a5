//! Ranges: "from Nov 3 to Nov 9", "Nov 3-9", "between … and …", "since Nov 20", "until Friday",
//! "2025-11-03:2025-11-09".

use chrono::{Datelike, NaiveDate, Weekday};

use super::calendar::{back, forth, month, months_back, weekday};
use super::{Meaning, Parsed, Reader, Year};

/// How a range's two ends are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    Any,
    And,
}

impl Reader<'_> {
    /// A range that begins at `at`.
    pub(super) fn range(&self, at: usize) -> Parsed {
        if let Some(found) = self.weekdays_of_week(at) {
            return Some(found);
        }
        if self.is(at, &["since", "starting", "after"]) {
            return self.since(at);
        }
        if self.is(at, &["until", "till", "before"])
            || self.is(at, &["up"]) && self.is(at + 1, &["to", "until"])
        {
            return self.until(at);
        }
        if self.is(at, &["between"]) {
            return self.two(at + 1, Join::And);
        }
        let start = at + usize::from(self.is(at, &["from"]));
        self.two(start, Join::Any)
            .or_else(|| self.onwards(at))
            .or_else(|| self.open_from(at))
    }

    /// "Monday to Wednesday of last week", "last week from Monday to Wednesday".
    fn weekdays_of_week(&self, at: usize) -> Parsed {
        let named = |at: usize| Some(weekday(self.word(at)?)?.0);
        let ends = |at: usize| {
            let first = at + usize::from(self.is(at, &["from", "between", "on"]));
            let join = if self.is(at, &["between"]) {
                Join::And
            } else {
                Join::Any
            };
            let second = self.joined(first + 1, join)?;
            Some((named(first)?, named(second)?, second + 1))
        };
        let week = |at: usize| {
            let of = usize::from(self.is(at, &["of", "in"]) || self.mark(at, &[","]));
            let (meaning, next) = self.period(at + of)?;
            let Meaning::Days { start, end, .. } = meaning else {
                return None;
            };
            let whole = self.is(at + of, &["last", "this", "the", "previous"])
                && (at + of..next).any(|at| self.is(at, &["week"]))
                && start.weekday() == Weekday::Mon
                && (end - start).num_days() < 7;
            whole.then_some((start, end, next))
        };
        let ((first, last, behind), (start, end, next)) = if let Some(days) = ends(at) {
            (days, week(days.2)?)
        } else {
            let found = week(at)?;
            let comma = usize::from(self.mark(found.2, &[","]));
            (ends(found.2 + comma)?, found)
        };
        let day = |weekday: Weekday| forth(start, weekday.num_days_from_monday());
        let (first, last) = (day(first), day(last).min(end.max(day(first))));
        (first <= last).then_some((
            Meaning::Days {
                start: first,
                end: last,
                year: Year::Said,
                relative: true,
            },
            behind.max(next),
        ))
    }

    /// "Since Nov 20": up to the anchor. "After" leaves the day itself out.
    fn since(&self, at: usize) -> Parsed {
        let first = at
            + 1
            + usize::from(self.is(at + 1, &["from", "on"]))
            + usize::from(self.is(at + 1, &["the"]));
        let (meaning, next) = self.mention(first)?;
        let Meaning::Days {
            start,
            end,
            year,
            relative,
        } = meaning
        else {
            return Some((meaning, next));
        };
        let start = if self.is(at, &["after"]) {
            forth(end, 1)
        } else {
            start
        };
        let end = if start <= self.anchor {
            self.anchor
        } else {
            start
        };
        Some((
            Meaning::Days {
                start,
                end,
                year,
                relative,
            },
            next,
        ))
    }

    /// "Until Nov 20": from the first day of data. "Before" leaves the day itself out.
    fn until(&self, at: usize) -> Parsed {
        let first = at + 1 + usize::from(self.is(at, &["up"]));
        let (meaning, next) = self.mention(first + usize::from(self.is(first, &["the"])))?;
        let Meaning::Days {
            start,
            end,
            year,
            relative,
        } = meaning
        else {
            return Some((meaning, next));
        };
        let end = if self.is(at, &["before"]) {
            back(start, 1)
        } else {
            end
        };
        // "Until 20 December" on the fifth of a year before which there are no data.
        let end = match end.with_year(end.year() + 1) {
            Some(later) if year == Year::Guessed && !relative && end < self.earliest => later,
            _ => end,
        };
        Some((
            Meaning::Days {
                start: self.earliest.min(end),
                end,
                year,
                relative,
            },
            next,
        ))
    }

    /// "From Nov 3 on".
    fn onwards(&self, at: usize) -> Parsed {
        if !self.is(at, &["from"]) {
            return None;
        }
        let (meaning, next) = self.mention(at + 1)?;
        let Meaning::Days {
            start,
            year,
            relative,
            ..
        } = meaning
        else {
            return None;
        };
        let on = self.is(next, &["onwards", "onward", "forward"])
            || self.is(next, &["on"])
                && self
                    .token(next + 1)
                    .is_none_or(|token| token.number().is_none());
        (on && start <= self.anchor).then_some((
            Meaning::Days {
                start,
                end: self.anchor,
                year,
                relative,
            },
            next + 1,
        ))
    }

    /// "From Nov 3": a day of the calendar without an end is the first one.
    pub(super) fn open_from(&self, at: usize) -> Parsed {
        if !self.is(at, &["from"]) || self.ahead {
            return None;
        }
        let the = usize::from(self.is(at + 1, &["the"]));
        let (meaning, next) = self.calendar_day(at + 1 + the)?;
        let Meaning::Days {
            start, end, year, ..
        } = meaning
        else {
            return None;
        };
        let open = start == end && start < self.anchor && self.onwards(at).is_none();
        open.then_some((
            Meaning::Days {
                start,
                end: self.anchor,
                year,
                relative: false,
            },
            next,
        ))
    }

    /// Two ends.
    fn two(&self, at: usize, join: Join) -> Parsed {
        if let Some(found) = self.days_of_month(at, join) {
            return Some(found);
        }
        let (first, next) = self.mention(at)?;
        let second = self.joined(next, join)?;
        let (last, end) = self
            .same_month(first, at, second)
            .or_else(|| self.mention(second))
            .or_else(|| {
                self.is(second, &["now", "date", "present"])
                    .then_some((day_of(self.anchor), second + 1))
            })?;
        Some((ordered(first, last), end))
    }

    /// The index after what joins two ends.
    fn joined(&self, at: usize, join: Join) -> Option<usize> {
        if join == Join::And {
            return self.is(at, &["and", "to"]).then_some(at + 1);
        }
        if self.is(at, &["to", "until", "till", "through", "thru"]) {
            return Some(at + 1 + usize::from(self.is(at + 1, &["the"])));
        }
        if self.mark(at, &["."]) && self.mark(at + 1, &["."]) {
            return Some(at + 2);
        }
        let tight = self.touching(at, 2) && self.token(at).is_some_and(|token| token.glued);
        (self.mark(at, &["-"]) || tight && self.mark(at, &[":", "/"])).then_some(at + 1)
    }

    /// "3-9 Nov", "3 to 9 November 2025".
    fn days_of_month(&self, at: usize, join: Join) -> Parsed {
        let first = self.number(at, 1..3)?;
        let ordinal = usize::from(self.is(at + 1, &["st", "nd", "rd", "th"]));
        let second = self.joined(at + 1 + ordinal, join)?;
        self.number(second, 1..3)?;
        let (last, end) = self.calendar_day(second).filter(|(_, next)| {
            (second + 1..*next).any(|index| self.word(index).and_then(month).is_some())
        })?;
        let Meaning::Days {
            start,
            end: last_day,
            year,
            ..
        } = last
        else {
            return Some((Meaning::Impossible, end));
        };
        let later = |day: NaiveDate| day.with_year(day.year() + 1);
        // "1 to 10 December" on the fifth has begun.
        let (start, last_day) = match (start.with_day(first).and_then(later), later(last_day)) {
            (Some(begun), Some(end)) if year == Year::Guessed && begun <= self.now => (begun, end),
            _ => (start, last_day),
        };
        let first = start
            .with_day(first)
            .map_or(Meaning::Impossible, |start| Meaning::Days {
                start,
                end: start,
                year,
                relative: false,
            });
        Some((
            ordered(
                first,
                Meaning::Days {
                    start: last_day,
                    end: last_day,
                    year,
                    relative: false,
                },
            ),
            end,
        ))
    }

    /// "Nov 3-9", "November 3 to 9, 2025": the second end is a day of the first one's month.
    fn same_month(&self, first: Meaning, at: usize, second: usize) -> Parsed {
        let Meaning::Days {
            start, end, year, ..
        } = first
        else {
            return None;
        };
        self.word(at).and_then(month)?;
        let day = self.number(second, 1..3).filter(|_| start == end)?;
        if self.calendar_day(second).is_some() {
            return None;
        }
        let mut next = second + 1;
        next += usize::from(self.is(next, &["st", "nd", "rd", "th"]));
        let comma = usize::from(self.mark(next, &[","]));
        let said = self
            .number(next + comma, 4..5)
            .and_then(|year| i32::try_from(year).ok());
        let base = said.map_or(Some(start), |year| start.with_year(year))?;
        let next = if said.is_some() {
            next + comma + 1
        } else {
            next
        };
        let meaning = base
            .with_day(day)
            .map_or(Meaning::Impossible, |day| Meaning::Days {
                start: day,
                end: day,
                year,
                relative: false,
            });
        Some((meaning, next))
    }
}

fn day_of(day: NaiveDate) -> Meaning {
    Meaning::Days {
        start: day,
        end: day,
        year: Year::Said,
        relative: true,
    }
}

/// From the first to the last of both. Ends the wrong way round are swapped, unless the years are
/// guessed and the range runs over New Year ("Dec 20 to Jan 5") or beyond the newest data ("Nov 25
/// to Dec 5" on 29 November).
fn ordered(first: Meaning, last: Meaning) -> Meaning {
    let (
        Meaning::Days {
            start,
            end: first_end,
            year,
            relative,
        },
        Meaning::Days {
            start: last_start,
            end,
            year: last_year,
            relative: last_relative,
        },
    ) = (first, last)
    else {
        return Meaning::Impossible;
    };
    let relative = relative && last_relative;
    // A year said with one end holds for the other.
    let start = match (year, last_year) {
        (Year::Guessed, Year::Said) if !last_relative => {
            start.with_year(last_start.year()).unwrap_or(start)
        }
        _ => start,
    };
    let (mut last_start, mut end) = (last_start, end);
    if year == Year::Said && last_year == Year::Guessed && !relative {
        last_start = last_start.with_year(start.year()).unwrap_or(last_start);
        end = end.with_year(start.year()).unwrap_or(end);
    }
    if start > end && (year, last_year) == (Year::Guessed, Year::Guessed) {
        end = end
            .with_year(start.year())
            .filter(|end| start <= *end)
            .unwrap_or(end);
    }
    if start <= end {
        return Meaning::Days {
            start,
            end,
            year,
            relative,
        };
    }
    let over_new_year =
        (year == Year::Guessed || last_year == Year::Guessed) && start.month() > end.month();
    if over_new_year {
        return Meaning::Days {
            start: months_back(start, 12),
            end,
            year,
            relative,
        };
    }
    Meaning::Days {
        start: last_start,
        end: first_end,
        year,
        relative,
    }
}
