//! Messages that only say thanks or goodbye.

use super::text::{Kind, normalize, tokens};

/// Words of which such a message is made; at least one of the significant ones has to be in it.
const TELLING: &[&str] = &[
    "thanks",
    "thank",
    "thx",
    "ty",
    "cheers",
    "bye",
    "goodbye",
    "great",
    "perfect",
    "cool",
    "nice",
    "awesome",
    "excellent",
    "wonderful",
];
const AROUND: &[&str] = &[
    "you",
    "a",
    "lot",
    "very",
    "much",
    "so",
    "ok",
    "okay",
    "that",
    "that's",
    "is",
    "was",
    "all",
    "for",
    "now",
    "the",
    "your",
    "help",
    "helpful",
    "many",
    "good",
    "well",
    "done",
    "job",
    "see",
    "later",
    "and",
    "it",
    "this",
    "really",
    "super",
    "then",
    "info",
    "information",
    "fine",
    "no",
    "more",
    "questions",
];

/// Whether the whole message says thanks or goodbye: "thanks", "great, thank you very much".
pub(super) fn is_thanks(message: &str) -> bool {
    let text = normalize(message);
    let tokens = tokens(&text);
    let words = || tokens.iter().filter(|token| token.kind == Kind::Word);
    tokens.len() <= 14
        && !text.contains('?')
        && tokens.iter().all(|token| token.kind != Kind::Number)
        && words().any(|token| TELLING.contains(&token.text))
        && words().all(|token| TELLING.contains(&token.text) || AROUND.contains(&token.text))
}
