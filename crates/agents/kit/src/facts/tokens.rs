//! A sentence as references, names, words and marks.

use std::ops::Range;

use super::{FactId, FactRegistry, Series};

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// `[[f12]]`.
    Ref(FactId),
    /// The name of a subject, in lower case.
    Name(String),
    /// A phrase that holds of all facts.
    Phrase,
    /// Any other word, in lower case.
    Word(String),
    /// Anything else.
    Mark(char),
}

/// A part and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) span: Range<usize>,
}

/// The parts of a sentence, in order.
pub(super) fn tokens(text: &str, registry: &FactRegistry) -> Vec<Placed> {
    let mut all = Vec::new();
    let mut at = 0;
    let mut after_letter = false;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if c.is_whitespace() {
            after_letter = false;
            at += c.len_utf8();
            continue;
        } else if let Some((id, length)) = reference(rest) {
            (Token::Ref(id), length)
        } else if let Some(phrase) = phrase(rest, after_letter, registry) {
            (Token::Phrase, phrase.len())
        } else if let Some(name) = (!after_letter).then(|| registry.name_at(rest)).flatten() {
            let length = name.len() + possessive(&rest[name.len()..]);
            (Token::Name(name.to_lowercase()), length)
        } else if c.is_alphanumeric() {
            let length = word(rest);
            let plain = rest[..length].replace('\u{2019}', "'").to_lowercase();
            (Token::Word(without_possessive(plain)), length)
        } else {
            (Token::Mark(c), c.len_utf8())
        };
        after_letter = matches!(token, Token::Word(_) | Token::Name(_) | Token::Phrase);
        all.push(Placed {
            token,
            span: at..at + length,
        });
        at += length;
    }
    all
}

/// The phrase at the beginning of a text, unless it is a name: "arrived" is one of the groups by
/// status, although all of them arrived on some day.
fn phrase<'t>(text: &'t str, after_letter: bool, registry: &FactRegistry) -> Option<&'t str> {
    let phrase = (!after_letter)
        .then(|| registry.phrase_at(text))
        .flatten()?;
    let name = registry.name_at(text);
    name.is_none_or(|name| name.len() < phrase.len())
        .then_some(phrase)
}

/// A reference at the beginning of a text, with its length. One pair of brackets is enough.
fn reference(text: &str) -> Option<(FactId, usize)> {
    let inner = text.strip_prefix("[[").or_else(|| text.strip_prefix('['))?;
    let end = inner.find(']')?;
    let id = inner[..end].trim();
    let series = match id.chars().next()? {
        'f' | 'F' => Series::Value,
        'd' | 'D' => Series::Derived,
        's' | 'S' => Series::Sentence,
        _ => return None,
    };
    let digits = &id[1..];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse().ok()?;
    let closing = if inner[end..].starts_with("]]") { 2 } else { 1 };
    let length = text.len() - inner.len() + end + closing;
    Some((FactId { series, number }, length))
}

/// Words whose "'s" is a verb.
const WITH_VERB: &[&str] = &[
    "he", "here", "it", "let", "she", "that", "there", "what", "who",
];

/// "Today's" as "today".
fn without_possessive(word: String) -> String {
    match word.strip_suffix("'s") {
        Some(stem) if !WITH_VERB.contains(&stem) => stem.to_owned(),
        _ => word,
    }
}

/// The length of the "'s" behind a name.
fn possessive(behind: &str) -> usize {
    let ends = ["'s", "\u{2019}s"];
    let mut found = ends.iter().filter(|end| {
        let rest = behind.strip_prefix(**end);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    found.next().map_or(0, |end| end.len())
}

/// The length of the word at the beginning of a text; an apostrophe belongs to it.
fn word(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let inner = matches!(c, '\'' | '\u{2019}')
            && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !c.is_alphanumeric() && !inner {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}
