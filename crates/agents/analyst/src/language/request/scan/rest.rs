//! Words that no step took.

use super::super::words::{BEFORE_AMOUNTS, BEFORE_NAMES, COMPARE, FILLERS, NOT, OPERATORS};
use super::super::{Leftover, Operator, nouns};
use super::{MAX_LEFTOVER, Scan};
use crate::language::text::Kind;

impl Scan<'_> {
    /// Content words that no step took, in runs.
    pub(super) fn leftover(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() && self.request.leftover.len() < MAX_LEFTOVER {
            if !self.is_content(at) {
                at += 1;
                continue;
            }
            let mut end = at + 1;
            // "Port of Miami" is one run.
            loop {
                let over = self.past(end, &["of", "-", "&"]);
                if self.is_content(end) {
                    end += 1;
                } else if over > end && self.is_content(over) && over <= end + 1 {
                    end = over + 1;
                } else {
                    break;
                }
            }
            let before = at.checked_sub(1);
            let introduced = before.is_some_and(|before| {
                let before = if self.is(before, &["the"]) {
                    before.saturating_sub(1)
                } else {
                    before
                };
                self.is(before, BEFORE_NAMES)
                    || self.vocabulary.entity_type(&self.tokens, before).is_some()
                        && !nouns::is_plural(&self.tokens[before..=before])
            });
            let written = at > 0 && self.tokens[at].capital;
            self.request.leftover.push(Leftover {
                span: self.tokens[at].start..self.tokens[end - 1].end,
                words: self.words(at..end),
                name_like: introduced || written,
            });
            at = end;
        }
    }

    /// Words that change the meaning of others and that no step took.
    pub(super) fn operators(&mut self) {
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            let comma = self.is(at + 1, &[",", "."]);
            let is_one = self.points(at)
                || self.is(at, NOT) && !(at == 0 && comma)
                || self.is(at, &["or"])
                || self.is(at, COMPARE)
                || self.is(at, OPERATORS) && !self.is(at + 1, &["about", "details", "info"])
                || self.is(at, BEFORE_AMOUNTS)
                    && (self.is_name(at + 1)
                        || self
                            .tokens
                            .get(at + 1)
                            .is_some_and(|next| next.kind == Kind::Number))
                || self.is(at, &["apart", "aside"]) && self.is(at + 1, &["from"])
                || self.is_exception(at);
            if !self.free(at) || !is_one || self.request.operators.len() >= MAX_LEFTOVER {
                continue;
            }
            let said = self.text.get(token.start..).unwrap_or_default();
            let mut phrases = self.request.negated.iter();
            let excludes = phrases
                .find(|phrase| said.starts_with(phrase.as_str()))
                .cloned();
            self.request.operators.push(Operator {
                span: token.start..token.end,
                word: token.text.clone(),
                excludes,
            });
        }
    }

    /// "There" as a place, "of it": of something that was said before.
    fn points(&self, at: usize) -> bool {
        const BE: &[&str] = &["is", "are", "was", "were", "be", "been", "exist"];
        let be = at > 0 && self.is(at - 1, BE) || self.is(at + 1, BE);
        self.is(at, &["there"]) && !be
            || self.is(at, &["it", "them"]) && at > 0 && self.is(at - 1, &["of", "with"])
    }

    fn is_content(&self, at: usize) -> bool {
        let apart = self.is(at, &["apart", "aside"]) && self.is(at + 1, &["from"]);
        self.free(at)
            && self.tokens[at].kind != Kind::Mark
            && !self.tokens[at].is(FILLERS)
            && !self.tokens[at].is(NOT)
            && !self.tokens[at].is(&["either"])
            && !apart
            && (self.tokens[at].kind == Kind::Number || self.tokens[at].text.chars().count() > 1)
    }
}
