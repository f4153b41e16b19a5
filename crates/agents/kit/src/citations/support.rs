//! Whether a text supports a sentence: by its words, its figures, and what binds them.
//!
//! A sentence may only have words of the text and words that claim nothing. It is about one place
//! of the text, a sentence or two: there stand its figures, each before the same word, and every
//! word that decides on what is claimed ("not", "only", "before", "all", numbers in words). That
//! place has no "not" that the sentence leaves out, and most of the words are in its order.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};
use serde_json::Value;

use crate::passages::is_filler;

/// Words that decide on what a sentence claims: they have to be at the very place that supports
/// it. Sorted.
const DECIDING: &[&str] = &[
    "above",
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
    "both",
    "cannot",
    "double",
    "dozen",
    "each",
    "eight",
    "eleven",
    "every",
    "everybody",
    "everyone",
    "everything",
    "except",
    "few",
    "fewer",
    "fifty",
    "first",
    "five",
    "forbidden",
    "forty",
    "four",
    "free",
    "half",
    "hardly",
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
    "million",
    "millions",
    "minimum",
    "more",
    "most",
    "must",
    "nearly",
    "neither",
    "never",
    "nine",
    "no",
    "nobody",
    "none",
    "nor",
    "not",
    "nothing",
    "once",
    "one",
    "only",
    "optional",
    "over",
    "quarter",
    "rarely",
    "second",
    "seldom",
    "seven",
    "several",
    "shall",
    "six",
    "some",
    "sometimes",
    "ten",
    "than",
    "third",
    "thirty",
    "thousand",
    "thousands",
    "three",
    "triple",
    "twelve",
    "twenty",
    "twice",
    "two",
    "under",
    "unless",
    "until",
    "without",
    "worst",
    "zero",
];

/// Of these, the words that turn a statement round.
const TURNING: &[&str] = &[
    "cannot", "except", "hardly", "neither", "never", "no", "nobody", "none", "nor", "not",
    "nothing", "only", "rarely", "seldom", "unless", "without",
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
    "describe",
    "described",
    "describes",
    "document",
    "documents",
    "following",
    "follows",
    "guide",
    "had",
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
    "regarding",
    "said",
    "say",
    "says",
    "section",
    "she",
    "source",
    "sources",
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

/// Part of the pairs of neighbouring words that have to be in the order of the text.
const ORDER: f64 = 0.6;

/// Part of the words that have to be at the same place.
const NEAR: f64 = 0.7;

/// A word or a figure of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// The end of a clause: a comma, "and", "but".
    Break,
    /// In lower case, and its stem.
    Word { plain: String, stem: String },
    /// Without separators of thousands.
    Figure(String),
}

impl Token {
    fn stem(&self) -> &str {
        match self {
            Self::Word { stem, .. } => stem,
            Self::Figure(figure) => figure,
            Self::Break => "",
        }
    }

    /// Whether it has to be supported.
    fn counts(&self) -> bool {
        match self {
            Self::Word { plain, .. } => {
                !is_filler(plain) && !NEUTRAL.contains(&plain.as_str()) || decides(plain)
            }
            Self::Figure(_) => true,
            Self::Break => false,
        }
    }

    fn figure(&self) -> Option<&str> {
        match self {
            Self::Figure(figure) => Some(figure),
            Self::Word { .. } | Self::Break => None,
        }
    }
}

fn decides(word: &str) -> bool {
    DECIDING.binary_search(&word).is_ok()
}

/// A place of a text: a sentence, a row, a record.
#[derive(Debug, Clone, Default)]
struct Place {
    tokens: Vec<Token>,
}

/// A text that may support a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    words: BTreeSet<String>,
    places: Vec<Place>,
    /// Whether the order of its words says something.
    ordered: bool,
}

impl Text {
    /// A passage, with its headings.
    pub(super) fn of(headings: &str, content: &str) -> Self {
        let mut places: Vec<Place> = Vec::new();
        for line in content.lines() {
            let bare = line
                .trim()
                .trim_start_matches(['-', '*', '+', '>', '#', ' ']);
            let pieces = if line.trim_start().starts_with('|') {
                vec![bare.to_owned()]
            } else {
                crate::prose::sentences(bare)
            };
            for piece in pieces {
                places.push(Place {
                    tokens: tokens(&piece),
                });
            }
        }
        let all = tokens(&format!("{headings}\n{content}"));
        Self {
            words: all.iter().map(|one| one.stem().to_owned()).collect(),
            places,
            ordered: true,
        }
    }

