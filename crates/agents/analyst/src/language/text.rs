//! Text cut into tokens that can be compared and that know where they stood. Own code, since word
//! boundaries of Unicode (`unicode-segmentation`) do not separate numbers from their units.

use agent_kit::number_words;
use deunicode::deunicode_char;

/// Maximum number of bytes of a message that are read; the request of a person is at the beginning.
const MAX_BYTES: usize = 16 * 1024;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, with apostrophes inside.
    Word,
    /// ASCII digits.
    Number,
    /// One other character.
    Mark,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Lower case, without accents and without a possessive `'s`.
    pub(super) text: String,
    /// The beginning in the original, in bytes.
    pub(super) start: usize,
    /// The end.
    pub(super) end: usize,
    /// No space before it.
    pub(super) glued: bool,
    /// It begins with a capital letter.
    pub(super) capital: bool,
}

impl Token {
    /// Whether it is a word.
    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    /// Whether it is one of these.
    pub(super) fn is(&self, texts: &[&str]) -> bool {
        texts.contains(&self.text.as_str())
    }

    /// Its value, when it is a number of at most nine digits.
    pub(super) fn number(&self) -> Option<u32> {
        (self.kind == Kind::Number && self.text.len() <= 9).then(|| self.text.parse().ok())?
    }
}

/// Cuts `text` into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut last_end = usize::MAX;
    while let Some((start, c)) = chars.next() {
        if start >= MAX_BYTES {
            break;
        }
        if c.is_whitespace() || is_combining(c) {
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
            && continues(kind, next, &text[at + next.len_utf8()..])
        {
            end = at + next.len_utf8();
            chars.next();
        }
        let folded = fold(&text[start..end]);
        out.push(Token {
            kind,
            text: folded
                .strip_suffix("'s")
                .map_or_else(|| folded.clone(), str::to_owned),
            start,
            end,
            glued: start == last_end,
            capital: c.is_uppercase(),
        });
        last_end = end;
    }
    out
}

fn continues(kind: Kind, next: char, after: &str) -> bool {
    match kind {
        Kind::Number => next.is_ascii_digit(),
        Kind::Word if is_apostrophe(next) => after.chars().next().is_some_and(char::is_alphabetic),
        Kind::Word => next.is_alphabetic() || is_combining(next),
        Kind::Mark => false,
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{2032}' | '\u{b4}')
}

fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// Lower case, without accents, with plain quotes and dashes.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_combining(*c)) {
        match c {
            c if is_apostrophe(c) => out.push('\''),
            '\u{201c}' | '\u{201d}' | '\u{201e}' => out.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
            c if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            '\u{c0}'..='\u{24f}' => {
                out.push_str(&deunicode_char(c).unwrap_or_default().to_lowercase());
            }
            c => out.extend(c.to_lowercase().filter(|c| !is_combining(*c))),
        }
    }
    out
}

/// A word without its ending, so that `arrived`, `arrivals` and `arrival` are the same. Not a word:
/// only compare it with others of its kind. Own code, since the Snowball stemmer for English keeps
/// `departure` and `departed`, or `delivery` and `delivered`, apart, which are one event here.
pub fn stem(word: &str) -> String {
    let mut stem = word;
    if stem.len() > 3
        && let Some(cut) = stem.strip_suffix('s')
        && !cut.ends_with(['s', 'u', 'i'])
    {
        stem = cut;
    }
    for ending in ["ing", "ed", "ure", "al", "ly"] {
        if let Some(cut) = stem.strip_suffix(ending)
            && cut.len() >= 4
            && cut.is_ascii()
        {
            stem = cut;
            break;
        }
    }
    let stem = stem
        .strip_suffix('e')
        .filter(|cut| cut.len() >= 3)
        .unwrap_or(stem);
    let stem = stem
        .strip_suffix("ie")
        .or_else(|| stem.strip_suffix('i'))
        .or_else(|| stem.strip_suffix('y'))
        .filter(|cut| cut.len() >= 3)
        .unwrap_or(stem);
    stem.to_owned()
}

/// Whether two words are the same but for a slip of the finger: the same first letter, and one edit
/// (two from nine letters on).
pub(super) fn nearly(word: &str, meant: &str) -> bool {
    let (len, want) = (word.chars().count(), meant.chars().count());
    if want < 6 || len < 5 || len.abs_diff(want) > 2 || word.chars().next() != meant.chars().next()
    {
        return false;
    }
    strsim::osa_distance(word, meant) <= if want >= 9 { 2 } else { 1 }
}

/// The original text at these tokens; empty for none.
pub(super) fn between<'t>(text: &'t str, tokens: &[Token]) -> &'t str {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => text.get(first.start..last.end).unwrap_or_default(),
        _ => "",
    }
}

/// A number as a word: `three`.
pub(super) fn number_word(word: &str) -> Option<u32> {
    match word {
        "zero" => Some(0),
        "one" => Some(1),
        "hundred" => Some(100),
        _ => number_words::value(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_folded_and_know_where_they_stood() {
        let text = "Yesterday\u{2019}s São Paulo–Gdańsk, Q1";
        let found: Vec<_> = tokens(text)
            .into_iter()
            .map(|token| {
                (
                    token.text,
                    text[token.start..token.end].to_owned(),
                    token.glued,
                )
            })
            .collect();
        let expected = [
            ("yesterday", "Yesterday\u{2019}s", false),
            ("sao", "São", false),
            ("paulo", "Paulo", false),
            ("-", "–", true),
            ("gdansk", "Gdańsk", true),
            (",", ",", true),
            ("q", "Q", false),
            ("1", "1", true),
        ];
        assert_eq!(
            found,
            expected.map(|(text, original, glued)| (text.to_owned(), original.to_owned(), glued))
        );
    }

    #[test]
    fn a_letter_written_as_two_characters_is_the_same() {
        assert_eq!(fold("Sa\u{303}o"), "sao");
        assert_eq!(tokens("Sa\u{303}o Paulo")[0].text, "sao");
    }

    #[test]
    fn stems_meet() {
        for family in [
            &[
                "arrive", "arrives", "arrived", "arrival", "arrivals", "arriving",
            ][..],
            &["depart", "departed", "departure", "departures", "departing"],
            &["delay", "delays", "delayed"],
            &["delivery", "deliveries"],
            &["port", "ports"],
            &["status"],
            &["commodity", "commodities"],
            &["vessel", "vessels"],
        ] {
            let stems: std::collections::BTreeSet<_> = family.iter().map(|w| stem(w)).collect();
            assert_eq!(stems.len(), 1, "{family:?}: {stems:?}");
        }
    }

    #[test]
    fn slips_of_the_finger() {
        assert!(nearly("yesterady", "yesterday") && nearly("januray", "january"));
        assert!(!nearly("march", "match") && !nearly("port", "post"));
    }
}
