//! Messages that take back what was said or chosen: "sorry, december", "no, I meant the terminal",
//! "not Hamburg but Rotterdam", "the other one", "forget what I chose".

use super::Message;
use super::phrases::{asks, skip, trim_marks, verb_of_request};
use crate::language::text::{Token, between};

/// A correction of an earlier answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Correction {
    /// This takes the place of what was said; "Rotterdam instead of Hamburg" where the words say of
    /// what.
    Value(String),
    /// Of two things the one that was not chosen.
    Other,
    /// The choice is forgotten.
    Forget,
    /// The last change of the query.
    Undo,
}

/// Words that say that something was wrong.
const STRONG: &[&str] = &[
    "no",
    "nope",
    "nah",
    "sorry",
    "oops",
    "whoops",
    "wait",
    "actually",
    "pardon",
    "correction",
    "apologies",
    "bad",
    "mistake",
];
/// What may are beside them before a correction: "oh sorry", "my bad".
const BESIDE: &[&str] = &["hmm", "oh", "ah", "well", "ok", "okay", "my"];
/// Behind which the value stands, the longest first.
const MEANT: &[&[&str]] = &[
    &["i", "was", "asking", "about"],
    &["i", "was", "thinking", "of"],
    &["that", "should", "have", "been"],
    &["it", "should", "have", "been"],
    &["that", "should", "be"],
    &["it", "should", "be"],
    &["what", "i", "meant", "was"],
    &["what", "i", "mean", "is"],
    &["i", "actually", "meant"],
    &["i", "meant"],
    &["i", "mean"],
    &["i", "said"],
    &["i", "wanted"],
    &["meant"],
];
/// Words that follow "no" and "wait" where nothing is corrected.
const IDLE: &[&str] = &[
    "thanks", "thank", "problem", "worries", "way", "idea", "moment", "minute", "second", "need",
    "more", "clue", "matter",
];
/// Words that say the role of a name.
const ROLES: &[&str] = &["from", "to", "via", "on", "by", "with"];
/// Maximum number of words of a value.
const LONGEST: usize = 8;

/// The correction in a message.
pub(super) fn read(message: &Message<'_>) -> Option<Correction> {
    let tokens = &message.tokens;
    if tokens.len() > 24 {
        return None;
    }
    if forgets(tokens) {
        return Some(Correction::Forget);
    }
    if undoes(tokens) {
        return Some(Correction::Undo);
    }
    let leads = [STRONG, BESIDE].concat();
    let lead = skip(tokens, 0, &leads);
    let strong = tokens[..lead].iter().any(|token| token.is(STRONG));
    let meant = MEANT.iter().find(|words| {
        let mut places = words.iter().enumerate();
        places.all(|(at, word)| tokens.get(lead + at).is_some_and(|token| token.is(&[word])))
    });
    let begin = skip(tokens, lead + meant.map_or(0, |words| words.len()), &[]);
    let rest = without_end(tokens.get(begin..)?);
    let words = rest
        .iter()
        .filter(|token| token.is_word() || token.number().is_some())
        .count();
    if words == 0 || words > LONGEST || verb_of_request(rest).is_some() {
        return None;
    }
    let said = strong || meant.is_some();
    if is_other(rest) {
        return Some(Correction::Other);
    }
    if let Some((value, old)) = contrast(rest, said) {
        let (value, old) = (between(message.text, value), between(message.text, old));
        return Some(Correction::Value(format!("{value} instead of {old}")));
    }
    let idle = rest.iter().any(|token| token.is(IDLE));
    let question = meant.is_none() && asks(message) && !strong;
    (said && !idle && !question).then(|| Correction::Value(between(message.text, rest).to_owned()))
}

/// Without "please" and the like, and marks, at the end.
fn without_end(tokens: &[Token]) -> &[Token] {
    let mut rest = trim_marks(tokens);
    while let Some((last, before)) = rest.split_last()
        && last.is(&["please", "instead", "sorry", "rather", "then", "?", "."])
    {
        rest = trim_marks(before);
    }
    rest
}

/// "The other one", "the other Miami", "wrong one".
fn is_other(rest: &[Token]) -> bool {
    let words: Vec<&Token> = rest.iter().filter(|token| token.is_word()).collect();
    let at = usize::from(words.first().is_some_and(|word| word.is(&["the"])));
    let other = words
        .get(at)
        .is_some_and(|word| word.is(&["other", "wrong"]));
    other && words.len() <= at + 3 && words.len() == rest.len()
}

