//! Whether two questions are one question, and how alike they are if not.
//!
//! Confirmed queries are run again for the *same* question without any user looking, so that "same"
//! is strict: case, punctuation, politeness, the number of a known noun and the way to ask for a
//! count do not count; every other word does, in its place: numbers, names, negations, comparisons.

use std::collections::HashSet;

use super::words::{dice, singular, stems, trigram_likeness, words};

/// A score that only the same question has.
const SAME: f64 = 1.0;
/// Maximum score of a question that is not the same.
const NEARLY: f64 = 0.99;

/// The nouns of a target: the words of its tables and columns, in the singular.
#[derive(Debug, Default)]
pub(super) struct Vocabulary(HashSet<String>);

impl Vocabulary {
    /// The words of these names.
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        Self(names.flat_map(words).map(|word| singular(&word)).collect())
    }
}

/// A question made ready for comparison.
#[derive(Debug)]
pub(super) struct Question {
    /// What two spellings of one question have in common.
    pub(super) normalised: String,
    stems: Vec<String>,
}

impl Question {
    /// Takes what does not count out of a text.
    pub(super) fn new(text: &str, vocabulary: &Vocabulary) -> Self {
        let mut tokens = tokens(text);
        strip_politeness(&mut tokens);
        strip_request(&mut tokens);
        unify_count(&mut tokens);
        let mut kept: Vec<String> = Vec::with_capacity(tokens.len());
        for (at, token) in tokens.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| tokens[at].text.as_str());
            if !token.is_article(before) {
                kept.push(token.in_the_singular(before, vocabulary));
            }
        }
        let normalised = if kept.is_empty() {
            text.trim().replace('\0', "").to_lowercase()
        } else {
            kept.join(" ")
        };
        let mut stems = stems(&normalised);
        stems.sort_unstable();
        Self { normalised, stems }
    }

    /// Whether it asks for the same thing.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.normalised == other.normalised
    }

    /// How alike the words of the two are, 0 to 1; 1 only for the same question.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let alike = 0.65 * dice(&self.stems, &other.stems)
            + 0.35 * trigram_likeness(&self.normalised, &other.normalised);
        self.bounded(other, alike)
    }

    /// As [`Question::likeness`], where the likeness of their meanings is known as well.
    pub(super) fn likeness_with_meaning(&self, other: &Self, cosine: f64) -> f64 {
        let alike = 0.7 * cosine.clamp(0.0, 1.0) + 0.3 * self.likeness(other);
        self.bounded(other, alike)
    }

    fn bounded(&self, other: &Self, alike: f64) -> f64 {
        if self.is_same(other) {
            SAME
        } else {
            alike.clamp(0.0, NEARLY)
        }
    }
}

/// A word, number or sign of a question.
#[derive(Debug)]
struct Token {
    text: String,
    /// Quoted, or written with a capital within a sentence: part of a name, where every letter
    /// counts.
    is_name: bool,
}

impl Token {
    /// "the" and "an"; "a" only where no name can end with it ("crew a").
    fn is_article(&self, before: Option<&str>) -> bool {
        const LEAD_TO_A_NOUN: &[&str] = &[
            "at", "by", "for", "from", "had", "has", "have", "in", "is", "of", "on", "per", "to",
            "was", "with", "without",
        ];
        !self.is_name
            && match self.text.as_str() {
                "the" | "an" => true,
                "a" => before.is_none_or(|before| LEAD_TO_A_NOUN.contains(&before)),
                _ => false,
            }
    }

    /// "employees" and "employee" are one noun, "Williams" and "William" two names. What is neither
    /// a noun of the database nor stands where only a noun can is taken for a name.
    fn in_the_singular(&self, before: Option<&str>, vocabulary: &Vocabulary) -> String {
        const COUNT: &[&str] = &["all", "many", "most", "these", "those", "which"];
        let singular = singular(&self.text);
        let is_noun = vocabulary.0.contains(&singular)
            || before.is_some_and(|before| COUNT.contains(&before));
        if self.is_name || !is_noun {
            self.text.clone()
        } else {
            singular
        }
    }
}

