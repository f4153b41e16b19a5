//! Finds the words of a request that name something.

mod unknown;
mod vocabulary;

use std::cmp::Reverse;
use std::ops::Range;

use crate::names::{Names, initials};
use crate::text::{Case, Gap, Token, tokens};
use crate::words::{is_before_date, is_common, is_cue, is_date_word, is_link};

pub use vocabulary::Vocabulary;

/// Maximum number of words of a name.
const LONGEST: usize = 6;
/// Minimum similarity of words to a name for them to count as a misspelling, when one of the words
/// is part of a name.
const MISSPELT: f64 = 0.8;

/// Words of a request that name something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The words as in the request.
    pub text: String,
    /// The byte range of the words.
    pub range: Range<usize>,
    /// The type of the named thing, if the surrounding words say it.
    pub entity_type: Option<String>,
}

/// The mentions of a text, in order and without overlaps: the longest words that are an id, a name
/// or a part of a name, and words that are written like a name but are unknown. Names of fields,
/// values and records are not mentions.
pub fn scan(text: &str, names: &[&Names], vocabulary: &Vocabulary) -> Vec<Mention> {
    let tokens = tokens(text);
    let scanner = Scanner {
        text,
        tokens: &tokens,
        names,
        vocabulary,
    };
    let mut spans = scanner.spans();
    // The longest first. Of equal length, names go before values, and values before parts of names.
    spans.sort_by_key(|span| (Reverse(span.words.len()), span.kind, span.words.start));
    let mut taken: Vec<Span> = Vec::new();
    for span in spans {
        if taken
            .iter()
            .all(|other| !overlap(&span.words, &other.words))
        {
            taken.push(span);
        }
    }
    unknown::take(&scanner, &mut taken);
    taken.retain(|span| span.kind.is_mention());
    taken.sort_by_key(|span| span.words.start);
    taken
        .iter()
        .map(|span| scanner.mention(&span.words))
        .collect()
}

/// The state of a scan.
struct Scanner<'a> {
    text: &'a str,
    tokens: &'a [Token],
    names: &'a [&'a Names],
    vocabulary: &'a Vocabulary,
}

/// Words with a known role.
struct Span {
    words: Range<usize>,
    kind: Kind,
}

/// The role of the words, in order of precedence among spans of equal length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// An id, a name or an alias.
    Named,
    /// A value of a field that does not belong to a thing.
    Value,
    /// A part of a name.
    Part,
    /// A value of a field of a thing, which its name can contain too: the city of a port.
    OwnValue,
    /// Written like a name, but unknown.
    Unknown,
}

impl Kind {
    fn is_mention(self) -> bool {
        matches!(self, Self::Named | Self::Part | Self::Unknown)
    }
}

