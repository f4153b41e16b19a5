//! Times: the days that are wanted, and the dates that they belong to.

use std::ops::Range;

use chrono::Datelike;
use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FilterOp, Interval, MeasureOp, TimeRange};
use serde_json::Value;

use super::super::{GroupTerm, MeasureTerm, due};
use super::{Scan, Use};
use crate::language::dates;
use crate::language::text::{Kind, Token, tokens};

impl Scan<'_> {
    /// `05/12/2024` may be read with the day first, too: the answer says how it was read.
    fn either_order(&mut self, time: &dates::TimeMention) {
        let range = self.tokens_in(&time.span);
        let Ok(days) = &time.meaning else { return };
        let slashed = |at: usize| {
            let number = |at: usize| {
                let token = self.tokens.get(at).filter(|token| token.text.len() <= 2)?;
                token.number().filter(|number| (1..=12).contains(number))
            };
            let slash = self.is(at + 1, &["/"]) && self.is(at + 3, &["/"]);
            let (first, second) = (number(at)?, number(at + 2)?);
            (slash && first != second).then_some(at)
        };
        let Some(at) = range.clone().find_map(slashed) else {
            return;
        };
        let day = if range.start == at {
            days.start
        } else {
            days.end
        };
        let said = self.words(at..at + 5);
        self.request.remarks.push(format!(
            "I read \u{201c}{said}\u{201d} with the month first, as {}.",
            day.format("%-d %B %Y")
        ));
    }

    pub(super) fn take_times(&mut self, times: &[dates::TimeMention]) {
        for time in times {
            self.either_order(time);
            let range = self.tokens_in(&time.phrase);
            // An id is not a date, whatever its digits.
            if range.clone().any(|at| self.uses[at] == Use::Name) {
                continue;
            }
            match &time.meaning {
                Ok(days) if self.request.time_range.is_none() => {
                    self.request.time_range = Some(TimeRange {
                        field: None,
                        start: days.start,
                        end: days.end,
                        kind: Some(self.words(self.tokens_in(&time.span))),
                    });
                    self.mark(range, Use::Time);
                }
                // Of another date where a verb says so; otherwise a remark names it.
                Ok(days) => self.more_times.push((range, days.start, days.end)),
                Err(not) => {
                    self.request
                        .time_problem
                        .get_or_insert_with(|| not.reason.clone());
                    self.mark(range, Use::Time);
                }
            }
        }
    }

    fn tokens_in(&self, span: &Range<usize>) -> Range<usize> {
        let from = self
            .tokens
            .partition_point(|token| token.start < span.start);
        let to = self.tokens.partition_point(|token| token.start < span.end);
        from..to.max(from)
    }

    /// "Built after 2015": a year that is compared with a number is not a time.
    pub(super) fn years(&mut self, times: &[dates::TimeMention]) {
        let Some(range) = &self.request.time_range else {
            return;
        };
        let taken = times.iter().find(|time| {
            let said = self.words(self.tokens_in(&time.span));
            Some(&said) == range.kind.as_ref()
        });
        let Some(phrase) = taken.map(|time| self.tokens_in(&time.phrase)) else {
            return;
        };
        let mut years: Vec<u32> = self.tokens[phrase.clone()]
            .iter()
            .filter_map(|token| token.number().filter(|_| token.text.len() == 4))
            .collect();
        // "Built last year": all days of one year.
        let (first, last) = (range.start, range.end);
        let is_whole = first.ordinal() == 1
            && last.year() == first.year()
            && (last.month(), last.day()) == (12, 31);
        if is_whole {
            years = u32::try_from(first.year()).into_iter().collect();
        }
        let numbers = self.tokens[phrase.clone()]
            .iter()
            .filter(|token| token.kind == Kind::Number);
        // "In December 2024" does not have a year on its own.
        let small = |token: &Token| {
            !token.is_word()
                || token.is(&[
                    "in", "on", "from", "to", "and", "or", "between", "before", "after", "since",
                    "until", "till", "by", "later", "earlier", "no", "not", "than", "the", "year",
                    "during", "of", "at", "for", "onwards", "through",
                ])
        };
        let plain = self.tokens[phrase.clone()].iter().all(small) && numbers.count() == years.len();
        if years.is_empty() || !plain && !is_whole {
            return;
        }
        let field = (phrase.start.saturating_sub(3)..phrase.start).find_map(|from| {
            let (end, fields) = self.vocabulary.named(&self.tokens, from)?;
            let behind = self.past(end, &["is", "was", "were", "in", "the", "year"]);
            let number = |field: &usize| self.vocabulary.field(*field).field_type.is_number();
            (behind >= phrase.start && fields.iter().any(number)).then_some(from..end)
        });
        let Some(field) = field else {
            return;
        };
        let has = |words: &[&str]| {
            self.tokens[phrase.clone()]
                .iter()
                .any(|token| token.is(words))
        };
        let conditions: Vec<(FilterOp, u32)> = match years.as_slice() {
            [from, to] => vec![(FilterOp::Gte, *from), (FilterOp::Lte, *to)],
            [year] if has(&["or", "no", "not"]) && has(&["later", "after", "since", "onwards"]) => {
                // "No later than 2015"; "in 2015 or later".
                let op = if has(&["or"]) {
                    FilterOp::Gte
                } else {
                    FilterOp::Lte
                };
                vec![(op, *year)]
            }
            [year] if has(&["or", "no", "not"]) && has(&["earlier", "before", "until"]) => {
                let op = if has(&["or"]) {
                    FilterOp::Lte
                } else {
                    FilterOp::Gte
                };
                vec![(op, *year)]
            }
            [year] if has(&["after"]) => vec![(FilterOp::Gt, *year)],
            [year] if has(&["before"]) => vec![(FilterOp::Lt, *year)],
            [year] if has(&["since", "from"]) => vec![(FilterOp::Gte, *year)],
            [year] if has(&["until", "till", "by"]) => vec![(FilterOp::Lte, *year)],
            [year] => vec![(FilterOp::Is, *year)],
            _ => return,
        };
        self.request.time_range = None;
        let words = self.words(field.clone());
        for (op, year) in conditions {
            self.term(
                words.clone(),
                TermRole::Filter,
                Some(op),
                Some(Value::from(year)),
            );
        }
        self.mark(field.start..phrase.end, Use::Read);
    }

    /// The verb that the time belongs to: `arrived last week`.
    pub(super) fn time_words(&mut self, times: &[dates::TimeMention]) {
        let Some(range) = &self.request.time_range else {
            return;
        };
        let words = range.kind.clone().unwrap_or_default();
        let Some(from) = self.uses.iter().position(|used| *used == Use::Time) else {
            return;
        };
        let event = |at: &usize| {
            self.free(*at)
                && self
                    .word(*at)
                    .is_some_and(|word| self.vocabulary.is_event(word))
        };
        // "Due this week" says of what date the days are.
        let due = from > 0 && self.is(from - 1, &["due"]);
        let nearest = (from.saturating_sub(24)..from)
            .rev()
            .find(event)
            .or_else(|| {
                if due {
                    return None;
                }
                // Behind it only what still belongs to it: "last week's arrivals".
                (from..self.tokens.len().min(from + 16))
                    .take_while(|at| {
                        !self.is(*at, &[",", ";", "include", "including", "with", "show"])
                    })
                    .find(event)
            });
        let Some(at) = nearest else {
            self.request.time_words = Some(words);
            return;
        };
        let mut begin = at;
        // "Planned to arrive".
        let to = usize::from(begin > 0 && self.is(begin - 1, &["to"]));
        if begin > to
            && self.is(
                begin - 1 - to,
                &["planned", "scheduled", "expected", "estimated", "supposed"],
            )
        {
            begin -= to;
        }
        while begin > 0
            && self.free(begin - 1)
            && self.is(
                begin - 1,
                &[
                    "planned",
                    "actual",
                    "scheduled",
                    "expected",
                    "estimated",
                    "due",
                    "should",
                ],
            )
        {
            begin -= 1;
        }
        let mut end = at + 1;
        if self.is(end, &["date", "dates", "time", "times"]) {
            end += 1;
        }
        self.request.time_words = Some(format!("{} {words}", self.words(begin..end)));
        // "Delivered last week" also says which; "arrived last week" and "arrival date last week"
        // only say when.
        let noun = end > at + 1
            || self
                .word(at)
                .is_some_and(|word| word.ends_with("al") || word.ends_with("ure"));
        let beside = end == from
            || times
                .iter()
                .any(|time| self.tokens_in(&time.phrase).end == begin);
        let has_event = self
            .word(at)
            .is_some_and(|word| self.vocabulary.has_event(word));
        if has_event && (!noun || beside) {
            self.mark(begin..end, Use::Time);
        }
    }

    /// "Compare November and December": each month on its own.
    pub(super) fn compared_months(&mut self) {
        let Some(range) = self
            .request
            .time_range
            .as_ref()
            .filter(|_| self.request.compare)
        else {
            return;
        };
        let months = range.start.day() == 1
            && range.end.succ_opt().is_some_and(|next| next.day() == 1)
            && range.end.signed_duration_since(range.start).num_days() > 31;
        let said = range.kind.clone().unwrap_or_default();
        let joined = tokens(&said)
            .iter()
            .any(|token| token.is(&["and", "vs", "versus"]));
        if !months || !joined || !self.request.group_by.is_empty() {
            return;
        }
        self.request.group_by.push(GroupTerm {
            term: None,
            interval: Some(Interval::Month),
        });
        if self.request.measures.is_empty() {
            self.request.measures.push(MeasureTerm {
                op: MeasureOp::Count,
                term: None,
            });
        }
    }

    /// The date that is intended in the likeliest index when none is named.
    pub(in super::super) fn usual_date(&self) -> Option<String> {
        let Some(first) = self.request.indices.first() else {
            let mut indices = self
                .sources
                .sources
                .iter()
                .flat_map(|source| &source.indices);
            return indices
                .find(|index| due::has_plan(index))?
                .date_field
                .clone();
        };
        let mut sources = self.sources.sources.iter();
        let source = sources.find(|source| source.name == first.source)?;
        let mut indices = source.indices.iter();
        let index = indices.find(|index| index.name == first.index)?;
        index.date_field.clone()
    }
}