/// The tokens of a text in order, folded; signs that only part or end sentences are left out.
fn tokens(text: &str) -> Vec<Token> {
    let text = text
        .replace(['’', '‘', '`'], "'")
        .replace(['“', '”', '«', '»'], "\"");
    // In a text in capitals, names cannot be recognized.
    let capitals_tell = text.contains(char::is_lowercase);
    let characters: Vec<char> = text.chars().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let (mut at, mut quoted, mut begins_sentence) = (0, false, true);
    while let Some(&character) = characters.get(at) {
        let signed = character == '-' && is_sign(&characters, at);
        if character.is_alphanumeric() || signed {
            let end = end_of_word(&characters, at + 1);
            let word: String = characters[at..end].iter().collect();
            let is_name = quoted
                || (capitals_tell && !begins_sentence && character.is_uppercase() && word != "I");
            push_word(&mut tokens, &word.to_lowercase(), is_name);
            (at, begins_sentence) = (end, false);
            continue;
        }
        match character {
            '"' => quoted = !quoted,
            '.' | '?' | '!' => begins_sentence = true,
            '&' => tokens.push(Token {
                text: "and".to_owned(),
                is_name: quoted,
            }),
            '%' => tokens.push(Token {
                text: "percent".to_owned(),
                is_name: quoted,
            }),
            // These compare or compute: "> 5" is not "< 5".
            '<' | '>' | '=' | '+' | '$' | '€' | '£' | '~' | '^' | '@' | '≤' | '≥' | '≠' => {
                tokens.push(Token {
                    text: character.to_string(),
                    is_name: quoted,
                });
            }
            _ => {}
        }
        at += 1;
    }
    tokens
}

/// A minus that belongs to a number, and no dash.
fn is_sign(characters: &[char], at: usize) -> bool {
    let after = characters.get(at + 1).is_some_and(char::is_ascii_digit);
    after
        && at
            .checked_sub(1)
            .is_none_or(|before| !characters[before].is_alphanumeric())
}

/// Signs within a number, a date or an address belong to it (`1.5`, `2024-01-31`, `10:30`), the
/// apostrophe to its word.
fn end_of_word(characters: &[char], mut at: usize) -> usize {
    while let Some(&character) = characters.get(at) {
        let between = |is: fn(char) -> bool| {
            is(characters[at - 1]) && characters.get(at + 1).is_some_and(|next| is(*next))
        };
        let belongs = match character {
            '.' | ',' | ':' | '/' | '-' => between(|c| c.is_ascii_digit()),
            '\'' | '@' => between(char::is_alphanumeric),
            other => other.is_alphanumeric(),
        };
        if !belongs {
            break;
        }
        at += 1;
    }
    at
}

/// A word, or what it is short for. Negations have to show.
fn push_word(tokens: &mut Vec<Token>, word: &str, is_name: bool) {
    let mut push = |text: &str| {
        tokens.push(Token {
            text: text.to_owned(),
            is_name,
        });
    };
    match word {
        "can't" | "cannot" => ["can", "not"].into_iter().for_each(push),
        "won't" => ["will", "not"].into_iter().for_each(push),
        "what's" | "who's" | "where's" | "how's" | "it's" | "that's" | "there's" => {
            push(&word[..word.len() - 2]);
            push("is");
        }
        "i'd" => ["i", "would"].into_iter().for_each(push),
        _ => {
            if let Some(verb) = word.strip_suffix("n't") {
                push(verb);
                push("not");
            } else {
                push(word.strip_suffix("'s").unwrap_or(word));
            }
        }
    }
}