impl Scanner<'_> {
    fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        for first in 0..self.tokens.len() {
            let mut key = String::new();
            for last in first..self.tokens.len().min(first + LONGEST) {
                if last > first {
                    if !self.goes_on(last) {
                        break;
                    }
                    key.push(' ');
                }
                key.push_str(&self.tokens[last].canonical);
                let words = first..last + 1;
                spans.extend(self.kind_of(&words, &key).map(|kind| Span { words, kind }));
            }
        }
        spans
    }

    /// Whether a word can belong to the same name as the previous one.
    fn goes_on(&self, at: usize) -> bool {
        let (before, word) = (&self.tokens[at - 1], &self.tokens[at]);
        word.gap != Gap::Broken && word.quote == before.quote
    }

    fn kind_of(&self, words: &Range<usize>, key: &str) -> Option<Kind> {
        let raw = self.raw(words);
        let named = self
            .names
            .iter()
            .any(|names| !names.named(raw, key).is_empty());
        if named && self.may_be_named(words) {
            return Some(Kind::Named);
        }
        let group = self
            .names
            .iter()
            .any(|names| !names.group(raw, key).is_empty());
        if group && self.may_be_group(words) {
            return Some(Kind::Named);
        }
        match self.vocabulary.value(key) {
            Some(false) => Some(Kind::Value),
            of_a_thing => {
                let part =
                    self.is_part(words) || self.is_misspelt(words) || self.is_abbreviated(words);
                part.then_some(Kind::Part)
                    .or(of_a_thing.map(|_| Kind::OwnValue))
            }
        }
    }

    /// Whether words are a misspelt name: `MSC Ana`, of which `MSC` alone is part of many names.
    fn is_misspelt(&self, words: &Range<usize>) -> bool {
        let tokens = &self.tokens[words.clone()];
        let strange = |token: &Token| {
            !is_link(&token.folded)
                && !self.is_noun(token)
                && !self.is_plain(token)
                && token.case != Case::Number
        };
        let known = |token: &Token| {
            let word = std::slice::from_ref(&token.canonical);
            self.names.iter().any(|names| names.has_words(word))
        };
        (2..=3).contains(&tokens.len())
            && tokens.iter().all(strange)
            && tokens.iter().any(known)
            && self.likeness(words) >= MISSPELT
    }

    /// Whether a word is the initials of a name: `LA`, in a text that is not all in capitals.
    fn is_abbreviated(&self, words: &Range<usize>) -> bool {
        let [token] = &self.tokens[words.clone()] else {
            return false;
        };
        // `LA` in capitals is not an article.
        let plain = self.is_plain(token)
            && (!is_link(&token.folded) || self.vocabulary.has_word(&token.folded));
        initials::are(token)
            && !plain
            && !self.is_noun(token)
            && !self.all_upper()
            && self
                .names
                .iter()
                .any(|names| !names.abbreviated(token).is_empty())
    }

    /// The similarity of the words and the most similar name.
    fn likeness(&self, words: &Range<usize>) -> f64 {
        let raw = self.raw(words);
        let hits = self
            .names
            .iter()
            .filter_map(|names| names.find(raw).first().map(|hit| hit.score));
        hits.fold(0.0, f64::max)
    }

    /// Whether words that equal a name are used as one.
    fn may_be_named(&self, words: &Range<usize>) -> bool {
        let tokens = &self.tokens[words.clone()];
        if tokens.iter().all(|token| token.quote.is_some()) {
            return true;
        }
        let mut told = tokens
            .iter()
            .filter(|token| !is_link(&token.folded) && !self.is_noun(token))
            .peekable();
        if told.peek().is_none() {
            return false;
        }
        if told.clone().all(|token| token.case == Case::Number) {
            // `2025` is a year, not an id; `vessel 9321483` is an id.
            return told.clone().any(|token| token.folded.len() >= 5)
                || self.follows_noun(words.start);
        }
        if !told.clone().all(|token| self.is_plain(token)) {
            return true;
        }
        let written_as_name = tokens
            .iter()
            .all(|token| token.case != Case::Lower || is_link(&token.folded))
            && !self.all_upper()
            && (words.len() > 1 || tokens[0].gap != Gap::Broken);
        let date = told.all(|token| is_date_word(&token.folded)) && self.is_date(words);
        written_as_name && !date
    }

    /// Whether words that describe a group are used as its name: they are written like a name, or
    /// are in the place of a name.
    fn may_be_group(&self, words: &Range<usize>) -> bool {
        let tokens = &self.tokens[words.clone()];
        let value = self.vocabulary.value(&crate::text::key(self.raw(words))) == Some(false);
        let capital = tokens[0].case != Case::Lower && !self.all_upper();
        let the = words
            .start
            .checked_sub(1)
            .filter(|at| self.tokens[*at].folded == "the");
        let before = the.unwrap_or(words.start).checked_sub(1);
        let cue = before.is_some_and(|at| {
            is_cue(&self.tokens[at].folded)
                || matches!(self.tokens[at].folded.as_str(), "or" | "and" | "nor")
        });
        !value && (capital || cue)
    }

    /// Whether words are a significant part of a name.
    fn is_part(&self, words: &Range<usize>) -> bool {
        let tokens = &self.tokens[words.clone()];
        let (first, last) = (&tokens[0], &tokens[tokens.len() - 1]);
        if is_link(&first.folded) || is_link(&last.folded) {
            return false;
        }
        if tokens[1..].iter().any(|token| token.gap == Gap::Comma) {
            return false;
        }
        let canonical: Vec<String> = tokens.iter().map(|token| token.canonical.clone()).collect();
        self.names.iter().any(|names| {
            // In `Miami containers`, the noun is the subject.
            let foreign = |token: &Token| {
                token.case == Case::Lower && self.is_noun(token) && !names.is_noun(&token.canonical)
            };
            let tells = |token: &Token| {
                !is_link(&token.folded)
                    && !self.is_noun(token)
                    && !self.is_plain(token)
                    && token.case != Case::Number
                    && token.folded.chars().count() >= 3
                    && !names.is_usual(&token.canonical)
            };
            !foreign(first)
                && !foreign(last)
                && tokens.iter().any(tells)
                && names.has_words(&canonical)
        })
    }

    /// Whether a word is common, or is a word of a field.
    fn is_plain(&self, token: &Token) -> bool {
        is_common(&token.folded)
            || is_date_word(&token.folded)
            || self.vocabulary.has_word(&token.folded)
    }

    /// Whether a word is a noun for records: `vessel`, `shipments`.
    fn is_noun(&self, token: &Token) -> bool {
        self.vocabulary.is_noun(&token.canonical)
            || self
                .names
                .iter()
                .any(|names| names.is_noun(&token.canonical))
    }

    /// Whether the words are a date: `in May`, `May 2025`, `15 May`.
    fn is_date(&self, words: &Range<usize>) -> bool {
        let before = words.start.checked_sub(1).map(|at| &self.tokens[at]);
        let after = self.tokens.get(words.end);
        let number = |token: &Token| token.folded.starts_with(|c: char| c.is_ascii_digit());
        before.is_some_and(|token| is_before_date(&token.folded) || number(token))
            || after.is_some_and(number)
    }

    /// Whether a name can start at this word: after `to`, after `vessel`, and in a list of names.
    fn follows_cue(&self, at: usize, taken: &[Span]) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        let token = &self.tokens[before];
        let ends_at = |end: usize| {
            taken
                .iter()
                .any(|span| span.kind.is_mention() && span.words.end == end)
        };
        is_cue(&token.folded)
            || self.follows_noun(at)
            || (self.tokens[at].gap == Gap::Comma && ends_at(at))
            || (matches!(token.folded.as_str(), "and" | "or") && ends_at(before))
    }

    /// Whether a noun for things precedes the word, possibly followed by `of` or `named`.
    fn follows_noun(&self, at: usize) -> bool {
        self.noun_before(at).is_some()
    }

    fn noun_before(&self, at: usize) -> Option<&Token> {
        let between = ["of", "the", "named", "called", "no", "number", "id"];
        let mut before = self.tokens[..at].iter().rev();
        let noun = before.find(|token| !between.contains(&token.folded.as_str()))?;
        self.is_noun(noun).then_some(noun)
    }

    /// Whether the whole text is in capitals, so that capitals have no meaning.
    fn all_upper(&self) -> bool {
        self.tokens.len() > 3 && !self.text.chars().any(char::is_lowercase)
    }

    fn raw(&self, words: &Range<usize>) -> &str {
        &self.text[self.tokens[words.start].start..self.tokens[words.end - 1].end]
    }

    fn mention(&self, words: &Range<usize>) -> Mention {
        let noun = self.noun_before(words.start);
        let kind = noun.and_then(|noun| {
            self.names
                .iter()
                .find(|names| names.is_noun(&noun.canonical))
        });
        Mention {
            text: self.raw(words).to_owned(),
            range: self.tokens[words.start].start..self.tokens[words.end - 1].end,
            entity_type: kind.map(|names| names.entity_type().to_owned()),
        }
    }
}

fn overlap(one: &Range<usize>, another: &Range<usize>) -> bool {
    one.start < another.end && another.start < one.end
}

#[cfg(test)]
mod tests;
