//! A message made comparable: lower case, plain quotes and dashes, cut into tokens that remember
//! where they stood.

use std::ops::Range;

pub(super) use agent_kit::number_words::value as number_word;

/// Maximum number of characters of a message that are read.
pub(super) const MAX_CHARS: usize = 4_000;

/// The character in place of something already understood; one byte, so that positions stay.
const MASK: char = '\u{1}';

/// Clauses that are polite and say nothing.
const POLITE: &[&str] = &[
    "if it's not too much trouble",
    "if its not too much trouble",
    "if it is not too much trouble",
    "if it isn't too much trouble",
    "if that's not too much trouble",
    "if that is not too much trouble",
    "if it's no trouble",
    "if it is no trouble",
    "if it's not a problem",
    "if it is not a problem",
    "if it's no problem",
    "if that's no problem",
    "sorry to trouble you",
    "sorry for the trouble",
    "sorry to bother you",
    "sorry for bothering you",
    "if you don't mind",
    "if you dont mind",
    "if you have a minute",
    "if you have a moment",
    "when you have a minute",
    "when you have a moment",
    "when you have time",
    "thank you in advance",
    "thanks in advance",
];

/// The beginnings of polite clauses. Most messages have none of these.
const POLITE_BEGINNINGS: [&str; 4] = ["if ", "sorry ", "when you ", "thank"];

/// The message in lower case with plain apostrophes, hyphens and spaces, without polite clauses.
pub(super) fn normalize(message: &str) -> String {
    let mut text = message.chars().take(MAX_CHARS).map(plain).collect();
    blank_polite(&mut text);
    text
}

/// Puts blanks in the places of polite clauses, so that positions stay.
fn blank_polite(text: &mut String) {
    if !POLITE_BEGINNINGS.iter().any(|one| text.contains(one)) {
        return;
    }
    let apart = |next: Option<char>| next.is_none_or(|c| !c.is_alphanumeric());
    for clause in POLITE {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(clause)) {
            let (start, end) = (from + at, from + at + clause.len());
            let before = text[..start].chars().next_back();
            if apart(before) && apart(text[end..].chars().next()) {
                text.replace_range(start..end, &" ".repeat(clause.len()));
            }
            from = end;
        }
    }
}

/// One character becomes one character, also where lower case would make two, so that positions can
/// be carried back.
fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' | '\u{60}' | '\u{b4}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        MASK => ' ',
        c if c.is_whitespace() => ' ',
        c => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
    }
}

/// A message that is being understood part by part.
#[derive(Debug, Clone)]
pub(super) struct Message<'m> {
    original: &'m str,
    text: String,
    /// The origin of each byte of `text`; one more for the end.
    origin: Vec<usize>,
}

impl<'m> Message<'m> {
    pub(super) fn new(original: &'m str) -> Self {
        let mut text = String::with_capacity(original.len().min(MAX_CHARS * 4));
        let mut origin = Vec::with_capacity(text.capacity() + 1);
        let mut end = 0;
        for (at, c) in original.char_indices().take(MAX_CHARS) {
            let c = plain(c);
            origin.extend(std::iter::repeat_n(at, c.len_utf8()));
            text.push(c);
            end = at;
        }
        end = original[end..]
            .chars()
            .next()
            .map_or(end, |c| end + c.len_utf8());
        origin.push(end);
        blank_polite(&mut text);
        Self {
            original,
            text,
            origin,
        }
    }

    /// The normalized text; understood parts are masked.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The person's own words at `span` of the normalized text.
    pub(super) fn words_of(&self, span: Range<usize>) -> &'m str {
        let (Some(&start), Some(&end)) = (self.origin.get(span.start), self.origin.get(span.end))
        else {
            return "";
        };
        self.original.get(start..end).unwrap_or_default()
    }

    /// Takes `span` out of the text, because it is understood.
    pub(super) fn mask(&mut self, span: Range<usize>) {
        if self.text.is_char_boundary(span.start)
            && self.text.is_char_boundary(span.end)
            && span.start <= span.end
        {
            let mask = MASK.to_string().repeat(span.len());
            self.text.replace_range(span, &mask);
        }
    }

    /// The tokens of the normalized text.
    pub(super) fn tokens(&self) -> Vec<Token<'_>> {
        tokens(&self.text)
    }
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, with an apostrophe inside.
    Word,
    /// ASCII digits.
    Number,
    /// One other character.
    Mark,
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
    /// No space before it.
    pub(super) glued: bool,
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// Its value, when it is a number of at most nine digits.
    pub(super) fn number(&self) -> Option<u32> {
        (self.kind == Kind::Number && self.text.len() <= 9).then(|| self.text.parse().ok())?
    }
}