/// Greetings at the beginning, thanks at the end, "please" anywhere.
fn strip_politeness(tokens: &mut Vec<Token>) {
    const BEFORE: &[&[&str]] = &[
        &["hi"],
        &["hello"],
        &["hey"],
        &["ok"],
        &["okay"],
        &["kindly"],
        &["please"],
        &["can", "you"],
        &["could", "you"],
        &["would", "you"],
        &["will", "you"],
        &["i", "want", "to", "see"],
        &["i", "want", "to", "know"],
        &["i", "need", "to", "see"],
        &["i", "need", "to", "know"],
        &["i", "would", "like", "to", "see"],
        &["i", "would", "like", "to", "know"],
        &["let", "me", "see"],
        &["let", "me", "know"],
    ];
    const AFTER: &[&[&str]] = &[&["thanks"], &["thank", "you"], &["please"]];
    while strip(tokens, BEFORE, false) || strip(tokens, AFTER, true) {}
}

/// One way of asking for what follows: "show me all", "what is". A bare "list price" asks for a
/// price.
fn strip_request(tokens: &mut Vec<Token>) {
    const REQUESTS: &[&[&str]] = &[
        &["show", "me"],
        &["show", "us"],
        &["give", "me"],
        &["give", "us"],
        &["tell", "me"],
        &["tell", "us"],
        &["get", "me"],
        &["find", "me"],
        &["show"],
        &["display"],
        &["get"],
        &["find"],
        &["fetch"],
        &["what", "is"],
        &["what", "are"],
    ];
    const LISTS: &[&[&str]] = &[
        &["the", "list", "of"],
        &["a", "list", "of"],
        &["list", "of"],
    ];
    const WHOLE: &[&[&str]] = &[
        &["all", "of", "the"],
        &["all", "the"],
        &["all", "of"],
        &["all"],
    ];
    let asked = strip(tokens, REQUESTS, false) || {
        let next = tokens.get(1).map(|token| token.text.as_str());
        let lists = next.is_some_and(|next| ["all", "the"].contains(&next) || next.ends_with('s'));
        lists && strip(tokens, &[&["list"]], false)
    };
    let listed = strip(tokens, LISTS, false);
    if asked || listed {
        strip(tokens, WHOLE, false);
    }
}

/// Unifies "number of crews", "count the crews" and "how many crews are there" to: how many crews.
fn unify_count(tokens: &mut Vec<Token>) {
    const COUNTS: &[&[&str]] = &[
        &["the", "total", "number", "of"],
        &["total", "number", "of"],
        &["the", "number", "of"],
        &["number", "of"],
        &["the", "count", "of"],
        &["count", "of"],
        &["count", "the"],
        &["how", "many"],
    ];
    const THERE: &[&[&str]] = &[
        &["are", "there"],
        &["there", "are"],
        &["is", "there"],
        &["do", "we", "have"],
        &["do", "you", "have"],
        &["have", "we", "got"],
        &["exist"],
        &["in", "total"],
        &["in", "all"],
    ];
    if !strip(tokens, COUNTS, false) {
        return;
    }
    while strip(tokens, THERE, true) {}
    let asked = ["how", "many"].map(|word| Token {
        text: word.to_owned(),
        is_name: false,
    });
    tokens.splice(0..0, asked);
}

/// Takes the first of these phrases off the beginning or the end; never the whole question.
fn strip(tokens: &mut Vec<Token>, phrases: &[&[&str]], at_the_end: bool) -> bool {
    let found = phrases.iter().find_map(|phrase| {
        let rest = tokens
            .len()
            .checked_sub(phrase.len())
            .filter(|rest| *rest > 0)?;
        let start = if at_the_end { rest } else { 0 };
        let place = start..start + phrase.len();
        let same = tokens[place.clone()]
            .iter()
            .zip(*phrase)
            .all(|(token, word)| !token.is_name && token.text == *word);
        same.then_some(place)
    });
    found.map(|place| tokens.drain(place)).is_some()
}

#[cfg(test)]
mod tests;
