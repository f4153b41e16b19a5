//! Words that mean fields and values of them.

mod absent;
mod negations;
mod states;
mod told;
mod values;

use std::ops::Range;

use contracts::tools::meanings::TermRole;

use super::scan::{Scan, Use};
use super::words::{BEFORE_NAMES, FILLERS};

/// Words that end the words for a field.
const ENDS: &[&str] = &[
    "for",
    "in",
    "to",
    "from",
    "at",
    "on",
    "by",
    "per",
    "of",
    "with",
    "where",
    "that",
    "which",
    "who",
    "is",
    "are",
    "was",
    "were",
    "and",
    "or",
    "last",
    "this",
    "since",
    "between",
    "during",
    "over",
    "under",
    "above",
    "below",
    "descending",
    "ascending",
    "desc",
    "asc",
    "instead",
    "please",
    "sorted",
    "grouped",
    "than",
    "only",
    "first",
    "when",
    "has",
    "have",
    "having",
    "as",
    "too",
    "also",
    "now",
    "across",
    "within",
    "each",
    "using",
    "then",
    "but",
    "via",
    "into",
];

impl Scan<'_> {
    /// The words at `at` for something to compute, group or sort: a field, a noun, or up to three
    /// other words.
    pub(super) fn term_at(&self, at: usize) -> Option<Range<usize>> {
        let begin = self.past(
            at,
            &[
                "the",
                "a",
                "an",
                "their",
                "its",
                "each",
                "number",
                "of",
                "different",
            ],
        );
        if begin > at && !self.free(begin) {
            return None;
        }
        if let Some(range) = self.known_at(at).or_else(|| self.known_at(begin)) {
            return Some(range);
        }
        let mut end = begin;
        while end < begin + 3
            && self.free(end)
            && self.tokens[end].is_word()
            && !self.is(end, ENDS)
            && !(end > begin && self.is(end, FILLERS))
        {
            end += 1;
        }
        (end > begin && !self.is(begin, FILLERS)).then_some(begin..end)
    }

    /// The words at `at` that a field or the records of an index are called.
    pub(super) fn known_at(&self, at: usize) -> Option<Range<usize>> {
        let field = self.vocabulary.named(&self.tokens, at).map(|(end, _)| end);
        let noun = self.vocabulary.noun(&self.tokens, at).map(|(end, _)| end);
        let kind = self.vocabulary.entity_type(&self.tokens, at);
        let end = field.max(noun).max(kind)?;
        self.all_free(at..end).then_some(at..end)
    }

    pub(super) fn past_back(&self, at: usize, words: &[&str]) -> usize {
        let mut at = at;
        while at > 0 && self.is(at - 1, words) {
            at -= 1;
        }
        at
    }

    /// Fields that are named and were not used: they are to be shown.
    pub(super) fn selected(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let Some(range) = self.known_at(at) else {
                at += 1;
                continue;
            };
            let end = range.end;
            // Other records that are asked for, too, are not among those that are found: the answer
            // says so.
            if self.is_another_noun(&range) || self.is_stray_noun(&range) {
                at = end;
                continue;
            }
            self.planned_and_actual(&range);
            if self.is_to_be_shown(&range) {
                // A figure shows no fields: what was named has no part in it, and the answer says
                // so.
                if self.is_figure() && !self.is_usual_event(&range) {
                    at = end;
                    continue;
                }
                self.term(self.words(range.clone()), TermRole::Select, None, None);
            }
            // A noun beside the wanted one ("vessel MSC ANNA") is understood, too.
            self.mark(range, Use::Read);
            at = end;
        }
    }

    /// "Late arrivals": what happened to every record by the usual date.
    fn is_usual_event(&self, range: &Range<usize>) -> bool {
        let usual = self.usual_date();
        let named = self.vocabulary.named(&self.tokens, range.start);
        named.is_some_and(|(_, fields)| {
            let mut fields = fields
                .iter()
                .map(|field| &self.vocabulary.field(*field).name);
            fields.any(|name| Some(name) == usual.as_ref())
        })
    }

    /// "How many instruments need repair?": a figure of the ones with a word for others, which no
    /// field of them has and no name is beside.
    fn is_stray_noun(&self, range: &Range<usize>) -> bool {
        let places = |at: usize| {
            self.vocabulary
                .noun(&self.tokens, at)
                .map(|(_, places)| places)
        };
        let Some(head) = self.head.clone().filter(|_| self.is_figure()) else {
            return false;
        };
        let (own, other) = (
            places(head.start).unwrap_or_default(),
            places(range.start).unwrap_or_default(),
        );
        let is_field = self.vocabulary.named(&self.tokens, range.start).is_some()
            || self
                .vocabulary
                .entity_type(&self.tokens, range.start)
                .is_some();
        let is_beside = self.is_name(range.end) || range.start > 0 && self.is_name(range.start - 1);
        let is_other = !other.is_empty() && !other.iter().any(|place| own.contains(place));
        is_other
            && range.start >= head.end
            && !is_field
            && !is_beside
            && self.request.other_records.is_none()
    }

    /// Whether something is computed, so that no record is shown.
    fn is_figure(&self) -> bool {
        !self.request.measures.is_empty() || !self.request.group_by.is_empty()
    }

    /// "How many vessels and ports": a word for records that are neither the requested ones nor one
    /// of their fields, and that has no name next to it.
    fn is_another_noun(&self, range: &Range<usize>) -> bool {
        let joined = range.start > 0 && {
            let before = self.past_back(range.start, &["the", "many", "how", "all"]);
            before > 0 && self.is(before - 1, &["and", ",", "or", "&"])
        };
        // "How many vessels and ports": also where records of the one have a field for the other.
        let counted = !self.request.measures.is_empty()
            && self.head.as_ref().is_some_and(|head| {
                range.start > head.end
                    && range.start - head.end <= 3
                    && self.is(head.end, &["and", "or", "&"])
            });
        if counted && self.vocabulary.noun(&self.tokens, range.start).is_some() {
            return true;
        }
        self.head.is_some()
            && joined
            && self.vocabulary.named(&self.tokens, range.start).is_none()
            && self
                .vocabulary
                .entity_type(&self.tokens, range.start)
                .is_none()
            && self.vocabulary.noun(&self.tokens, range.start).is_some()
            && !self.is_name(range.end)
            && !self.is(range.end, &["of", "called", "named"])
    }

    /// "Planned and actual arrival": two dates.
    fn planned_and_actual(&mut self, range: &Range<usize>) {
        const KINDS: &[&str] = &["planned", "actual", "scheduled", "estimated", "expected"];
        let Some(other) = range.start.checked_sub(2).filter(|at| self.free(*at)) else {
            return;
        };
        let joined = self.is(other, KINDS)
            && self.is(
                other + 1,
                &["and", "or", "vs", "versus", "&", "with", "against"],
            );
        if !joined || !self.is(range.start, KINDS) || range.len() < 2 {
            return;
        }
        let words = format!(
            "{} {}",
            self.words(other..other + 1),
            self.words(range.start + 1..range.end)
        );
        let said = crate::language::text::tokens(&words);
        let known = self.vocabulary.named(&said, 0);
        if known.is_some_and(|(end, _)| end == said.len()) {
            self.term(words, TermRole::Select, None, None);
            self.mark(other..other + 1, Use::Read);
        }
    }

    fn is_to_be_shown(&self, range: &Range<usize>) -> bool {
        if self
            .vocabulary
            .named(&self.tokens, range.start)
            .is_none_or(|(end, _)| end != range.end)
        {
            return false;
        }
        let noun = self
            .vocabulary
            .noun(&self.tokens, range.start)
            .is_some_and(|(end, _)| end == range.end)
            || self.vocabulary.entity_type(&self.tokens, range.start) == Some(range.end);
        if !noun {
            return true;
        }
        // A word for a kind of things is a field only where fields are listed, and no name follows.
        let before = range.start.checked_sub(1).map(|at| {
            let mut at = at;
            while at > 0 && self.is(at, &["the", "their", "its", "a"]) {
                at -= 1;
            }
            at
        });
        let listed = before.is_some_and(|at| {
            self.is(
                at,
                &[
                    "include",
                    "including",
                    "add",
                    "show",
                    "with",
                    "and",
                    ",",
                    "plus",
                    "also",
                    "display",
                    "column",
                    "columns",
                ],
            )
        });
        let named = self.is(range.end, &["of", "called", "named"])
            || self.is_name(range.end)
            || self.tokens.get(range.end).is_some_and(|token| {
                self.free(range.end)
                    && token.is_word()
                    && !token.is(FILLERS)
                    && !token.is(BEFORE_NAMES)
                    && self.known_at(range.end).is_none()
            });
        listed && !named
    }
}
