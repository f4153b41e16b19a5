//! What records say beside their figures: the words of their keys, and their texts.
//!
//! A short text is a name or a state, of which each word may be said. A long one is a person's own
//! sentence, which may say or order anything: it is repeated whole, or not at all.

use serde_json::Value;

use super::support::spelled;
use super::tokens::{Token, tokens};

/// Most words of a text that is a name.
const NAME: usize = 3;

/// A key of a record, with its text.
#[derive(Debug, Clone)]
pub(super) struct RecordText {
    key: Vec<String>,
    text: Vec<String>,
}

impl RecordText {
    pub(super) fn of(name: &str, value: &Value) -> Self {
        let text = value.as_str().unwrap_or_default();
        Self {
            key: stems(&tokens(&spelled(name))),
            text: stems(&tokens(text)),
        }
    }

    /// Whether a stem is a word of the key.
    pub(super) fn has_key(&self, stem: &str) -> bool {
        self.key.iter().any(|one| one == stem)
    }

    /// Whether the text gives a stem to a sentence with these stems.
    fn gives(&self, stem: &str, said: &[String]) -> bool {
        let is_whole = || said.windows(self.text.len()).any(|part| part == self.text);
        self.text.iter().any(|one| one == stem) && (self.text.len() <= NAME || is_whole())
    }
}

/// Whether each word of a sentence is of a key, or of a name, or of a text that is said whole.
pub(super) fn are_whole(said: &[Token], values: &[RecordText]) -> bool {
    let stems = stems(said);
    let mut words = words(said);
    words.all(|word| {
        let mut values = values.iter();
        values.any(|value| value.has_key(word) || value.gives(word, &stems))
    })
}

/// Whether the words of a sentence that are not of keys are texts of one key: the state of one
/// record is not set beside the name of another.
pub(super) fn are_of_one_key<'a, I>(said: &[Token], values: impl Fn() -> I) -> bool
where
    I: Iterator<Item = &'a RecordText>,
{
    let stems = stems(said);
    let is_key = |word: &str| values().any(|value| value.has_key(word));
    let named: Vec<&str> = words(said).filter(|word| !is_key(word)).collect();
    values().any(|first| {
        named.iter().all(|word| {
            let mut same = values().filter(|value| value.key == first.key);
            same.any(|value| value.gives(word, &stems))
        })
    })
}

fn words(said: &[Token]) -> impl Iterator<Item = &str> {
    let words = said.iter().filter(|one| one.counts());
    words.filter(|one| one.figure().is_none()).map(Token::stem)
}

fn stems(tokens: &[Token]) -> Vec<String> {
    let counting = tokens.iter().filter(|one| one.counts());
    counting.map(|one| one.stem().to_owned()).collect()
}
