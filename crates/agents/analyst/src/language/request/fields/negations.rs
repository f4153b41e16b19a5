//! Words that say no to what follows: "not", "except the", "everything but".

use std::ops::Range;

use super::super::scan::{Scan, Use};
use super::super::words::{FILLERS, NOT};
use crate::language::text::Kind;

/// Verbs by which something is said to be so: "flagged as hazardous".
const LABELLED: &[&str] = &[
    "flagged",
    "marked",
    "labelled",
    "labeled",
    "listed",
    "shown",
    "known",
    "tagged",
    "recorded",
    "registered",
    "reported",
    "considered",
    "classified",
    "classed",
    "declared",
    "noted",
    "described",
];

impl Scan<'_> {
    /// Marks the verb by which what is read at `at` is said to be so.
    pub(in crate::language::request) fn read_label(&mut self, at: usize) {
        let before = self.past_back(at, &["as", "to", "be", "been", "being", "the"]);
        if before > 0 && self.is(before - 1, LABELLED) && self.free(before - 1) {
            self.mark(before - 1..before, Use::Read);
        }
    }

    /// The words before `at` that say no: `not`, `without`, `except the`, `other than`; `but`
    /// behind `everything`.
    pub(in crate::language::request) fn negation(&self, at: usize) -> Option<Range<usize>> {
        const BETWEEN: &[&str] = &[
            "the",
            "a",
            "any",
            "yet",
            "been",
            "be",
            "being",
            "-",
            "ones",
            "have",
            "has",
            "those",
            "from",
            "to",
            "at",
            "in",
            "of",
            "by",
            "on",
            "via",
            "with",
            "for",
            "are",
            "is",
            "was",
            "were",
            "go",
            "going",
            "come",
            "coming",
            "carried",
            "carrying",
            "carry",
            "carries",
            "shipped",
            "operated",
            "handled",
            "transported",
            "moved",
            "sent",
            "include",
            "including",
            "contain",
            "containing",
            "using",
            "aboard",
            "only",
            "just",
            "as",
        ];
        let mut before = at;
        while before > 0
            && at - before < 7
            && (self.is(before - 1, BETWEEN) || self.is(before - 1, LABELLED))
        {
            before -= 1;
        }
        let last = before.checked_sub(1)?;
        if self.is(last, NOT) || self.is_exception(last) {
            return Some(last..before);
        }
        let two = last.checked_sub(1)?;
        let pairs: [(&str, &[&str]); 3] = [
            ("than", &["other", "rather"]),
            ("from", &["apart", "aside"]),
            ("for", &["except", "save"]),
        ];
        let pair = |last: usize| {
            pairs.iter().any(|(second, firsts)| {
                last > 0 && self.is(last, &[second]) && self.is(last - 1, firsts)
            })
        };
        if pair(last) {
            return Some(two..before);
        }
        // "Apart from": "from" was passed as a preposition.
        (before < at && pair(before)).then_some(last..before + 1)
    }

    /// "Everything but coffee", "to all ports but Hamburg".
    pub(in crate::language::request) fn is_exception(&self, at: usize) -> bool {
        const ALL: &[&str] = &[
            "all",
            "every",
            "everything",
            "everywhere",
            "anything",
            "any",
            "anywhere",
            "none",
            "nothing",
        ];
        self.is(at, &["but", "save"])
            && (at.saturating_sub(4)..at).any(|before| self.is(before, ALL))
            && !(at.saturating_sub(4)..at).any(|before| self.is(before, &[",", "."]))
    }

    /// Phrases that are excluded, for names that are in them.
    pub(super) fn negations(&mut self) {
        for at in 0..self.tokens.len() {
            let pair = self.is(at, &["other", "rather"]) && self.is(at + 1, &["than"])
                || self.is(at, &["apart", "aside"]) && self.is(at + 1, &["from"]);
            let no = (self.is(at, NOT) || self.is_exception(at)) && self.free(at) || pair;
            if !no || self.request.negated.len() >= 8 {
                continue;
            }
            let mut end = at + 1;
            while end < self.tokens.len().min(at + 12)
                && matches!(self.uses[end], Use::Free | Use::Name)
                && (end == at + 1 || !self.is(end, &[".", ";", "but", "with", "that", "which"]))
            {
                // "Except Hamburg and Rotterdam"; "not from Shanghai and to Hamburg" needs what
                // goes there.
                if self.is(end, &[",", "and", "or"]) && !self.excludes_more(end + 1) {
                    break;
                }
                end += 1;
            }
            let named = (at + 1..end).any(|at| self.uses[at] == Use::Name || !self.is(at, FILLERS));
            if named {
                let phrase = self.words(at..end);
                self.request.negated.push(phrase);
            }
        }
    }

    /// Whether another name that is excluded may are at `at`, behind "and".
    fn excludes_more(&self, at: usize) -> bool {
        let at = self.past(at, &["the"]);
        let free = matches!(self.uses.get(at), Some(Use::Free | Use::Name));
        free && !self.is(at, FILLERS)
            && self.vocabulary.noun(&self.tokens, at).is_none()
            && self.tokens[at].kind != Kind::Mark
    }
}
