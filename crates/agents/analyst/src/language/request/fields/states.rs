//! States that a source has no word for: a date says that it happened ("returned", of
//! `returned_on`), and a field that there is something ("have an email").

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, FilterOp};

use super::super::due::spoken;
use super::super::scan::{Scan, Use};

/// Participles without the usual ending.
const PARTICIPLES: &[&str] = &[
    "sold", "sent", "paid", "built", "left", "done", "made", "lost",
];
/// Words before a participle.
const BEFORE: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "got", "that", "who",
    "which", "and", "or", "but",
];

impl Scan<'_> {
    /// "Were deleted", "have been returned", "are not closed", "returned rentals": the date of it
    /// is known, or is not.
    pub(super) fn dated_state(&mut self, at: usize) -> Option<usize> {
        let word = self.word(at).filter(|_| self.free(at))?.to_owned();
        if !word.ends_with("ed") && !PARTICIPLES.contains(&word.as_str()) {
            return None;
        }
        let (end, fields) = self.vocabulary.named(&self.tokens, at)?;
        let mut dates = fields
            .iter()
            .map(|field| self.vocabulary.field(*field))
            .filter(|field| field.field_type == FieldType::Date);
        let date = spoken(&dates.next()?.name);
        // Of an event with a plan the words for it are read elsewhere.
        let planned = self.event(Some(&word)).is_some();
        if end != at + 1 || dates.next().is_some() || planned {
            return None;
        }
        let negation = self.negation(at);
        let before = self.past_back(
            at,
            &["already", "yet", "ever", "since", "now", "all", "not"],
        );
        let behind = self.past(at + 1, &["the", "ones"]);
        let of_head = self.head.as_ref().is_some_and(|head| {
            head.end == at || head.start == at + 1 && self.past_back(at, &["the"]) != at + 1
        });
        let stated = negation.is_some()
            || of_head
            || behind > at + 1
            || before > 0 && self.is(before - 1, BEFORE);
        if !stated {
            return None;
        }
        let op = match negation {
            Some(_) => FilterOp::Missing,
            None => FilterOp::Exists,
        };
        self.term(date, TermRole::Filter, Some(op), None);
        if let Some(no) = negation {
            self.mark(no, Use::Read);
        }
        let end = at + 1 + usize::from(self.is(at + 1, &["yet", "already"]));
        self.mark(at..end, Use::Read);
        Some(end)
    }

    /// "Have an email", "with a closing date": there is one.
    pub(super) fn having(&mut self, at: usize) -> Option<usize> {
        const ARTICLES: &[&str] = &["a", "an", "any", "some"];
        let has = self.is(at, &["has", "have", "had", "having"]);
        if !has && !self.is(at, &["with"]) || !self.free(at) {
            return None;
        }
        let begin = self.past(at + 1, &["a", "an", "any", "some", "known"]);
        let article = self.is(at + 1, ARTICLES);
        let (end, fields) = self.vocabulary.named(&self.tokens, begin)?;
        let plain = fields.iter().all(|field| {
            let field = self.vocabulary.field(*field);
            let kind = field.field_type;
            matches!(kind, FieldType::Keyword | FieldType::Text | FieldType::Date)
        });
        let is_thing = self.vocabulary.noun(&self.tokens, begin).is_some()
            || self.vocabulary.entity_type(&self.tokens, begin).is_some();
        let last = !self
            .tokens
            .get(end)
            .is_some_and(|next| next.is_word() && !next.is(super::ENDS) || next.number().is_some());
        let stated = has && self.head.as_ref().is_some_and(|head| head.end <= at) || article;
        if !plain || is_thing || !last || !stated || !self.all_free(begin..end) {
            return None;
        }
        let words = self.words(begin..end);
        self.term(words, TermRole::Filter, Some(FilterOp::Exists), None);
        self.mark(at..end, Use::Read);
        Some(end)
    }
}
