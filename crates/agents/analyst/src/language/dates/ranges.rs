//! Ranges between two times, or with one open end.

use chrono::{Datelike, Months};

use super::calendar::{Unit, month};
use super::{Days, Meaning, OPEN_END, OPEN_START, Parsed, Reader};

/// Words before two times that are compared.
const COMPARES: &[&str] = &[
    "difference",
    "differences",
    "compare",
    "compared",
    "comparison",
    "comparing",
    "change",
];

impl Reader<'_> {
    /// A range, a period, or a day.
    pub(super) fn range(&self, at: usize) -> Parsed {
        self.open(at)
            .or_else(|| self.introduced(at))
            .or_else(|| self.days_of_month(at))
            .or_else(|| self.bare(at))
            .or_else(|| self.beside(at))
            .or_else(|| self.point(at))
            .map(|(meaning, next)| self.opened_behind(meaning, next))
    }

    /// "5 January or later", "10 January at the latest": an open end that is said behind the day.
    fn opened_behind(&self, meaning: Meaning, next: usize) -> (Meaning, usize) {
        let or = self.is(next, &["or", "and"]);
        let later = &["later", "after", "onward", "onwards", "newer", "afterwards"];
        let earlier = &["earlier", "before", "older"];
        let (from, until, end) = if or && self.is(next + 1, later) {
            (true, false, next + 2)
        } else if or && self.is(next + 1, earlier) {
            (false, true, next + 2)
        } else if self.is(next, &["onward", "onwards"]) {
            (true, false, next + 1)
        } else if self.is(next, &["at"]) && self.is(next + 1, &["the"]) {
            let (latest, earliest) = (
                self.is(next + 2, &["latest"]),
                self.is(next + 2, &["earliest"]),
            );
            (earliest, latest, next + 3)
        } else {
            (false, false, next)
        };
        // "Before 5 January or after …": the words belong to another time.
        let another = || self.end_point(end).is_some();
        match meaning {
            Ok(days) if from && days.end != OPEN_END && !another() => (
                Ok(Days {
                    end: OPEN_END,
                    ..days
                }),
                end,
            ),
            Ok(days) if until && days.start != OPEN_START && !another() => (
                Ok(Days {
                    start: OPEN_START,
                    ..days
                }),
                end,
            ),
            meaning => (meaning, next),
        }
    }

    /// "December 2024 or January 2025", "Monday and Tuesday": two times, the second right behind
    /// the first.
    fn beside(&self, at: usize) -> Parsed {
        let (first, next) = self.point(at)?;
        if !self.is(next, &["or", "and", "vs", "versus"]) {
            return None;
        }
        let (second, end) = self.end_point(next + 1)?;
        let (first, second) = (first.ok()?, second.ok()?);
        let whole = span(Ok(first), Ok(second)).ok()?;
        let days = |days: Days| (days.end - days.start).num_days() + 1;
        (days(whole) == days(first) + days(second)).then_some((Ok(whole), end))
    }

    /// A period or a day.
    pub(super) fn point(&self, at: usize) -> Parsed {
        self.year_first(at)
            .or_else(|| self.period(at))
            .or_else(|| self.day(at))
    }

    /// The same, with an article before it.
    pub(super) fn end_point(&self, at: usize) -> Parsed {
        self.edge(at)
            .map(|(day, next, _)| (day, next))
            .or_else(|| self.point(at))
            .or_else(|| self.is(at, &["the"]).then(|| self.point(at + 1))?)
            .or_else(|| {
                self.is(at, &["now"])
                    .then(|| (Ok(Days::relative(self.today, self.today)), at + 1))
            })
    }

    /// "Since Jan 8", "before March", "after yesterday", "until Friday", "from Jan 8 on".
    fn open(&self, at: usize) -> Parsed {
        let (kind, next) = match self.word(at)? {
            "on" | "at" | "in" | "from" if self.is(at + 1, &["or"]) => match self.word(at + 2)? {
                "after" | "since" | "later" => (
                    "not before",
                    at + 3 + usize::from(self.is(at + 3, &["than"])),
                ),
                "before" | "until" | "earlier" => {
                    ("until", at + 3 + usize::from(self.is(at + 3, &["than"])))
                }
                _ => return None,
            },
            "no" | "not" if self.is(at + 1, &["later", "after"]) => {
                ("until", at + 2 + usize::from(self.is(at + 2, &["than"])))
            }
            "no" | "not" if self.is(at + 1, &["earlier", "before", "sooner"]) => (
                "not before",
                at + 2 + usize::from(self.is(at + 2, &["than"])),
            ),
            "at" if self.is(at + 1, &["the"]) && self.is(at + 2, &["latest", "earliest"]) => {
                let kind = if self.is(at + 2, &["latest"]) {
                    "until"
                } else {
                    "not before"
                };
                (
                    kind,
                    at + 3 + usize::from(self.is(at + 3, &["on", "by", "at"])),
                )
            }
            "by" => ("by", at + 1),
            "since" => ("since", at + 1),
            "starting" | "beginning" => (
                "since",
                at + 1 + usize::from(self.is(at + 1, &["from", "on", "in", "with"])),
            ),
            "after" => ("after", at + 1),
            "before" => ("before", at + 1),
            "prior" if self.is(at + 1, &["to"]) => ("before", at + 2),
            "earlier" if self.is(at + 1, &["than"]) => ("before", at + 2),
            "later" if self.is(at + 1, &["than"]) => ("after", at + 2),
            "until" | "till" => ("until", at + 1),
            "up" if self.is(at + 1, &["to", "until"]) => ("until", at + 2),
            "from" => ("from", at + 1),
            _ => return None,
        };
        // "Before the end of March" is until then: the end is over with the day.
        let is_end = self.edge(next).is_some_and(|(_, _, is_end)| is_end);
        let kind = if is_end && kind == "before" {
            "until"
        } else {
            kind
        };
        let (meaning, mut next) = self.end_point(next)?;
        // "By Friday" is until then; "by month" and "by last week" are something else.
        if kind == "by" && !meaning.as_ref().is_ok_and(|days| days.start == days.end) {
            return None;
        }
        if kind == "from" {
            let on = self.is(next, &["on", "onward", "onwards", "forward"]);
            let lasting = on
                && !self
                    .token(next + 1)
                    .is_some_and(|token| token.is_word() && self.point(next + 1).is_some());
            if !lasting {
                return None;
            }
            next += 1;
        }
        let today = self.today;
        let opened = meaning.and_then(|days| {
            let beyond = || "is beyond the calendar.".to_owned();
            let (start, end) = match kind {
                "since" | "from" if days.start <= today => (days.start, today),
                "since" | "from" | "not before" => (days.start, OPEN_END),
                "after" => (Unit::Day.forth(days.end, 1).ok_or_else(beyond)?, OPEN_END),
                "before" => (
                    OPEN_START,
                    Unit::Day.back(days.start, 1).ok_or_else(beyond)?,
                ),
                _ => (OPEN_START, days.end),
            };
            if start > end {
                return Err(beyond());
            }
            Ok(Days { start, end, ..days })
        });
        Some((opened, next))
    }

    /// "From Jan 8 to Jan 15", "between January and March".
    fn introduced(&self, at: usize) -> Parsed {
        let joined: &[&str] = match self.word(at)? {
            "from" => &["to", "until", "till", "through", "thru", "-", "and"],
            "between" => &["and", "to", "-", "&"],
            _ => return None,
        };
        self.days_of_month(at + 1)
            .or_else(|| self.later_first(at))
            .or_else(|| self.joined(at + 1, joined))
    }

    /// "The difference between December and November": the later one first, and no year between
    /// them.
    fn later_first(&self, at: usize) -> Parsed {
        let (first, next) = self.end_point(at + 1)?;
        let compares = self.tokens[..at].iter().any(|token| token.is(COMPARES));
        if !compares || !self.is(at, &["between"]) || !self.is(next, &["and", "&"]) {
            return None;
        }
        let (second, end) = self.end_point(next + 1)?;
        let (first, second) = (first.ok()?, second.ok()?);
        let no_year = first.year_guessed && second.year_guessed;
        (no_year && first.start == second.end.succ_opt()?)
            .then(|| (span(Ok(second), Ok(first)), end))
    }

    /// "Jan 8 to Jan 15", "2025-01-08 - 2025-01-15", "2025-01-08..2025-01-15".
    fn bare(&self, at: usize) -> Parsed {
        self.joined(
            at,
            &["to", "until", "till", "through", "thru", "-", ".", ":"],
        )
    }

    fn joined(&self, at: usize, words: &[&str]) -> Parsed {
        let (first, mut next) = self.end_point(at)?;
        if !self.is(next, words) {
            return None;
        }
        // One point between two times is the end of a sentence, two are a range.
        if self.is(next, &["."]) {
            if !self.is(next + 1, &["."]) {
                return None;
            }
            next += 1;
        }
        next += 1;
        let (second, end) = self.end_point(next)?;
        Some((span(first, second), end))
    }

    /// "Jan 8-15", "8-15 Jan", "between 8 and 15 January", "8th to 15th of January 2025".
    fn days_of_month(&self, at: usize) -> Parsed {
        self.month_first(at).or_else(|| self.month_last(at))
    }

    fn month_first(&self, at: usize) -> Parsed {
        let month = month(self.word(at)?)?;
        let mut next = at + 1 + usize::from(self.is(at + 1, &["."]));
        let first = self.digits(next, 1..3)?;
        let joint = self.after_ordinal(next + 1);
        next = self.joint(joint)?;
        let last = self.digits(next, 1..3)?;
        if self.is(joint, &["or"]) && last != first + 1 {
            return None;
        }
        next = self.after_ordinal(next + 1);
        // "Jan 8 to 15 Feb": another month follows.
        if self
            .word(next)
            .is_some_and(|word| super::calendar::month(word).is_some())
        {
            return None;
        }
        Some(self.two_days(month, first, last, next))
    }

    fn month_last(&self, at: usize) -> Parsed {
        let first = self.digits(at, 1..3)?;
        let joint = self.after_ordinal(at + 1);
        let mut next = self.joint(joint)?;
        let last = self.digits(next, 1..3)?;
        if self.is(joint, &["or"]) && last != first + 1 {
            return None;
        }
        next = self.after_ordinal(next + 1);
        next += usize::from(self.is(next, &["."]));
        next += usize::from(self.is(next, &["of"]));
        let month = month(self.word(next)?)?;
        Some(self.two_days(month, first, last, next + 1))
    }

    /// The place behind what joins two numbers.
    fn joint(&self, at: usize) -> Option<usize> {
        self.is(at, &["-", "to", "until", "till", "through", "and", "or"])
            .then_some(at + 1)
    }

    fn two_days(&self, month: u32, first: u32, last: u32, next: usize) -> (Meaning, usize) {
        let (end, next) = self.with_year(month, Some(last), next);
        let start = end.clone().and_then(|end| {
            let day = chrono::NaiveDate::from_ymd_opt(end.start.year(), month, first)
                .ok_or_else(|| "is not a day of the calendar.".to_owned())?;
            Ok(Days {
                start: day,
                end: day,
                ..end
            })
        });
        (span(start, end), next)
    }
}

/// From the first day of the one to the last day of the other.
fn span(first: Meaning, second: Meaning) -> Meaning {
    let (mut first, second) = (first?, second?);
    if first.start > second.end {
        // "Dec 20 to Jan 5": the year before. "Friday to Monday": the week before.
        let earlier = if first.year_guessed {
            first.start.checked_sub_months(Months::new(12))
        } else if first.relative && second.relative {
            Unit::Week.back(first.start, 1)
        } else {
            None
        };
        let Some(start) = earlier.filter(|day| *day <= second.end) else {
            return Err("ends before it begins.".to_owned());
        };
        first.start = start;
    }
    // "Jan 8 to Jan 15, 2024": the year is behind the second, and is intended for both.
    if first.year_guessed && !second.year_guessed && !second.relative {
        let same_year = first.start.with_year(second.end.year());
        if let Some(start) = same_year.filter(|start| *start <= second.end) {
            first.start = start;
        } else if let Some(start) = first.start.with_year(second.end.year() - 1) {
            first.start = start;
        }
    }
    Ok(Days {
        start: first.start,
        end: second.end,
        relative: first.relative || second.relative,
        year_guessed: second.year_guessed,
    })
}