/// "Not X but Y"; "Y, not X". What is wanted, and what is not.
fn contrast(rest: &[Token], said: bool) -> Option<(&[Token], &[Token])> {
    let not = rest.iter().position(|token| token.is(&["not"]))?;
    let (value, old) = if not == 0 {
        let but = rest.iter().position(|token| token.is(&["but", ",", ";"]))?;
        (rest.get(but + 1..)?, rest.get(1..but)?)
    } else {
        let comma = rest[not - 1].is(&[",", ";"]);
        let (value, old) = (rest.get(..not)?, rest.get(not + 1..)?);
        (comma || said).then_some((value, old))?
    };
    let (value, old) = (trim_marks(value), trim_marks(old));
    // "Not Hamburg but from Santos": in another role, so each is a condition of its own.
    let role = |words: &[Token]| {
        let first = words.first().filter(|first| first.is(ROLES))?;
        Some(first.text.clone())
    };
    let other_role = role(value).is_some() && role(value) != role(old);
    (!value.is_empty() && !old.is_empty() && !other_role).then_some((value, old))
}

/// "Forget my choice", "ask me next time", "don't remember that".
fn forgets(tokens: &[Token]) -> bool {
    let words: Vec<&str> = tokens
        .iter()
        .filter(|token| token.is_word() && !token.is(&["please", "ok", "okay", "just", "now"]))
        .map(|token| token.text.as_str())
        .collect();
    let said = words.join(" ");
    let chosen = [
        "choice",
        "choices",
        "chose",
        "chosen",
        "selection",
        "picked",
        "remembered",
    ];
    (words.len() <= 8
        && words.contains(&"forget")
        && words.iter().any(|word| chosen.contains(word)))
        || [
            "ask me again next time",
            "ask me next time",
            "ask again next time",
            "don't remember that",
            "don't remember it",
            "don't remember this",
            "do not remember that",
            "stop remembering that",
        ]
        .contains(&said.as_str())
}

/// "Undo", "go back", "revert that".
fn undoes(tokens: &[Token]) -> bool {
    const AROUND: &[&str] = &[
        "please", "ok", "okay", "no", "sorry", "the", "that", "this", "it", "last", "change", "my",
        "one", "can", "you", "step", "again", "now", "oops", "wait", "to", "before",
    ];
    let words: Vec<&str> = tokens
        .iter()
        .filter(|token| token.is_word() && !token.is(AROUND))
        .map(|token| token.text.as_str())
        .collect();
    let says = [
        "undo",
        "revert",
        "go back",
        "back",
        "take back",
        "roll back",
        "previous",
        "previous query",
        "back previous",
        "back previous query",
        "query",
        "without",
        "drop",
        "remove",
    ];
    let said = words.join(" ");
    let has = |word: &str| tokens.iter().any(|token| token.is(&[word]));
    // "The one before", "the query before", but not "the query".
    if said.is_empty() && has("one") && has("before") {
        return true;
    }
    let before = said != "query" || has("before");
    tokens.len() <= 8 && before && says.contains(&said.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::text::tokens;

    #[test]
    fn corrections_are_told_from_other_messages() {
        let value = |text: &str| Some(Correction::Value(text.to_owned()));
        for (text, expected) in [
            ("sorry, december", value("december")),
            ("no, I meant the terminal", value("the terminal")),
            ("I mean Hamburg", value("Hamburg")),
            ("oops, last month please", value("last month")),
            ("actually Rotterdam", value("Rotterdam")),
            ("that should be 10", value("10")),
            (
                "not Hamburg but Rotterdam",
                value("Rotterdam instead of Hamburg"),
            ),
            (
                "Rotterdam, not Hamburg",
                value("Rotterdam instead of Hamburg"),
            ),
            ("no, the other one", Some(Correction::Other)),
            ("the other Miami", Some(Correction::Other)),
            ("forget my choice", Some(Correction::Forget)),
            ("undo", Some(Correction::Undo)),
            ("the previous one", Some(Correction::Undo)),
            ("back to the previous query", Some(Correction::Undo)),
            ("the query before that", Some(Correction::Undo)),
            ("the one before", Some(Correction::Undo)),
            ("the query", None),
            ("please undo that", Some(Correction::Undo)),
            ("take that back", Some(Correction::Undo)),
            ("without that", Some(Correction::Undo)),
            ("drop that again", Some(Correction::Undo)),
            ("remove the last change", Some(Correction::Undo)),
            ("remove the status", None),
            ("undo the filter", None),
            (
                "not December, November",
                value("November instead of December"),
            ),
            ("ask me again next time", Some(Correction::Forget)),
            ("no thanks", None),
            ("wait a moment", None),
            ("no, show me the vessels", None),
            ("shipments not from Shanghai", None),
            ("sorry, what is a TEU?", None),
            ("only delivered ones", None),
            ("Hamburg", None),
        ] {
            let message = Message {
                text,
                tokens: tokens(text),
                labelled: false,
            };
            assert_eq!(read(&message), expected, "{text}");
        }
    }
}
