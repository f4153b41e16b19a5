//! Words that name something, by their form or because they are known.

use std::ops::Range;

use contracts::tools::meanings::EntityMention;

use super::{Scan, Use};
use crate::language::text::{Kind, tokens};

impl Scan<'_> {
    /// Quoted words, and words written like an id: they name something.
    pub(super) fn names_by_form(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let end = self.quoted(at).or_else(|| self.id(at));
            let Some((inside, end)) = end else {
                at += 1;
                continue;
            };
            let text = self.words(inside);
            if !text.trim().is_empty() && self.request.entity_hints.len() < 16 {
                self.request.entity_hints.push(EntityMention {
                    text,
                    entity_type: None,
                });
                self.mark(at..end, Use::Name);
            }
            at = end;
        }
    }

    /// Words that turned out to be names: nothing else is read in them.
    pub(super) fn known_names(&mut self, names: &[String]) {
        for name in names {
            let wanted: Vec<String> = tokens(name).into_iter().map(|token| token.text).collect();
            for at in 0..self.tokens.len() {
                let range = at..at + wanted.len();
                let said = self.tokens.get(range.clone()).unwrap_or_default();
                let same = !wanted.is_empty() && said.iter().map(|token| &token.text).eq(&wanted);
                if same && self.all_free(range.clone()) {
                    self.mark(range, Use::Name);
                }
            }
        }
    }

    fn quoted(&self, at: usize) -> Option<(Range<usize>, usize)> {
        if !self.is(at, &["\""]) {
            return None;
        }
        let close = (at + 1..self.tokens.len().min(at + 24)).find(|end| self.is(*end, &["\""]))?;
        (close > at + 1).then_some((at + 1..close, close + 1))
    }

    /// `MSCU1234565`, `SHP-000123`, `a1b2-…`: letters and digits that touch, at least three digits.
    fn id(&self, at: usize) -> Option<(Range<usize>, usize)> {
        if self.tokens[at].kind == Kind::Mark {
            return None;
        }
        let mut end = at + 1;
        while self.tokens.get(end).is_some_and(|token| {
            token.glued && (token.kind != Kind::Mark || token.is(&["-", "_", "/"]))
        }) {
            end += 1;
        }
        while end > at + 1 && self.tokens[end - 1].kind == Kind::Mark {
            end -= 1;
        }
        let run = &self.tokens[at..end];
        let digits: usize = run
            .iter()
            .filter(|token| token.kind == Kind::Number)
            .map(|token| token.text.len())
            .sum();
        let letters = run
            .iter()
            .any(|token| token.kind == Kind::Word && token.capital);
        let begins = run
            .first()
            .is_some_and(|token| token.is_word() && token.text.len() <= 12);
        (run.len() > 1 && digits >= 3 && letters && begins).then_some((at..end, end))
    }

    /// "Between Shanghai and Rotterdam": read with the names as "from … to".
    pub(super) fn between_names(&mut self) {
        for at in 0..self.tokens.len() {
            let compared = (0..at)
                .any(|at| self.is(at, &["difference", "compare", "comparison", "comparing"]));
            if !self.is(at, &["between"]) || !self.free(at) || compared {
                continue;
            }
            let begin = self.past(at + 1, &["the"]);
            let mut and = begin;
            while self.uses.get(and) == Some(&Use::Name) {
                and += 1;
            }
            let behind = self.past(and + 1, &["the"]);
            if and > begin && self.is(and, &["and"]) && self.uses.get(behind) == Some(&Use::Name) {
                self.mark(at..at + 1, Use::Read);
                self.mark(and..and + 1, Use::Read);
            }
        }
    }
}
