//! Sentences that claim nothing: greetings, announcements, offers, questions to the person.
//!
//! Such a sentence begins in one of a few ways and has no words but those of courtesy. A bare
//! "Yes." or "Sure." is none: it answers.

use chrono::{Month, Weekday};

use super::{
    FactRegistry, lexicon,
    tokens::{Placed, Token},
};

/// How a sentence of courtesy begins.
const OPENINGS: &[&[&str]] = &[
    &["hello"],
    &["hi"],
    &["hey"],
    &["good", "morning"],
    &["good", "afternoon"],
    &["good", "evening"],
    &["thanks"],
    &["thank", "you"],
    &["you're", "welcome"],
    &["you", "are", "welcome"],
    &["let", "me"],
    &["let's"],
    &["let", "us"],
    &["i'll"],
    &["i", "will"],
    &["i'm", "going", "to"],
    &["i", "am", "going", "to"],
    &["i", "looked"],
    &["i", "have", "looked"],
    &["here", "is"],
    &["here", "are"],
    &["here's"],
    &["this", "is", "what"],
    &["would", "you", "like"],
    &["do", "you", "want"],
    &["want", "me", "to"],
    &["shall", "i"],
    &["should", "i"],
    &["may", "i"],
    &["which"],
    &["what", "would", "you"],
    &["what", "else"],
    &["what", "do", "you"],
    &["is", "there", "anything"],
    &["anything", "else"],
    &["just", "ask"],
    &["ask", "me"],
    &["tell", "me"],
    &["let", "me", "know"],
    &["i'm", "happy", "to"],
    &["i", "am", "happy", "to"],
    &["happy", "to"],
    &["glad", "to"],
    &["i'd", "be", "happy", "to"],
    &["looking", "at"],
    &["as", "for"],
    &["one", "moment"],
    &["you", "asked"],
    &["i'm", "sorry"],
    &["sorry"],
];

/// Words of courtesy, beside those that claim nothing anyway. Sorted.
const WORDS: &[&str] = &[
    "afternoon",
    "again",
    "another",
    "answer",
    "anything",
    "ask",
    "asked",
    "asking",
    "assist",
    "briefing",
    "card",
    "chart",
    "check",
    "checking",
    "choose",
    "closer",
    "compare",
    "comparison",
    "curve",
    "date",
    "days",
    "detail",
    "details",
    "different",
    "else",
    "energy",
    "evening",
    "explain",
    "fetch",
    "forecast",
    "further",
    "gather",
    "glad",
    "go",
    "going",
    "happy",
    "health",
    "hello",
    "help",
    "hey",
    "hi",
    "i'll",
    "i'm",
    "if",
    "inventories",
    "inventory",
    "know",
    "let",
    "let's",
    "like",
    "mean",
    "moment",
    "month",
    "more",
    "morning",
    "name",
    "next",
    "one",
    "other",
    "overview",
    "performance",
    "pick",
    "picture",
    "please",
    "power",
    "prefer",
    "production",
    "pull",
    "question",
    "questions",
    "records",
    "report",
    "request",
    "savings",
    "see",
    "select",
    "shall",
    "should",
    "summary",
    "table",
    "take",
    "tell",
    "thank",
    "thanks",
    "through",
    "today",
    "together",
    "up",
    "want",
    "week",
    "welcome",
    "will",
    "would",
    "year",
];

/// Whether a sentence without references claims nothing.
pub(super) fn passes(tokens: &[Placed], registry: &FactRegistry) -> bool {
    let words: Vec<&str> = tokens
        .iter()
        .filter_map(|placed| match &placed.token {
            Token::Word(word) => Some(word.as_str()),
            _ => None,
        })
        .collect();
    let Some(rest) = OPENINGS
        .iter()
        .filter_map(|opening| words.strip_prefix(*opening))
        .min_by_key(|rest| rest.len())
    else {
        return false;
    };
    rest.iter().all(|word| {
        let says_nothing = lexicon::is_neutral(word) || lexicon::is_noun(word);
        says_nothing || WORDS.binary_search(word).is_ok() || registry.has_noun(word)
    })
}

/// Whether a text that is not a sentence, such as a title, claims nothing: its words are those of
/// courtesy, of measures, units, months and names. Its figures are checked elsewhere.
pub(super) fn is_label(tokens: &[Placed], registry: &FactRegistry) -> bool {
    tokens.iter().all(|placed| match &placed.token {
        Token::Word(word) => {
            let says_nothing = lexicon::is_neutral(word) || lexicon::is_noun(word);
            let known = registry.has_noun(word) || registry.measures(word);
            let day = word.parse::<Month>().is_ok() || word.parse::<Weekday>().is_ok();
            let figure = word.chars().any(char::is_numeric);
            let listed = WORDS.binary_search(&word.as_str()).is_ok() || lexicon::is_unit(word);
            says_nothing || listed || known || day || figure
        }
        Token::Name(_) | Token::Mark(_) => true,
        Token::Ref(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.is_sorted());
    }
}
