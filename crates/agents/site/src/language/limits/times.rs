//! Limits of time: parts of a day, days picked out of a period or left out of it, figures per day.

use std::ops::Range;

use super::{Limit, Scan, words};
use crate::language::keywords::{Concept as C, concept};
use crate::language::question::was_out;
use crate::language::text::number_word;

impl Scan<'_> {
    /// "Without the 7th", "except 3 to 5 November".
    pub(super) fn days_out(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let mut next = match self.word(at) {
            "without" | "except" | "excluding" | "excl" | "besides" | "minus" => at + 1,
            "not" | "but" if !self.before(at).is_empty() && !self.is_mask(at) => at + 1,
            "other" if self.word(at + 1) == "than" => at + 2,
            "apart" | "aside" if self.word(at + 1) == "from" => at + 2,
            "leaving" if self.word(at + 1) == "out" => at + 2,
            _ => return None,
        };
        while matches!(
            self.word(next),
            "the" | "for" | "on" | "from" | "in" | "days" | "day" | "not"
        ) {
            next += 1;
        }
        if self.is_day(next) {
            return Some((Limit::DaysOut, at..self.after_mask(next)));
        }
        if words::WEEKDAYS.contains(&self.word(next)) {
            return Some((Limit::Weekdays, at..next + 1));
        }
        let ordinal = matches!(self.word(next + 1), "st" | "nd" | "rd" | "th");
        (self.is_number(next) && ordinal).then_some((Limit::DaysOut, at..next + 2))
    }

    /// "In the morning", "at night", "from 10am to 2pm", "between 10:00 and 14:00", "hourly".
    pub(super) fn part_of_day(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let word = self.word(at);
        if words::PARTS_OF_DAY.contains(&word) {
            let report = self.is_report(at + 1) || self.word(at + 1) == "all";
            let greeted = matches!(self.before(at), "good" | "this");
            // What stood still "last night" is a question about a whole day's report.
            let down = self.before(at) == "last"
                && (was_out(self.all) || self.all.has(C::Health) || self.all.has(C::Diagnose));
            return (!report && !greeted && !down).then_some((Limit::PartOfDay, at..at + 1));
        }
        // "The last 36 hours": hours that do not make whole days, which no rule reads as days.
        if matches!(word, "last" | "past" | "previous" | "this") {
            let counted = self.is_number(at + 1) || number_word(self.word(at + 1)).is_some();
            let unit = at + 1 + usize::from(counted || self.word(at + 1) == "few");
            if matches!(self.word(unit), "hour" | "hours" | "hrs" | "minutes") {
                return Some((Limit::PartOfDay, at..unit + 1));
            }
        }
        let clock = |at: usize| {
            if !self.is_number(at) {
                return None;
            }
            if matches!(
                self.word(at + 1),
                "am" | "pm" | "a.m" | "p.m" | "o'clock" | "uhr"
            ) {
                return Some(at + 2);
            }
            let colon = self.word(at + 1) == ":" && self.is_number(at + 2);
            colon.then(|| {
                let end = at + 3;
                end + usize::from(matches!(self.word(end), "am" | "pm"))
            })
        };
        let mut end = clock(at).or_else(|| {
            let range = matches!(self.word(at + 1), "to" | "-" | "until" | "and");
            let behind = range.then(|| clock(at + 2)).flatten();
            behind.filter(|_| self.is_number(at))
        })?;
        if matches!(self.word(end), "to" | "-" | "until" | "till" | "and")
            && let Some(last) = clock(end + 1)
        {
            end = last;
        }
        let start = at - usize::from(self.before(at) == "between");
        Some((Limit::PartOfDay, start..end))
    }

    /// Whether a word names a report as a whole, slips included: "daily report", "morning
    /// breifing".
    fn is_report(&self, at: usize) -> bool {
        let known = matches!(
            concept(self.word(at), true),
            Some((C::Briefing | C::Status, _))
        );
        known || matches!(self.word(at), "brief" | "check")
    }

    pub(super) fn weekdays(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let word = self.word(at);
        if words::WEEKDAYS.contains(&word) {
            return Some((Limit::Weekdays, at..at + 1));
        }
        let counted = (self.is_number(at) || number_word(word).is_some())
            && words::WEEKDAYS.contains(&self.word(at + 1));
        if counted {
            return Some((Limit::Weekdays, at..at + 2));
        }
        let every = matches!(word, "every" | "each");
        let named = words::WEEKDAY.contains(&self.word(at + 1));
        let described = words::DAYS_BY_KIND.contains(&word)
            && matches!(self.word(at + 1), "days" | "day" | "ones");
        (every && named || described).then_some((Limit::Weekdays, at..at + 2))
    }

    /// "Per day", "daily", "month by month", "each week".
    pub(super) fn series(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        const UNITS: &[&str] = &[
            "day", "week", "month", "year", "hour", "quarter", "minute", "weekday", "night",
        ];
        let word = self.word(at);
        let next = self.word(at + 1);
        if words::SERIES.contains(&word) {
            let curve = matches!(next, "curve" | "curves");
            let report = self.is_report(at + 1) || curve;
            let report = report && matches!(word, "daily");
            return (!report && !self.is_average()).then_some((Limit::Series, at..at + 1));
        }
        let of_each = matches!(word, "per" | "each" | "every" | "by")
            && (UNITS.contains(&next)
                || word != "by"
                    && next
                        .strip_suffix('s')
                        .is_some_and(|one| UNITS.contains(&one)));
        let article = word == "a"
            && UNITS.contains(&next)
            && matches!(
                self.before(at),
                "kwh" | "energy" | "much" | "money" | "savings"
            );
        if of_each || article {
            return (!self.is_average()).then_some((Limit::Series, at..at + 2));
        }
        // "Day by day".
        (UNITS.contains(&word) && next == "by" && self.word(at + 2) == word)
            .then_some((Limit::Series, at..at + 3))
    }

    /// "Before it died", "after the repair".
    pub(super) fn clause(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        if !matches!(
            self.word(at),
            "before" | "after" | "until" | "while" | "once"
        ) {
            return None;
        }
        let next = self.word(at + 1);
        let what = self.word(at + 2);
        let of_it = matches!(next, "it" | "they" | "he" | "she" | "we" | "i");
        let of_event = matches!(next, "the" | "its" | "an" | "that")
            && matches!(
                what,
                "outage"
                    | "outages"
                    | "fault"
                    | "failure"
                    | "repair"
                    | "fix"
                    | "change"
                    | "problem"
                    | "error"
                    | "storm"
                    | "cleaning"
                    | "upgrade"
            );
        // "The day before it" is a neighbour of days that were named.
        let neighbour = matches!(self.before(at), "day" | "week" | "month" | "year")
            && self.tokens.len() <= at + 2;
        (!neighbour && (of_it && !what.is_empty() && what != "?" || of_event))
            .then(|| (Limit::Clause, at..self.clause_end(at)))
    }

    /// The end of the clause that begins at a token: the next comma, question mark or masked day.
    pub(super) fn clause_end(&self, at: usize) -> usize {
        (at + 1..self.tokens.len())
            .find(|index| {
                matches!(self.word(*index), "," | "?" | ";" | "!")
                    || self.is_day(*index)
                    || self.is_day(*index + 1)
                        && matches!(
                            self.word(*index),
                            "public"
                                | "bank"
                                | "my"
                                | "our"
                                | "in"
                                | "on"
                                | "for"
                                | "from"
                                | "during"
                        )
            })
            .unwrap_or(self.tokens.len())
    }

    /// "The last days of", "the first weeks in": parts of a period that say no number.
    pub(super) fn open_part(&self, at: usize) -> Option<(Limit, Range<usize>)> {
        let part = matches!(
            self.word(at),
            "first" | "second" | "third" | "fourth" | "last" | "final" | "few"
        ) && matches!(
            self.word(at + 1),
            "day" | "days" | "week" | "weeks" | "month" | "months" | "half" | "quarter" | "third"
        ) && matches!(self.word(at + 2), "of" | "in" | "");
        part.then_some((Limit::PartOfPeriod, at..at + 2))
    }
}