/// Cuts `text` into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut last_end = usize::MAX;
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let kind = match c {
            c if c.is_ascii_digit() => Kind::Number,
            c if c.is_alphabetic() => Kind::Word,
            _ => Kind::Mark,
        };
        let mut end = start + c.len_utf8();
        while kind != Kind::Mark
            && let Some(&(at, next)) = chars.peek()
            && continues(kind, next, text, at)
        {
            end = at + next.len_utf8();
            chars.next();
        }
        out.push(Token {
            kind,
            text: &text[start..end],
            start,
            end,
            glued: start == last_end,
        });
        last_end = end;
    }
    out
}

fn continues(kind: Kind, next: char, text: &str, at: usize) -> bool {
    match kind {
        Kind::Number => next.is_ascii_digit(),
        Kind::Word if next == '\'' => text[at + 1..]
            .chars()
            .next()
            .is_some_and(char::is_alphabetic),
        Kind::Word => next.is_alphabetic(),
        Kind::Mark => false,
    }
}

/// Whether two words of four letters or more are the same but for two neighbours that changed
/// places.
pub(super) fn swapped(word: &str, keyword: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    word.chars().next() == keyword.chars().next()
        && keyword.chars().count() >= 4
        && word != keyword
        && sorted(word) == sorted(keyword)
        && strsim::osa_distance(word, keyword) == 1
}

/// Whether two words are the same but for a slip of the finger: the same first letter, and one edit
/// (two from nine letters on). Of words of five letters only two that changed places are one.
pub(super) fn nearly(word: &str, keyword: &str) -> bool {
    // Most pairs of words differ here, and the first letters cost the least to compare.
    if word.chars().next() != keyword.chars().next() {
        return false;
    }
    let (len, want) = (word.chars().count(), keyword.chars().count());
    if want == 5 && len == 5 && swapped(word, keyword) {
        return true;
    }
    if want < 6 || len < 5 || len.abs_diff(want) > 2 {
        return false;
    }
    let allowed = if want >= 9 { 2 } else { 1 };
    strsim::osa_distance(word, keyword) <= allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_polite_clause_has_a_known_beginning() {
        for clause in POLITE {
            assert!(
                POLITE_BEGINNINGS.iter().any(|one| clause.starts_with(one)),
                "{clause}"
            );
        }
    }

    #[test]
    fn one_character_stays_one_character() {
        // Lower case of the first is two characters, of the last another length in bytes.
        let message = Message::new("İstanbul Ⱥ — “GW’s”");
        let last = message
            .tokens()
            .into_iter()
            .rfind(|token| token.kind == Kind::Word)
            .unwrap();
        assert_eq!(last.text, "gw's");
        assert_eq!(message.words_of(last.start..last.end), "GW’s");
    }

    #[test]
    fn tokens_know_what_touches() {
        let texts: Vec<_> = tokens("on Nov29, 2025-11")
            .iter()
            .map(|t| (t.text.to_owned(), t.glued))
            .collect();
        let expected = [
            ("on", false),
            ("Nov", false),
            ("29", true),
            (",", true),
            ("2025", false),
            ("-", true),
            ("11", true),
        ];
        assert_eq!(
            texts,
            expected.map(|(text, glued)| (text.to_owned(), glued))
        );
    }

    #[test]
    fn masked_text_keeps_its_length() {
        let mut message = Message::new("check GW-INV-001 now");
        message.mask(6..16);
        assert_eq!(message.text().len(), "check GW-INV-001 now".len());
        assert_eq!(
            message
                .tokens()
                .iter()
                .filter(|t| t.kind == Kind::Word)
                .count(),
            2
        );
    }
}
