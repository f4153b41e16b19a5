//! Messages about what was chosen for words that can mean several things: "what do you remember?",
//! "forget Miami", "forget all my choices".

use super::text::{Token, between, tokens};

/// A request about the remembered choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remembering {
    /// To know them.
    List,
    /// To have them all forgotten.
    ForgetAll,
    /// To have the choice for these words forgotten, if they are words of one.
    Forget(String),
}

/// Words of choices.
const CHOICES: &[&str] = &[
    "choice",
    "choices",
    "chose",
    "chosen",
    "choose",
    "selection",
    "selections",
    "picked",
    "pick",
    "remember",
    "remembered",
    "remembering",
];
/// The longest message.
const LONGEST: usize = 10;

/// The request of a message about the remembered choices; `None` for any other message.
pub fn remembering(text: &str) -> Option<Remembering> {
    let all = tokens(text);
    let words: Vec<&Token> = all
        .iter()
        .filter(|token| {
            (token.is_word() || token.number().is_some())
                && !token.is(&[
                    "please", "ok", "okay", "just", "now", "can", "could", "you", "me", "the",
                    "of", "do", "did", "have",
                ])
        })
        .collect();
    if words.is_empty() || words.len() > LONGEST {
        return None;
    }
    let has = |wanted: &[&str]| words.iter().any(|token| token.is(wanted));
    let first = words[0];
    let of_choices = has(CHOICES);
    let forgets = first.is(&["forget", "clear", "reset", "delete", "drop"])
        || first.is(&["stop"]) && has(&["remembering"]);
    if forgets {
        let everything = has(&["all", "everything", "every", "whatever"]) && of_choices
            || has(&["choices", "selections"]);
        if everything {
            return Some(Remembering::ForgetAll);
        }
        let begin = all.iter().position(|token| {
            token.is_word()
                && !token.is(&[
                    "please", "ok", "okay", "just", "now", "can", "could", "you", "the", "my",
                    "what", "i", "for", "to", "mean", "about",
                ])
                && !token.is(&["forget", "stop", "that", "means"])
                && !token.is(CHOICES)
        });
        let rest = all.get(begin?..)?;
        let end = rest
            .iter()
            .rposition(|token| token.is_word() || token.number().is_some())?
            + 1;
        let said = between(text, &rest[..end]);
        // "Forget it" gives up what is worked on.
        if rest[..end].iter().all(|token| {
            !token.is_word() || token.is(&["it", "this", "them", "these", "those", "everything"])
        }) {
            return None;
        }
        return (first.is(&["forget", "stop"]) && !said.is_empty())
            .then(|| Remembering::Forget(said.to_owned()));
    }
    let asks = first.is(&["what", "which", "show", "list", "my"]);
    let mine = has(&["i", "my"]) || has(&["remember", "remembered"]);
    // "What was chosen most often" is a question about records.
    (asks && of_choices && mine && words.len() <= 5).then_some(Remembering::List)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_about_choices_are_told_from_others() {
        let forget = |words: &str| Some(Remembering::Forget(words.to_owned()));
        for (text, expected) in [
            ("what do you remember?", Some(Remembering::List)),
            ("Which choices do you remember?", Some(Remembering::List)),
            ("show my choices", Some(Remembering::List)),
            ("what did I choose?", Some(Remembering::List)),
            ("forget all my choices", Some(Remembering::ForgetAll)),
            (
                "forget everything you remember",
                Some(Remembering::ForgetAll),
            ),
            ("please clear my choices", Some(Remembering::ForgetAll)),
            ("forget Miami", forget("Miami")),
            ("forget my choice for Miami", forget("Miami")),
            (
                "forget what I chose for Port of Miami.",
                forget("Port of Miami"),
            ),
            ("forget the carrier", forget("carrier")),
            ("forget it", None),
            ("forget my choice", None),
            ("show shipments", None),
            ("which carrier was chosen most often?", None),
            ("clear the filters", None),
        ] {
            assert_eq!(remembering(text), expected, "{text}");
        }
    }
}
