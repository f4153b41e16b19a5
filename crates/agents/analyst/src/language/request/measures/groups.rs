//! Groups of a request: "by carrier", "per month", "for each vessel".

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{Interval, MeasureOp};

use super::super::GroupTerm;
use super::super::scan::{Scan, Use};
use super::super::words::{COMPARE, interval};

impl Scan<'_> {
    /// "By carrier", "per month", "for each vessel", "grouped by origin and carrier", "monthly".
    pub(super) fn grouped_by(&mut self, at: usize) -> bool {
        // "Monthly fee" is a field.
        let of_field = self
            .vocabulary
            .named(&self.tokens, at)
            .is_some_and(|(end, _)| end > at + 1);
        if !of_field
            && self.is(
                at,
                &[
                    "daily",
                    "weekly",
                    "monthly",
                    "quarterly",
                    "yearly",
                    "hourly",
                ],
            )
        {
            let every = self.word(at).and_then(interval);
            self.group_by_time(every);
            self.mark(at..at + 1, Use::Read);
            return true;
        }
        if self.is(at, &["over"]) && self.is(at + 1, &["time"]) {
            self.group_by_time(Some(Interval::Month));
            self.mark(at..at + 2, Use::Read);
            return true;
        }
        if self.is(at, &["by"]) && self.ranked_by(at) {
            return true;
        }
        let explicit = self.is(
            at,
            &["group", "grouped", "broken", "break", "split", "grouping"],
        );
        let begin = if explicit {
            match (at + 1..self.tokens.len().min(at + 6))
                .find(|at| self.is(*at, &["by", "per", "into"]))
            {
                Some(by) => by + 1,
                None => return false,
            }
        } else if self.is(at, &["per"]) || self.is(at, &["each"]) || self.is(at, &["by"]) {
            at + 1
        } else if self.is(at, &["for", "in"]) && self.is(at + 1, &["each", "every"]) {
            at + 2
        } else {
            return false;
        };
        let sure = explicit || !self.is(at, &["by"]);
        let mut place = begin;
        let mut any = false;
        while self.request.group_by.len() < 3 {
            let Some(end) = self.group(place, sure) else {
                break;
            };
            any = true;
            self.mark(at..end, Use::Read);
            let joined = self.past(end, &[",", "and", "then", "by"]);
            if joined == end {
                break;
            }
            place = joined;
        }
        any
    }

    pub(super) fn group(&mut self, at: usize, sure: bool) -> Option<usize> {
        let begin = self.past(at, &["the", "each", "a"]);
        if let Some(every) = self
            .word(begin)
            .and_then(interval)
            .filter(|_| self.free(begin))
        {
            self.group_by_time(Some(every));
            return Some(begin + 1);
        }
        // "Compare coffee and furniture by weight": the figure that is compared.
        if let Some(range) = self.known_at(begin)
            && self.is_number(range.start)
            && self.is_compared()
        {
            let words = self.words(range.clone());
            let op = if self.on_average || !self.adds_up(&words) {
                MeasureOp::Average
            } else {
                MeasureOp::Sum
            };
            let end = range.end;
            self.add_measure(op, range);
            return Some(end);
        }
        // "Month of arrival", "arrival month".
        let range = match self.known_at(begin) {
            Some(range) => range,
            None if sure => self.term_at(begin)?,
            None => return None,
        };
        // "By vessel MSC ANNA": a name, no group.
        if !sure && self.is_name(range.end) {
            return None;
        }
        let every = self.word(range.end).and_then(interval);
        let text = self.group_words(range.clone());
        let group = GroupTerm {
            term: Some(text.clone()),
            interval: every,
        };
        if !self.request.group_by.contains(&group) {
            self.term(text, TermRole::GroupBy, None, None);
            self.request.group_by.push(group);
        }
        Some(range.end + usize::from(every.is_some()))
    }

    /// Whether the words compare things.
    fn is_compared(&self) -> bool {
        (0..self.tokens.len())
            .any(|at| self.is(at, COMPARE) || self.is(at, &["difference", "comparing"]))
    }

    pub(super) fn group_by_time(&mut self, interval: Option<Interval>) {
        if self.request.group_by.len() < 3
            && !self
                .request
                .group_by
                .iter()
                .any(|group| group.interval.is_some())
        {
            self.request.group_by.push(GroupTerm {
                term: None,
                interval,
            });
        }
    }
}
