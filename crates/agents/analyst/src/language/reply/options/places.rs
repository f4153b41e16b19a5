//! Options by their place: "the second one", "option b", "the first for both".

use super::fillers::is_filler;
use super::{Choice, Reader, Role};
use crate::language::text::number_word;

impl<'m> Reader<'m> {
    /// Options by their place: "the second one", "2", "option b", "first for Miami".
    pub(super) fn places(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let Some((place, to)) = self.place(at) else {
                at += 1;
                continue;
            };
            let parts: Vec<usize> = match self.about(at, to) {
                Some(part) => vec![part],
                None => (0..self.parts.len()).collect(),
            };
            let choices: Vec<Choice> = parts
                .into_iter()
                .filter_map(|part| {
                    let count = self.parts[part].options.len();
                    let option = match place {
                        Place::At(option) => option,
                        Place::Last => count.checked_sub(1)?,
                        Place::OfTwo(option) if count == 2 => option,
                        Place::OfTwo(_) => return None,
                    };
                    (option < count).then_some((part, option))
                })
                .collect();
            if choices.is_empty() {
                at += 1;
                continue;
            }
            self.take(at, to, choices);
            at = to;
        }
    }

    pub(super) fn place(&self, at: usize) -> Option<(Place, usize)> {
        const NAMES: &[&str] = &["first", "second", "third", "fourth", "fifth"];
        if self.roles[at] != Role::Unread {
            return None;
        }
        let noun = |to: usize| {
            let noun = self.is(to, &["one", "option", "choice", "port", "item", "entry"]);
            to + usize::from(noun)
        };
        let token = &self.tokens[at];
        if token.is(&["option", "number", "no", "nr", "choice", "#", "answer"]) {
            let dot = usize::from(self.is(at + 1, &[".", "#", ":"]));
            let place = self.number_or_letter(at + 1 + dot)?;
            return Some((Place::At(place), at + 2 + dot));
        }
        if let Some(place) = NAMES.iter().position(|name| token.is(&[name])) {
            return Some((Place::At(place), noun(at + 1)));
        }
        if token.is(&["former"]) {
            return Some((Place::OfTwo(0), noun(at + 1)));
        }
        if token.is(&["latter"]) {
            return Some((Place::OfTwo(1), noun(at + 1)));
        }
        if token.is(&["last"]) {
            let to = noun(at + 1);
            let ends = to > at + 1 || self.tokens[to..].iter().all(|token| !token.is_word());
            return ends.then_some((Place::Last, to));
        }
        let glued = self
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.glued && next.is_word());
        if token.number().is_some() && glued && self.is(at + 1, &["st", "nd", "rd", "th"]) {
            return Some((Place::At(self.number_or_letter(at)?), noun(at + 2)));
        }
        // A number or letter alone: only where the message has nothing else to say.
        let begins = at == 0
            && token.number().is_some()
            && self.is(1, &[",", ";", "but", "and", "plus", "also", "please"]);
        if number_word(&token.text).is_some() && self.tokens.len() > 1 {
            return None;
        }
        let touches = token.glued && self.tokens[at - 1].is_word();
        (!glued && !touches && (begins || self.alone()))
            .then(|| Some((Place::At(self.number_or_letter(at)?), at + 1)))?
    }

    fn number_or_letter(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        if let Some(number) = token.number() {
            return usize::try_from(number).ok()?.checked_sub(1);
        }
        if let Some(number) = number_word(&token.text) {
            return usize::try_from(number).ok()?.checked_sub(1);
        }
        match token.text.as_bytes() {
            [letter @ b'a'..=b'h'] => Some(usize::from(letter - b'a')),
            _ => None,
        }
    }

    /// Whether only places, mentions and words around them is left to read.
    fn alone(&self) -> bool {
        let others = self.tokens.iter().zip(&self.roles).filter(|(token, role)| {
            **role == Role::Unread
                && token.is_word()
                && token.text.len() > 1
                && !is_filler(token)
                && !token.is(&["for", "and", "first", "second", "third", "all"])
                && !self
                    .mentions
                    .iter()
                    .any(|mention| mention.contains(&token.text))
        });
        others.count() == 0 && self.tokens.len() <= 24
    }

    /// The part that the words beside an answer say it is for: "first for Miami", "Miami: the
    /// first".
    pub(super) fn about(&mut self, from: usize, to: usize) -> Option<usize> {
        if self.is(to, &["for", "of", "as", "in"]) {
            let the = usize::from(self.is(to + 1, &["the"]));
            if let Some((part, end)) = self.mention_at(to + 1 + the) {
                self.roles[to..end].fill(Role::About);
                return Some(part);
            }
        }
        let mut before = from;
        while before > 0
            && self.is(
                before - 1,
                &[":", "=", "is", "-", "the", ",", ">", "means", "as"],
            )
        {
            before -= 1;
        }
        let (part, start) = self.mention_before(before)?;
        let linked = before < from
            && self.tokens[before..from]
                .iter()
                .any(|token| token.is(&[":", "=", "is", ">", "-", "means", "as"]))
            || start > 0 && self.is(start - 1, &["for"]);
        if !linked {
            return None;
        }
        self.roles[start..from].fill(Role::About);
        Some(part)
    }

    fn mention_at(&self, at: usize) -> Option<(usize, usize)> {
        self.mentions
            .iter()
            .enumerate()
            .find_map(|(part, mention)| {
                if mention.is_empty() {
                    return None;
                }
                self.reads(at, mention).map(|end| (part, end))
            })
    }

    fn mention_before(&self, end: usize) -> Option<(usize, usize)> {
        self.mentions
            .iter()
            .enumerate()
            .find_map(|(part, mention)| {
                let start = end
                    .checked_sub(mention.len())
                    .filter(|_| !mention.is_empty())?;
                (self.reads(start, mention) == Some(end)).then_some((part, start))
            })
    }

    /// "Both", "all of them": each option of the one part; with a place ("the first for both") that
    /// place of each part.
    pub(super) fn all_of_them(&mut self) {
        const ALL: &[&str] = &["both", "all"];
        let Some(at) = (0..self.tokens.len()).find(|at| self.is(*at, ALL)) else {
            return;
        };
        if !self.alone() {
            return;
        }
        match (self.found.as_mut_slice(), self.parts.as_slice()) {
            ([], [part]) => {
                let count = part.options.len();
                if self.tokens[at].is(&["both"]) && count != 2 {
                    return;
                }
                let text = at;
                for option in 0..count {
                    self.take(text, text + 1, vec![(0, option)]);
                }
            }
            // One place for every part.
            ([one], [_, _, ..]) if one.choices.len() > 1 => {
                let choices = std::mem::take(&mut one.choices);
                let (from, to) = (one.from, one.to);
                self.found.clear();
                for choice in choices {
                    self.take(from, to, vec![choice]);
                }
                self.roles[at] = Role::About;
            }
            _ => {}
        }
    }
}

/// A place among options.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    At(usize),
    Last,
    OfTwo(usize),
}