    /// Records of a service: each object is a place, with the values of the objects around it.
    pub(super) fn of_records(records: &[Value]) -> Self {
        let mut text = Self::default();
        for record in records {
            text.read(record, &Place::default());
        }
        text.words = text
            .places
            .iter()
            .flat_map(|place| place.tokens.iter().map(|one| one.stem().to_owned()))
            .collect();
        text
    }

    fn read(&mut self, value: &Value, around: &Place) {
        match value {
            Value::Object(members) => {
                let mut own = around.clone();
                for (name, value) in members {
                    let told = match value {
                        Value::String(text) => text.clone(),
                        Value::Number(number) => number.to_string(),
                        Value::Bool(_) | Value::Null => continue,
                        Value::Array(_) | Value::Object(_) => String::new(),
                    };
                    own.tokens.extend(tokens(&spelled(name)));
                    own.tokens.extend(tokens(&told));
                }
                for value in members.values() {
                    self.read(value, &own);
                }
                self.places.push(own);
            }
            Value::Array(items) => items.iter().for_each(|item| self.read(item, around)),
            _ => {}
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether all words of a text are words of this one.
    pub(super) fn has_words_of(&self, text: &str) -> bool {
        let mut counting = tokens(text).into_iter().filter(Token::counts);
        counting.all(|one| self.words.contains(one.stem()))
    }

    /// Whether this text supports a sentence.
    pub(super) fn supports(&self, sentence: &str) -> bool {
        if has_strange_marks(sentence) {
            return false;
        }
        let said = tokens(sentence);
        let counting: Vec<&Token> = said.iter().filter(|one| one.counts()).collect();
        let any_word = counting
            .iter()
            .any(|one| matches!(one, Token::Word { plain, .. } if !decides(plain)));
        if !any_word || !counting.iter().all(|one| self.words.contains(one.stem())) {
            return false;
        }
        let singles = self.places.iter().map(|place| place.tokens.clone());
        if singles.clone().any(|place| self.is_said_at(&said, &place)) {
            return true;
        }
        let pairs = self.places.windows(2);
        let mut pairs = pairs.map(|pair| [&*pair[0].tokens, &*pair[1].tokens].concat());
        if self.ordered {
            return pairs.any(|place| self.is_said_at(&said, &place));
        }
        // Names of several records, without any of their figures.
        let plain = |one: &&Token| matches!(one, Token::Word { plain, .. } if !decides(plain));
        counting.iter().all(plain)
    }

    fn is_said_at(&self, said: &[Token], place: &[Token]) -> bool {
        let has = |stem: &str| place.iter().any(|one| one.stem() == stem);
        let counting: Vec<&Token> = said.iter().filter(|one| one.counts()).collect();
        let near = counting.iter().filter(|one| has(one.stem())).count();
        if (near as f64) < NEAR * counting.len() as f64 {
            return false;
        }
        let decided = said.iter().all(|one| match one {
            Token::Word { plain, .. } => !decides(plain) || has(one.stem()),
            Token::Figure(figure) => has(figure),
            Token::Break => true,
        });
        decided
            && turns(said) == turns(place)
            && bound(said, place, self.ordered)
            && (!self.ordered || in_order(&counting, place) && of_clauses(said, place))
    }
}

/// The number of words that turn the statement round.
fn turns(tokens: &[Token]) -> usize {
    let turning = |one: &&Token| matches!(one, Token::Word { plain, .. } if TURNING.contains(&plain.as_str()));
    tokens.iter().filter(turning).count()
}

/// Whether each figure precedes the same word as at this place, or, in a record, has the name of
/// its value near it.
fn bound(said: &[Token], place: &[Token], ordered: bool) -> bool {
    let carrying = |one: &&Token| match one {
        Token::Word { plain, .. } => !is_filler(plain) && !NEUTRAL.contains(&plain.as_str()),
        Token::Figure(_) => true,
        Token::Break => false,
    };
    said.iter().enumerate().all(|(at, one)| {
        let Token::Figure(figure) = one else {
            return true;
        };
        let mut there = place
            .iter()
            .enumerate()
            .filter(|(_, other)| matches!(other, Token::Figure(other) if other == figure));
        if !ordered {
            return there.any(|(at, _)| {
                let name = place[..at].iter().rev().filter(carrying).take(3);
                let mut name = name.filter(|one| matches!(one, Token::Word { .. }));
                name.any(|word| said.iter().any(|one| one.stem() == word.stem()))
            });
        }
        let Some(next) = said[at + 1..].iter().find(carrying) else {
            return true;
        };
        there.any(|(at, _)| {
            let mut near = place[at + 1..].iter().filter(carrying).take(2);
            near.any(|word| word.stem() == next.stem()) || at + 1 == place.len()
        })
    })
}

/// Whether figures that are said together stand together there, in one clause or in whole ones, and
/// no word is said that belongs to a figure that is not: of "Sundays 50 %, holidays 100 %" Sundays
/// have no 100 %. Words of the first clause may belong to all ("paid at 1.5x, and at 2x beyond").
fn of_clauses(said: &[Token], place: &[Token]) -> bool {
    let clauses: Vec<&[Token]> = place.split(|one| *one == Token::Break).collect();
    let figures = |tokens: &[Token]| -> Vec<String> {
        let figures = tokens.iter().filter_map(Token::figure);
        figures.map(str::to_owned).collect()
    };
    let own = figures(said);
    if own.is_empty() {
        return true;
    }
    let all = |clause: &&[Token]| {
        let there = figures(clause);
        own.iter().all(|figure| there.contains(figure))
    };
    let whole = || {
        let there: Vec<Vec<String>> = clauses.iter().map(|clause| figures(clause)).collect();
        (0..there.len())
            .any(|from| (from + 1..=there.len()).any(|to| there[from..to].concat() == own))
    };
    if !clauses.iter().any(all) && !whole() {
        return false;
    }
    let first = clauses.first().copied().unwrap_or_default();
    said.iter().filter(|one| one.counts()).all(|one| {
        let mut having = clauses
            .iter()
            .filter(|clause| clause.contains(one))
            .peekable();
        having.peek().is_none()
            || first.contains(one)
            || having.any(|clause| {
                let there = figures(clause);
                there.is_empty() || there.iter().any(|figure| own.contains(figure))
            })
    })
}

/// Whether most words follow one another as they do there.
fn in_order(said: &[&Token], place: &[Token]) -> bool {
    let pairs: Vec<_> = said.windows(2).collect();
    if pairs.is_empty() {
        return true;
    }
    let follows = |pair: &&[&Token]| {
        let first = place.iter().position(|one| one.stem() == pair[0].stem());
        let last = place.iter().rposition(|one| one.stem() == pair[1].stem());
        matches!((first, last), (Some(first), Some(last)) if first < last)
    };
    let right = pairs.iter().filter(|pair| follows(pair)).count();
    // A short sentence may be turned round: "the rate is paid hourly".
    right as f64 >= ORDER * pairs.len() as f64 || pairs.len() < 3 && right > 0
}

/// Whether a text has marks that hide something or lead somewhere: links, images, HTML, signs that
/// are not seen.
pub fn has_strange_marks(text: &str) -> bool {
    let hides = |c: char| {
        let unseen = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        let struck = matches!(c, '\u{300}'..='\u{36f}' | '~' | '<' | '>' | '\\');
        unseen || struck
    };
    text.chars().any(hides) || text.contains("](") || text.contains("://") || text.contains("www.")
}

static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\d+(?:[.,]\d+)*|[,;:\u{2014}] |[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?").ok()
});

fn tokens(text: &str) -> Vec<Token> {
    let Some(pattern) = &*TOKEN else {
        return Vec::new();
    };
    let stemmer = Stemmer::create(Algorithm::English);
    let mut tokens = Vec::new();
    for found in pattern.find_iter(text) {
        let found = found.as_str();
        if found.ends_with(' ') {
            tokens.push(Token::Break);
            continue;
        }
        if found.starts_with(|c: char| c.is_ascii_digit()) {
            let figure = found.trim_end_matches(['.', ',']).replace(',', "");
            tokens.push(Token::Figure(figure));
            continue;
        }
        let lower = found.to_lowercase().replace('\u{2019}', "'");
        if ["and", "but"].contains(&lower.as_str()) {
            tokens.push(Token::Break);
        }
        let mut word = |plain: &str| {
            tokens.push(Token::Word {
                plain: plain.to_owned(),
                stem: stemmer.stem(plain).into_owned(),
            });
        };
        match lower.split_once('\'') {
            Some((verb, "t")) => {
                word(verb.strip_suffix('n').unwrap_or(verb));
                word("not");
            }
            Some((before, _)) => word(before),
            None if lower == "cannot" => {
                word("can");
                word("not");
            }
            None => word(&lower),
        }
    }
    tokens
}

/// A name as words: `totalEmissions` is "total Emissions".
fn spelled(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() || c == '_' {
            words.push(' ');
        }
        words.push(if c == '_' { ' ' } else { c });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(DECIDING.is_sorted());
    }
}
