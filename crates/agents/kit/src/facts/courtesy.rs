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
    "breakdown",
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
    "day",
    "days",
    "detail",
    "details",
    "different",
    "else",
    "energy",
    "evening",
    "explain",
    "fetch",
    "findings",
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
    "highlights",
    "i'll",
    "i'm",
    "if",
    "inventories",
    "inventory",
    "item",
    "key",
    "know",
    "let",
    "let's",
    "like",
    "mean",
    "metric",
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
    "points",
    "power",
    "prefer",
    "production",
    "pull",
    "question",
    "questions",
    "quick",
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

/// Openings of a sentence that greets and says nothing else.
const GREETINGS: &[&str] = &[
    "afternoon",
    "evening",
    "hello",
    "hey",
    "hi",
    "morning",
    "sorry",
    "thank",
    "thanks",
    "welcome",
];

/// Words that may follow a greeting.
const GREETING: &[&str] = &[
    "a", "again", "and", "asking", "back", "for", "good", "hello", "i'm", "me", "of", "question",
    "that", "the", "there", "to", "you", "your",
];

/// Whether a text greets and does nothing else.
pub(super) fn is_greeting(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        "good afternoon",
        "good evening",
        "good morning",
        "hello",
        "hello there",
        "hey",
        "hi",
        "hi there",
    ]
    .contains(&lower.as_str())
}

/// Words of courtesy that state something where they do not belong to a request.
const WISHES: &[&str] = &["do", "if", "like", "mean", "should", "will", "would"];

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
    let opening = &words[..words.len() - rest.len()];
    if opening.iter().any(|word| GREETINGS.contains(word)) {
        let greets = |word: &&str| GREETING.contains(word) || GREETINGS.contains(word);
        return rest.iter().all(greets);
    }
    let asks = tokens
        .last()
        .is_some_and(|one| one.token == Token::Mark('?'))
        || ["know", "me", "happy", "glad"]
            .iter()
            .any(|word| opening.contains(word));
    (0..rest.len()).all(|at| {
        let word = rest[at];
        let says_nothing = lexicon::is_neutral(word) || lexicon::is_noun(word);
        let before = at.checked_sub(1).map(|at| rest[at]);
        let known = WORDS.binary_search(&word).is_ok()
            || registry.has_noun(word)
            || is_over_time(before, word);
        (says_nothing || known) && is_idle(rest, at, asks)
    })
}

/// Whether a word is the last of "over time", which claims nothing; "on time" does.
fn is_over_time(before: Option<&str>, word: &str) -> bool {
    before == Some("over") && word == "time"
}

/// Whether a word behind an opening leaves it one: "more details" is an offer, "more energy" a
/// claim, and so is everything with a finite verb, unless it asks.
fn is_idle(rest: &[&str], at: usize, asks: bool) -> bool {
    let next = rest.get(at + 1).copied();
    let before = at.checked_sub(1).map(|at| rest[at]);
    match rest[at] {
        "more" => next.is_none_or(|next| {
            [
                "about",
                "closely",
                "detail",
                "details",
                "of",
                "on",
                "questions",
            ]
            .contains(&next)
        }),
        "up" => before.is_some_and(|word| ["look", "pull"].contains(&word)),
        "go" | "going" => next.is_some_and(|next| ["through", "to"].contains(&next)),
        // "Here is what I have found", "which of them do you mean?"
        "have" | "do" | "stands" | "said" => {
            before.is_some_and(|word| {
                ["i", "we", "you", "what", "devices", "one", "which"].contains(&word)
            }) || asks && next == Some("you")
        }
        word if WISHES.contains(&word) => asks,
        word => !lexicon::is_stating(word),
    }
}

/// Whether a text that is not a sentence, such as a title, claims nothing: its words are those of
/// courtesy, of measures, units, months and names, and none of them states something. Its figures
/// are days, times and numbers of days; those of results are in cards made of results.
pub(super) fn is_label(tokens: &[Placed], registry: &FactRegistry) -> bool {
    (0..tokens.len()).all(|at| match &tokens[at].token {
        Token::Word(word) if word.chars().any(char::is_numeric) => is_of_days(tokens, at),
        Token::Word(word) => {
            let neutral = lexicon::is_neutral(word) && !lexicon::is_stating(word);
            let idle = !["different", "go", "going", "more", "up"].contains(&word.as_str())
                && !WISHES.contains(&word.as_str());
            let listed = WORDS.binary_search(&word.as_str()).is_ok() && idle;
            let known = registry.has_noun(word) || registry.labels(word);
            let day = word.parse::<Month>().is_ok() || word.parse::<Weekday>().is_ok();
            let before = at.checked_sub(1).map(|at| &tokens[at].token);
            let before = before.and_then(|token| match token {
                Token::Word(word) => Some(word.as_str()),
                _ => None,
            });
            is_over_time(before, word)
                || neutral
                || lexicon::is_noun(word)
                || listed
                || lexicon::is_unit(word)
                || known
                || day
        }
        Token::Name(_) | Token::Phrase => true,
        Token::Mark(mark) => !mark.is_numeric() && !['<', '>', '@', '[', ']', '\\'].contains(mark),
        Token::Ref(_) => false,
    })
}

/// Whether a figure is a part of a day or of a time, or a number of days.
fn is_of_days(tokens: &[Placed], at: usize) -> bool {
    let Token::Word(figure) = &tokens[at].token else {
        return false;
    };
    if ["co2", "co\u{2082}", "m2", "m\u{b2}"].contains(&figure.as_str()) {
        return true;
    }
    let ordinal = ["st", "nd", "rd", "th"];
    let figure = ordinal
        .iter()
        .find_map(|end| figure.strip_suffix(end))
        .unwrap_or(figure);
    if !figure.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let token = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(|one| &one.token);
    let (before, behind) = (token(at.checked_sub(1)), token(Some(at + 1)));
    let is_month = |token: Option<&Token>| matches!(token, Some(Token::Word(word)) if word.parse::<Month>().is_ok());
    let spans = [
        "day", "days", "hour", "hours", "month", "months", "week", "weeks", "year", "years",
    ];
    let counts = matches!(behind, Some(Token::Word(word)) if spans.contains(&word.as_str()));
    let joins = |token: Option<&Token>| matches!(token, Some(Token::Mark('-' | ':' | '\u{2013}')));
    let year = figure.len() == 4 && (figure.starts_with("19") || figure.starts_with("20"));
    // "2025-12-04", "10:30", "5\u{2013}7 December".
    let joined = |token: Option<&Token>, at: Option<usize>| {
        joins(token)
            && at.and_then(|at| tokens.get(at)).is_some_and(|one| {
                matches!(&one.token, Token::Word(word) if word.bytes().all(|byte| byte.is_ascii_digit()))
            })
    };
    year && !matches!(behind, Some(Token::Word(word)) if lexicon::is_unit(word))
        || counts
        || is_month(before)
        || is_month(behind)
        || joined(before, at.checked_sub(2))
        || joined(behind, Some(at + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.is_sorted());
    }
}
