//! Values that are next to their field and that no description lists: "flag Panama", "under the
//! Liberian flag".

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, FilterOp};
use serde_json::Value;

use super::super::scan::{Scan, Use};
use super::super::words::{FILLERS, NOT};
use super::ENDS;
use crate::language::text::Kind;

impl Scan<'_> {
    /// `commodity is steel`, `carrier = "MSC"`, `flag Panama`.
    pub(super) fn told_value(&mut self, at: usize) -> Option<usize> {
        let (end, fields) = self.vocabulary.named(&self.tokens, at)?;
        if !self.all_free(at..end) {
            return None;
        }
        let plain = fields.iter().any(|field| {
            let field = self.vocabulary.field(*field);
            matches!(field.field_type, FieldType::Keyword | FieldType::Text)
                && field.entity_type.is_none()
        });
        let thing = self.vocabulary.noun(&self.tokens, at).is_some()
            || self.vocabulary.entity_type(&self.tokens, at).is_some();
        if !plain || thing {
            return None;
        }
        let link = self.past(
            end,
            &[
                "is", "are", "was", "=", ":", "equals", "equal", "to", "of", "named", "called",
            ],
        );
        let negated = self.is(link, &["not", "isn't"]);
        let from = link + usize::from(negated);
        // What the descriptions know as a value is read as one.
        if self.is(from, &["worst", "best"])
            || self.vocabulary.valued(&self.tokens, from).is_some()
            || self.vocabulary.affirmed(&self.tokens, from).is_some()
        {
            return None;
        }
        let linked = link > end
            && self.tokens[end..link].iter().any(|token| {
                token.is(&[
                    "is", "are", "was", "=", ":", "equals", "equal", "named", "called",
                ])
            })
            || link == end && self.is_given(at, end, &fields);
        let written = |at: usize| {
            self.tokens.get(at).is_some_and(|token| {
                self.uses[at] == Use::Name
                    || token.kind != Kind::Mark
                        && self.free(at)
                        && (token.capital || token.kind == Kind::Number)
                        && !token.is(FILLERS)
            })
        };
        let mut to = from;
        while to < from + 6 && written(to) {
            to += 1;
        }
        if to == from
            && linked
            && self.free(from)
            && self.word(from).is_some_and(|_| !self.is(from, FILLERS))
            && !self.describes_asked(at, end..link)
        {
            to = from + 1;
        }
        // "The flag of Panama"; "the status of MSC ANNA" asks for it.
        let without_values = fields
            .iter()
            .all(|field| self.vocabulary.field(*field).values.is_empty());
        let beside = self.is_borne(at);
        let of = self.is(end, &["of"]) && link == end + 1 && without_values && beside;
        if to == from || (link > end && !linked && !of) {
            return None;
        }
        while to < self.tokens.len() && self.uses[to - 1] == Use::Name && self.uses[to] == Use::Name
        {
            to += 1;
        }
        let said = self.words(from..to);
        let said = said.trim_matches(['"', '\u{201c}', '\u{201d}']).trim();
        if said.is_empty() {
            return None;
        }
        // It is compared with this field, not looked for among names.
        self.request.entity_hints.retain(|hint| hint.text != said);
        // "Panama or Liberia": each.
        let mut values = vec![Value::String(said.to_owned())];
        let (more, last) = self.more_values(to);
        values.extend(more);
        let op = if negated {
            FilterOp::IsNot
        } else {
            FilterOp::Is
        };
        let value = match values.as_slice() {
            [one] => one.clone(),
            _ => Value::Array(values),
        };
        self.term(self.words(at..end), TermRole::Filter, Some(op), Some(value));
        self.told(from..to);
        let to = last.max(to);
        self.mark(at..to, Use::Read);
        if of {
            // "Flying the flag of Panama".
            let verb = self.past_back(at, &["the", "a"]);
            if verb > 0 && self.is(verb - 1, &["fly", "flying", "flies", "bearing"]) {
                self.mark(verb - 1..verb, Use::Read);
            }
        }
        Some(to)
    }

    /// "Which carriers are cheap": behind "are", a word describes the things that the question asks
    /// for. It has nothing to do with the values of the field that names them.
    fn describes_asked(&self, at: usize, link: Range<usize>) -> bool {
        const ASK: &[&str] = &["which", "what", "whose", "all", "any", "the", "our"];
        let asked = at.checked_sub(1).is_some_and(|before| self.is(before, ASK));
        let plural = self.is(link.start, &["are", "were"]);
        let is = link.len() == 1 && (plural || self.is(link.start, &["is", "was"]));
        is && asked && (plural || self.is(at - 1, &["which", "what"]))
    }

    /// "With status open": a word behind a field of which no values are known, and that is nothing
    /// else.
    fn is_given(&self, at: usize, end: usize, fields: &[usize]) -> bool {
        let led = at
            .checked_sub(1)
            .is_some_and(|led| self.is(led, &["with", "whose", "where", "having", "of", "in"]));
        let thing = self.vocabulary.noun(&self.tokens, end).is_some()
            || self.vocabulary.entity_type(&self.tokens, end).is_some();
        // Of a name of several words it is a part.
        let long = self
            .vocabulary
            .named(&self.tokens, end)
            .is_some_and(|(to, _)| to > end + 1);
        let known = thing || long || self.is(end, ENDS) || self.is(end, NOT);
        let unlisted = fields
            .iter()
            .all(|field| self.vocabulary.field(*field).values.is_empty());
        led && unlisted && !known
    }

    /// Whether words say that something has or bears what is named at a place: "with the flag".
    fn is_borne(&self, at: usize) -> bool {
        const BEARING: &[&str] = &[
            "with", "under", "fly", "flying", "flies", "has", "have", "having", "bearing",
        ];
        let before = self.past_back(at, &["the", "a"]);
        before > 0 && self.is(before - 1, BEARING)
    }

    /// Values behind "or" that no description knows: "Panama or Liberia"; and the place behind
    /// them.
    fn more_values(&mut self, from: usize) -> (Vec<Value>, usize) {
        const JOINTS: &[&str] = &["or", "and", ",", "nor"];
        let mut values = Vec::new();
        let mut last = from;
        while self.is(last, JOINTS) {
            let begin = self.past(last, &["or", "and", ",", "nor", "the"]);
            let mut end = begin;
            while end < begin + 4
                && self.free(end)
                && self.tokens[end].is_word()
                && self.tokens[end].capital
            {
                end += 1;
            }
            let known = self.vocabulary.named(&self.tokens, begin).is_some()
                || self.vocabulary.valued(&self.tokens, begin).is_some();
            if end == begin || known || self.is(begin, FILLERS) {
                break;
            }
            values.push(Value::String(self.words(begin..end)));
            self.told(begin..end);
            last = end;
        }
        (values, last)
    }

    /// The words are a value, and name nothing.
    fn told(&mut self, range: Range<usize>) {
        if let Some(words) = self.tokens.get(range)
            && let (Some(first), Some(last)) = (words.first(), words.last())
        {
            self.request.told.push(first.start..last.end);
        }
    }

    /// `under Panama flag`, `the Liberian flag`: a value in capitals before a plain field that has
    /// no list of values.
    pub(super) fn told_before(&mut self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        let begins =
            token.is_word() && token.capital && self.free(at) && at > 0 && !token.is(FILLERS);
        if !begins {
            return None;
        }
        let end = (at + 1..at + 4).find(|end| {
            !self
                .tokens
                .get(*end)
                .is_some_and(|token| token.capital && token.is_word())
        })?;
        let (to, fields) = self.vocabulary.named(&self.tokens, end)?;
        let plain = fields.iter().any(|field| {
            let field = self.vocabulary.field(*field);
            field.field_type == FieldType::Keyword
                && field.entity_type.is_none()
                && field.values.is_empty()
        });
        let thing = self.vocabulary.noun(&self.tokens, end).is_some()
            || self.vocabulary.entity_type(&self.tokens, end).is_some();
        let led = self.is(
            self.past_back(at, &["the", "a"]).checked_sub(1)?,
            &["with", "under", "of", "fly", "flying", "flies", "having"],
        );
        if !plain || thing || !led || !self.all_free(at..to) {
            return None;
        }
        let said = self.words(at..end);
        self.request.entity_hints.retain(|hint| hint.text != said);
        let value = Value::String(said);
        self.term(
            self.words(end..to),
            TermRole::Filter,
            Some(FilterOp::Is),
            Some(value),
        );
        self.told(at..end);
        self.mark(at..to, Use::Read);
        let verb = self.past_back(at, &["the", "a"]);
        if self.is(verb - 1, &["fly", "flying", "flies", "under"]) {
            self.mark(verb - 1..verb, Use::Read);
        }
        Some(to)
    }
}
