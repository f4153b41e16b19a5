//! "All of them".

use crate::language::keywords::Keywords;
use crate::language::text::normalize;

const MANY: &[&str] = &[
    "devices",
    "device",
    "loggers",
    "logger",
    "inverters",
    "inverter",
    "systems",
    "system",
    "units",
    "unit",
    "meters",
    "meter",
    "panels",
    "sites",
    "arrays",
    "machines",
];
const WHOLE: &[&str] = &[
    "fleet",
    "system",
    "plant",
    "park",
    "site",
    "thing",
    "installation",
    "farm",
    "lot",
    "solar",
];

/// Words for one device, behind "per".
const ONE: &[&str] = &["device", "logger", "inverter", "meter"];

/// Whether `message` asks for every device: "all inverters", "the whole park", "everything", "each
/// of them", "the energy per device".
pub fn wants_all(message: &str) -> bool {
    let text = normalize(message);
    says_all(&Keywords::of(&text).words)
}

/// The same of words.
pub(in crate::language) fn says_all(words: &[&str]) -> bool {
    let every = |word: &str| matches!(word, "all" | "every" | "each");
    let between = |word: &str| {
        matches!(
            word,
            "of" | "my"
                | "the"
                | "our"
                | "your"
                | "these"
                | "those"
                | "solar"
                | "pv"
                | "available"
                | "four"
                | "five"
                | "three"
                | "single"
        )
    };
    words.iter().enumerate().any(|(at, word)| match *word {
        "fleet" | "everything" => true,
        "whole" | "entire" | "full" | "complete" => {
            words.get(at + 1).is_some_and(|next| WHOLE.contains(next))
        }
        "per" => words.get(at + 1).is_some_and(|next| ONE.contains(next)),
        // "By inverter", and not "by inverter LTI".
        "by" => {
            let next = words.get(at + 1).is_some_and(|next| ONE.contains(next));
            next && words.get(at + 2).is_none_or(|behind| {
                matches!(
                    *behind,
                    "of" | "for" | "in" | "on" | "from" | "yesterday" | "today" | "last" | "this"
                )
            })
        }
        word if every(word) => {
            let next = words[at + 1..].iter().find(|word| !between(word));
            let of_them = words.get(at + 1) == Some(&"of")
                && matches!(words.get(at + 2), Some(&"them" | &"these" | &"those"));
            let alone = word == "all"
                && matches!(
                    words.get(at + 1),
                    None | Some(&("please" | "but" | "except" | "excluding" | "apart"))
                );
            of_them
                || alone
                || next.is_some_and(|next| MANY.contains(next) || is_brand_then_many(words, next))
        }
        _ => false,
    })
}

/// "All goodwe inverters".
fn is_brand_then_many(words: &[&str], brand: &str) -> bool {
    let at = words.iter().position(|word| *word == brand);
    at.and_then(|at| words.get(at + 1))
        .is_some_and(|next| MANY.contains(next) && next.ends_with('s'))
}
