//! Absence: no value of a field, no delay, or less than none.

use contracts::tools::meanings::TermRole;
use contracts::tools::search::FilterOp;
use serde_json::Value;

use super::super::due::spoken;
use super::super::scan::{Scan, Use};

impl Scan<'_> {
    /// "Early", "ahead of schedule": less than nothing of what is counted behind the plan.
    pub(super) fn early(&mut self, at: usize) -> Option<usize> {
        if !self.free(at) {
            return None;
        }
        // "Early December" is a time, "early in December" is not.
        let adverb = self.is(at + 1, &["in", "on", "during", "at", "last", "this"]);
        let of_time = self.uses.get(at + 1) == Some(&Use::Time) && !adverb;
        let early = self.is(at, &["early"]) && !of_time;
        let ahead = self.is(at, &["ahead"]) && self.is(at + 1, &["of"]);
        let plan = self.past(at + 2, &["the", "its", "their"]);
        let end = if early {
            at + 1
        } else if ahead && self.is(plan, &["schedule", "plan", "time", "planned", "eta"]) {
            plan + 1
        } else {
            return None;
        };
        let mut fields = self.vocabulary.fields().iter();
        let delay = fields.find(|field| {
            let words = field
                .synonyms
                .iter()
                .map(String::as_str)
                .chain([field.name.as_str()]);
            let mut words = words.flat_map(crate::language::text::tokens);
            field.field_type.is_number()
                && words.any(|word| word.is(&["delay", "delays", "lateness", "tardiness"]))
        })?;
        let name = delay.name.clone();
        let negated = self.negation(at);
        let op = if negated.is_some() {
            FilterOp::Gte
        } else {
            FilterOp::Lt
        };
        self.term(name, TermRole::Filter, Some(op), Some(Value::from(0)));
        if let Some(no) = negated {
            self.mark(no, Use::Read);
        }
        self.mark(at..end, Use::Read);
        Some(end)
    }

    /// `without arrival date`, `no vessel name`: nothing is there.
    pub(super) fn missing(&mut self, at: usize) -> Option<usize> {
        if !self.free(at) || !self.is(at, &["without", "no", "missing", "lacking"]) {
            return None;
        }
        let begin = self.past(at + 1, &["a", "an", "any", "the"]);
        if let Some(end) = self.without_delay(at, begin) {
            return Some(end);
        }
        // "Without delay" is what is not delayed.
        let yes = self.vocabulary.affirmed(&self.tokens, begin);
        if let Some((end, _)) = yes.filter(|(end, _)| self.all_free(begin..*end)) {
            self.term(
                self.words(begin..end),
                TermRole::Filter,
                Some(FilterOp::IsNot),
                None,
            );
            self.mark(at..end, Use::Read);
            return Some(end);
        }
        let (end, fields) = self.vocabulary.named(&self.tokens, begin)?;
        // "No return date" is of `returned_on`.
        let said = match fields.as_slice() {
            [only] => spoken(&self.vocabulary.field(*only).name),
            _ => self.words(begin..end),
        };
        let wanted = self.head.clone().is_some_and(|head| head.start == begin);
        if wanted || !self.all_free(begin..end) || self.is(end, &["filter", "filters", "of", "by"])
        {
            return None;
        }
        self.term(said, TermRole::Filter, Some(FilterOp::Missing), None);
        self.mark(at..end, Use::Read);
        Some(end)
    }

    /// "Without delay", "no delay": nothing of what is counted behind the plan, or less.
    fn without_delay(&mut self, at: usize, begin: usize) -> Option<usize> {
        if !self.is(begin, &["delay", "delays", "lateness"]) || !self.free(begin) {
            return None;
        }
        let (end, fields) = self.vocabulary.named(&self.tokens, begin)?;
        let mut fields = fields.iter().map(|field| self.vocabulary.field(*field));
        let delay = fields.find(|field| field.field_type.is_number())?;
        let name = delay.name.clone();
        let none = Some(Value::from(0));
        self.term(name, TermRole::Filter, Some(FilterOp::Lte), none);
        self.mark(at..end, Use::Read);
        Some(end)
    }
}
