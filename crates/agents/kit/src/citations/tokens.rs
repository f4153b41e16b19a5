//! The words and figures of a text on documents, and which of them a sentence has to have support
//! for.

use std::sync::LazyLock;

use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};

use super::canon;
use crate::number_words;
use crate::passages::is_filler;

/// Words that decide on what a sentence claims, beside those that turn it round: they have to be at
/// the very place that supports it. Sorted.
const DECIDING: &[&str] = &[
    "after",
    "all",
    "almost",
    "always",
    "any",
    "anybody",
    "anyone",
    "anything",
    "before",
    "below",
    "best",
    "between",
    "beyond",
    "both",
    "dozen",
    "each",
    "everybody",
    "everyone",
    "everything",
    "exactly",
    "few",
    "fewer",
    "first",
    "forbidden",
    "free",
    "half",
    "higher",
    "highest",
    "hundred",
    "hundreds",
    "least",
    "less",
    "lower",
    "lowest",
    "many",
    "maximum",
    "may",
    "million",
    "millions",
    "minimum",
    "more",
    "most",
    "must",
    "nearly",
    "once",
    "one",
    "optional",
    "quarter",
    "second",
    "several",
    "shall",
    "should",
    "some",
    "sometimes",
    "than",
    "third",
    "thousand",
    "thousands",
    "triple",
    "until",
    "upto",
    "within",
    "worst",
    "zero",
];

/// Words that turn a statement round. Sorted.
pub(super) const TURNING: &[&str] = &[
    "avoid",
    "avoided",
    "avoiding",
    "avoids",
    "cannot",
    "except",
    "hardly",
    "instead",
    "neither",
    "never",
    "no",
    "nobody",
    "none",
    "nor",
    "not",
    "nothing",
    "only",
    "prevent",
    "prevented",
    "prevents",
    "rarely",
    "seldom",
    "unless",
    "without",
];

/// Words about documents, and words of connection, beside those of [`is_filler`].
const NEUTRAL: &[&str] = &[
    "according",
    "also",
    "been",
    "being",
    "but",
    "called",
    "concerning",
    "covers",
    "describe",
    "described",
    "denotes",
    "earn",
    "earns",
    "describes",
    "document",
    "documents",
    "following",
    "follows",
    "even",
    "example",
    "guide",
    "had",
    "instance",
    "he",
    "here",
    "his",
    "her",
    "however",
    "into",
    "manual",
    "mean",
    "means",
    "mentioned",
    "mentions",
    "namely",
    "passage",
    "passages",
    "receive",
    "receives",
    "regarding",
    "said",
    "say",
    "says",
    "section",
    "she",
    "source",
    "sources",
    "stand",
    "stands",
    "stated",
    "states",
    "than",
    "them",
    "then",
    "these",
    "those",
    "thus",
    "up",
    "were",
    "while",
    "whom",
    "whose",
    "your",
    "yours",
    "note",
    "e",
    "g",
    "s",
    "t",
];

/// A word or a figure of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// The end of a clause: a comma, "and", "but".
    Break,
    /// In lower case, and its stem.
    Word { plain: String, stem: String },
    /// Without separators of thousands.
    Figure(String),
}

impl Token {
    pub(super) fn stem(&self) -> &str {
        match self {
            Self::Word { stem, .. } => stem,
            Self::Figure(figure) => figure,
            Self::Break => "",
        }
    }

    /// Whether it has to be supported.
    pub(super) fn counts(&self) -> bool {
        match self {
            Self::Word { plain, .. } => carries(plain) || decides(plain),
            Self::Figure(_) => true,
            Self::Break => false,
        }
    }

    pub(super) fn figure(&self) -> Option<&str> {
        match self {
            Self::Figure(figure) => Some(figure),
            Self::Word { .. } | Self::Break => None,
        }
    }
}

/// Whether a word says something of the matter.
pub(super) fn carries(word: &str) -> bool {
    !is_filler(word) && !NEUTRAL.contains(&word)
}

/// Whether a word decides on what a sentence claims.
pub(super) fn decides(word: &str) -> bool {
    DECIDING.binary_search(&word).is_ok() || TURNING.binary_search(&word).is_ok()
}

static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\d+(?:[.,]\d+)*|[,;:\u{2014}] |[%€$£°]|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+|\++)?")
        .ok()
});

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let Some(pattern) = &*TOKEN else {
        return Vec::new();
    };
    let stemmer = Stemmer::create(Algorithm::English);
    let mut words: Vec<String> = Vec::new();
    for found in pattern.find_iter(text) {
        let lower = found.as_str().to_lowercase().replace('\u{2019}', "'");
        match lower.split_once('\'') {
            Some((verb, "t")) => {
                words.push(verb.strip_suffix('n').unwrap_or(verb).to_owned());
                words.push("not".to_owned());
            }
            Some((before, _)) => words.push(before.to_owned()),
            None if lower == "cannot" => words.extend(["can".to_owned(), "not".to_owned()]),
            None => words.push(lower),
        }
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1).map_or("", String::as_str);
        at += 1;
        let token = |plain: &str| {
            let plain = canon::same(plain);
            Token::Word {
                plain: plain.to_owned(),
                stem: stemmer.stem(plain).into_owned(),
            }
        };
        if let Some((count, plain)) = canon::phrase(&words[at - 1..]) {
            tokens.push(token(plain));
            at += count - 1;
        } else if let Some(plain) = canon::pair(word, next) {
            tokens.push(token(plain));
            at += 1;
        } else if let Some(plain) = canon::sign(word) {
            tokens.push(token(plain));
        } else if word.ends_with(' ') {
            tokens.push(Token::Break);
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            let figure = word.trim_end_matches(['.', ',']).replace(',', "");
            tokens.push(Token::Figure(figure));
        } else if let Some(value) = number_words::value(word) {
            tokens.push(Token::Figure(value.to_string()));
        } else if ["twice", "double", "doubled"].contains(&word.as_str()) {
            tokens.push(Token::Figure("2".to_owned()));
            tokens.push(token("times"));
        } else if word == "x" && matches!(tokens.last(), Some(Token::Figure(_))) {
            tokens.push(token("times"));
        } else {
            // "Between 20 and 22" is one clause.
            let is_digit = |c: char| c.is_ascii_digit();
            let joins = matches!(tokens.last(), Some(Token::Figure(_)))
                && (next.starts_with(is_digit) || number_words::value(next).is_some());
            if ["and", "but"].contains(&word.as_str()) && !joins {
                tokens.push(Token::Break);
            }
            tokens.push(token(word));
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(DECIDING.is_sorted() && TURNING.is_sorted());
    }

    #[test]
    fn words_of_one_meaning_and_numbers_in_words_are_the_same() {
        for (one, other) in [
            ("at twice the rate", "at 2x the rate"),
            ("eleven hours have to lie", "11 hours must lie"),
            ("more than 25 % is required", "above 25 percent is needed"),
            ("up to \u{20ac} 5", "up to euros 5"),
        ] {
            assert_eq!(tokens(one), tokens(other));
        }
        assert_ne!(tokens("BASIC"), tokens("BASIC+"));
        assert_ne!(tokens("5 %"), tokens("5 euros"));
    }
}
