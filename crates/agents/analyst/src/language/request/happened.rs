//! Verbs of what happened to records: "arrived early", "how many arrived in Hamburg", "departed in
//! December but arrived in January".

use chrono::{Datelike, Days, NaiveDate};
use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FilterOp, Interval};
use serde_json::Value;

use super::GroupTerm;
use super::due::spoken;
use super::scan::{Scan, Use};
use super::words::COMPARE;
use crate::language::dates::{OPEN_END, OPEN_START};

/// Words that say how something happened: the verb before them is not a state of a record.
const HOW: &[&str] = &[
    "early",
    "earlier",
    "late",
    "later",
    "punctually",
    "ahead",
    "behind",
    "delayed",
];
/// Words before an amount of hours or days.
const AMOUNT: &[&str] = &[
    "more", "less", "over", "under", "at", "between", "within", "up", "exactly", "only",
];
/// Words that a verb follows: "shipments that arrived", "how many arrived".
const SUBJECTS: &[&str] = &[
    "that", "which", "who", "many", "and", "but", "also", "has", "have",
];

impl Scan<'_> {
    /// Words that are both a state and what happened ("arrived") where they are a verb.
    pub(super) fn happened(&mut self) {
        for at in 0..self.tokens.len() {
            let Some(verb) = self.word(at).filter(|_| self.free(at)).map(str::to_owned) else {
                continue;
            };
            let is_state = self.vocabulary.valued(&self.tokens, at).is_some();
            if !is_state || !self.vocabulary.has_event(&verb) || !verb.ends_with("ed") {
                continue;
            }
            let exactly = usize::from(self.is(at + 1, &["exactly", "just", "right"]));
            let how = self.is(at + 1, HOW)
                || self.is(at + 1 + exactly, &["on"])
                    && self.is(at + 2 + exactly, &["time", "schedule", "plan"])
                || self.is(at + 1, AMOUNT) && self.uses.get(at + 1) == Some(&Use::Read)
                || self
                    .tokens
                    .get(at + 1)
                    .is_some_and(|next| next.number().is_some() && self.uses[at + 1] == Use::Read);
            // "How many boxes arrived in Hamburg": the noun is counted by a field.
            let counted = self.counted_by.as_ref().map(|(noun, _)| noun.end);
            let of_head =
                self.head.as_ref().is_some_and(|head| head.end == at) || counted == Some(at);
            let asked = at > 0 && self.is(at - 1, SUBJECTS) && !self.is_listed(at);
            let then = self.is(at + 1, &["in", "at", "to", "from", "there", "here"])
                || at + 1 >= self.tokens.len()
                || self.is(at + 1, &["?", "."]);
            if how {
                self.mark(at..at + 1 + exactly, Use::Read);
            } else if (of_head || asked) && then {
                if self.request.time_range.is_none()
                    && let Some(actual) = self.actual_of(&verb)
                {
                    self.term(actual, TermRole::Filter, Some(FilterOp::Exists), None);
                }
                self.mark(at..at + 1, Use::Read);
            }
        }
    }

    /// "Delivered and arrived", "booked or arrived": states beside each other.
    fn is_listed(&self, at: usize) -> bool {
        self.is(at - 1, &["and", "but", "also"])
            && at > 1
            && self.vocabulary.valued(&self.tokens, at - 2).is_some()
    }

    /// The days of other dates: "departed in December but arrived in January".
    pub(super) fn more_times(&mut self) {
        for (range, start, end) in std::mem::take(&mut self.more_times) {
            if self.compared_with(&range, start, end) {
                continue;
            }
            let verb = (range.start.saturating_sub(3)..range.start)
                .rev()
                .find(|at| {
                    self.free(*at)
                        && self
                            .word(*at)
                            .is_some_and(|word| self.vocabulary.has_event(word))
                });
            let said = verb.and_then(|verb| self.word(verb)).map(str::to_owned);
            let actual = said.and_then(|said| self.actual_of(&said));
            let (Some(verb), Some(actual)) = (verb, actual) else {
                let words = self.words(range.clone());
                self.request.remarks.push(format!(
                    "I did not use: \u{201c}{words}\u{201d}. A query has the days of one date only once."
                ));
                self.mark(range, Use::Read);
                continue;
            };
            if start > OPEN_START {
                self.bound(&actual, FilterOp::Gte, start);
            }
            if end < OPEN_END
                && let Some(behind) = end.checked_add_days(Days::new(1))
            {
                self.bound(&actual, FilterOp::Lt, behind);
            }
            self.mark(verb..verb + 1, Use::Read);
            self.mark(range, Use::Read);
        }
    }

    /// "Compare October 2024 and December 2024": both months, and none between them.
    fn compared_with(
        &mut self,
        place: &std::ops::Range<usize>,
        start: NaiveDate,
        end: NaiveDate,
    ) -> bool {
        let months = |start: NaiveDate, end: NaiveDate| {
            start.day() == 1 && end.succ_opt().is_some_and(|next| next.day() == 1)
        };
        let compares = (0..self.tokens.len()).any(|at| self.is(at, COMPARE));
        let Some(first) = self.request.time_range.as_mut().filter(|_| compares) else {
            return false;
        };
        let both = months(first.start, first.end) && months(start, end);
        let (early, late) = if start < first.start {
            ((start, end), (first.start, first.end))
        } else {
            ((first.start, first.end), (start, end))
        };
        if !both || early.1 >= late.0 || self.request.gap.is_some() {
            return false;
        }
        first.start = early.0;
        first.end = late.1;
        if let Some(next) = early.1.succ_opt().filter(|next| *next < late.0) {
            self.request.gap = Some((next, late.0));
        }
        if self.request.group_by.is_empty() {
            self.request.group_by.push(GroupTerm {
                term: None,
                interval: Some(Interval::Month),
            });
        }
        self.mark(place.clone(), Use::Time);
        true
    }

    fn bound(&mut self, field: &str, op: FilterOp, day: NaiveDate) {
        let day = Value::from(day.to_string());
        self.term(field.to_owned(), TermRole::Filter, Some(op), Some(day));
    }

    /// The date on which what a verb says happened, in words.
    fn actual_of(&self, verb: &str) -> Option<String> {
        Some(spoken(&self.event(Some(verb))?.actual))
    }
}
