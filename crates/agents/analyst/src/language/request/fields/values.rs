//! Values that the descriptions list, and what a field says yes to.

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, FilterOp};

use super::super::scan::{Scan, Use};
use super::super::words::FILLERS;
use crate::language::text::Kind;

impl Scan<'_> {
    /// Words that are values, or that fields say yes to: `delivered`, `not hazardous`.
    pub(in crate::language::request) fn values(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self
                .told_value(at)
                .or_else(|| self.told_before(at))
                .or_else(|| self.early(at))
                .or_else(|| self.missing(at))
                .or_else(|| self.value(at))
                .or_else(|| self.opposite(at))
                .or_else(|| self.part_of_value(at))
                .or_else(|| self.dated_state(at))
                .or_else(|| self.having(at))
                .unwrap_or(at + 1);
        }
        self.negations();
    }

    pub(super) fn value(&mut self, at: usize) -> Option<usize> {
        let (mut end, fields) = self.value_at(at)?;
        let mut from = at;
        let negation = self.negation(at);
        let negated = negation.is_some();
        // "Delivered or arrived", "delivered, arrived and cancelled": one condition.
        loop {
            let next = self.past(end, &[",", "or", "and", "/", "nor"]);
            match self.value_at(next) {
                Some((to, others))
                    if next > end && others.iter().any(|other| fields.contains(other)) =>
                {
                    end = to;
                }
                _ => break,
            }
        }
        let text = self.words(from..end);
        // "Delivered status", "status is delivered": the field's own words add nothing.
        if let Some((to, named)) = self.vocabulary.named(&self.tokens, end)
            && named.iter().any(|field| fields.contains(field))
            && self.all_free(end..to)
        {
            end = to;
        }
        let link = (0..from).rev().take(3).find(|at| {
            !self.is(
                *at,
                &["is", "are", "=", ":", "of", "not", "equals", "was", "were"],
            )
        });
        if let Some(last) = link {
            for start in last.saturating_sub(2)..=last {
                let named = self.vocabulary.named(&self.tokens, start);
                if named.is_some_and(|(to, named)| {
                    to == last + 1 && named.iter().any(|field| fields.contains(field))
                }) && self.all_free(start..from)
                {
                    from = start;
                    break;
                }
            }
        }
        let op = negated.then_some(FilterOp::IsNot);
        // "Neither late nor hazardous": of two fields.
        let text = text.replace(" nor ", " or ");
        self.term(text, TermRole::Filter, op, None);
        self.read_label(at);
        if let Some(no) = negation {
            self.mark(no, Use::Read);
        }
        if at > 0 && self.is(at - 1, &["either", "both"]) {
            self.mark(at - 1..at, Use::Read);
        }
        self.mark(from..end, Use::Read);
        Some(end)
    }

    /// `undelivered`: every other value of the field.
    fn opposite(&mut self, at: usize) -> Option<usize> {
        let word = self.word(at).filter(|_| self.free(at))?;
        let rest = ["un", "non"]
            .iter()
            .find_map(|before| word.strip_prefix(before))?
            .to_owned();
        let mut fields = self.vocabulary.fields().iter();
        let known = fields.any(|field| {
            let mut values = field.values.iter();
            values.any(|value| value.eq_ignore_ascii_case(&rest))
        });
        let so = crate::language::text::tokens(&rest);
        let yes = self.vocabulary.affirmed(&so, 0);
        let known = known || yes.is_some_and(|(end, _)| end == so.len());
        known.then(|| {
            self.term(rest, TermRole::Filter, Some(FilterOp::IsNot), None);
            self.mark(at..at + 1, Use::Read);
            at + 1
        })
    }

    /// `fruit`, of the values `fresh fruit` and `coffee`: the last word of one value that is no
    /// name.
    fn part_of_value(&mut self, at: usize) -> Option<usize> {
        const SHORTEST: usize = 4;
        let free = self.free(at) && self.vocabulary.noun(&self.tokens, at).is_none();
        let word = self.word(at).filter(|_| free)?;
        let named = self.vocabulary.named(&self.tokens, at).is_some()
            || self.vocabulary.is_event(word)
            || self.tokens[at].is(FILLERS);
        if named || word.chars().count() < SHORTEST {
            return None;
        }
        let said = crate::language::text::stem(word);
        let mut values = self
            .vocabulary
            .fields()
            .iter()
            .flat_map(|field| &field.values)
            .filter(|value| !value.contains(char::is_uppercase))
            .filter(|value| {
                let mut words = value.split([' ', '_', '-']);
                let last = words.next_back().unwrap_or_default();
                words.next().is_some() && crate::language::text::stem(last) == said
            });
        let value = values.next()?.clone();
        if values.next().is_some_and(|other| *other != value) {
            return None;
        }
        let negation = self.negation(at);
        let op = negation.is_some().then_some(FilterOp::IsNot);
        self.term(value.replace('_', " "), TermRole::Filter, op, None);
        if let Some(no) = negation {
            self.mark(no, Use::Read);
        }
        self.mark(at..at + 1, Use::Read);
        Some(at + 1)
    }

    /// A value at `at`, or what a field says yes to, that is not part of a name.
    fn value_at(&self, at: usize) -> Option<(usize, Vec<usize>)> {
        let value = self.vocabulary.valued(&self.tokens, at);
        let yes = self.vocabulary.affirmed(&self.tokens, at);
        let (end, fields) = match (value, yes) {
            (Some(value), Some(yes)) if yes.0 > value.0 => yes,
            (Some(value), _) => value,
            (None, yes) => yes?,
        };
        // "Delay" is a field, "delayed" is so or not so.
        let adjective = self.vocabulary.affirmed(&self.tokens, at).is_none()
            || !self.is(at, &["delay", "delays"]);
        // "Arrive at": what is done, not how it stands; only the word as it is a value.
        let exact = fields.iter().any(|field| {
            let field = self.vocabulary.field(*field);
            field.field_type == FieldType::Boolean
                || field.values.iter().any(|value| {
                    let first = value.split(['_', '-', ' ']).next().unwrap_or_default();
                    self.is(at, &[first.to_lowercase().as_str()])
                        // "Reefers".
                        || self.tokens[at].text.strip_suffix('s') == Some(first.to_lowercase().as_str())
                        || self.tokens[at].text == crate::language::text::fold(first)
                })
        });
        let bare_number = self.tokens[at].kind == Kind::Number;
        (adjective && exact && !bare_number && self.all_free(at..end)).then_some((end, fields))
    }
}
