//! The answer to a plan that waits for approval, and to an offer.

use serde::{Deserialize, Serialize};

/// A person's answer to a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAnswer {
    /// Run it.
    Run,
    /// Do not.
    Cancel,
    /// Not like this, but so; empty when it is not said how.
    Change(String),
}

/// The value of the picker for running the plan.
pub const RUN: &str = "run";
/// The value for changing it.
pub const CHANGE: &str = "change";
/// The value for not running it.
pub const CANCEL: &str = "cancel";

/// How clients begin a message that says what was picked.
const PICKED: [&str; 4] = ["selected:", "user selected:", "i selected:", "i choose:"];

/// Words of consent; one of them makes a yes of a message that has no other words than these and
/// [`BESIDE`].
const YES: [&str; 46] = [
    "absolutely",
    "agree",
    "agreed",
    "ahead",
    "alright",
    "approve",
    "approved",
    "aye",
    "confirm",
    "confirmed",
    "continue",
    "correct",
    "definitely",
    "do",
    "exactly",
    "execute",
    "fine",
    "go",
    "good",
    "great",
    "ja",
    "jep",
    "k",
    "looks",
    "nice",
    "ok",
    "okay",
    "oui",
    "perfect",
    "please",
    "proceed",
    "right",
    "run",
    "si",
    "sounds",
    "start",
    "sure",
    "thumbs",
    "true",
    "y",
    "yeah",
    "yep",
    "yes",
    "yup",
    "certainly",
    "indeed",
];

/// Words of refusal.
const NO: [&str; 17] = [
    "abort",
    "cancel",
    "don",
    "dont",
    "forget",
    "n",
    "nah",
    "nein",
    "never",
    "nevermind",
    "no",
    "non",
    "nope",
    "not",
    "quit",
    "stop",
    "discard",
];

/// Words that say nothing by themselves beside a yes or a no.
const BESIDE: [&str; 25] = [
    "and", "as", "be", "bitte", "can", "it", "is", "just", "me", "mind", "now", "on", "one",
    "plan", "query", "s", "so", "sql", "t", "thank", "thanks", "that", "the", "this", "you",
];

/// Phrases that mean something else than their words: read as one word each.
const PHRASES: [(&str, &str); 10] = [
    ("go for it", "yes"),
    ("of course", "yes"),
    ("all right", "yes"),
    ("make it so", "yes"),
    ("why not", "yes"),
    ("no problem", "yes"),
    ("no worries", "yes"),
    ("thumbs up", "yes"),
    ("for me", ""),
    ("to me", ""),
];

/// Reads the answer: yes, no, or else what should be different.
pub fn read(text: &str) -> PlanAnswer {
    let said = without_prefix(text);
    let words: Vec<String> = said
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let mut joined = format!(" {} ", words.join(" "));
    for (phrase, meaning) in PHRASES {
        joined = joined.replace(&format!(" {phrase} "), &format!(" {meaning} "));
    }
    let words: Vec<&str> = joined.split_whitespace().collect();
    let is = |list: &[&str], word: &&str| list.contains(word);
    let others = |word: &&str| !is(&YES, word) && !is(&NO, word) && !is(&BESIDE, word);
    if matches!(
        words.as_slice(),
        ["change"] | ["change", "it"] | ["please", "change", "it"]
    ) {
        PlanAnswer::Change(String::new())
    } else if words.is_empty() {
        PlanAnswer::Cancel
    } else if words.iter().any(others) {
        PlanAnswer::Change(said.to_owned())
    } else if words.iter().any(|word| is(&NO, word)) {
        PlanAnswer::Cancel
    } else if words.iter().any(|word| is(&YES, word)) {
        PlanAnswer::Run
    } else {
        PlanAnswer::Change(said.to_owned())
    }
}

/// The choice, without the words that a client puts before it.
pub fn without_prefix(text: &str) -> &str {
    let text = text.trim();
    let lower = text.to_lowercase();
    let picked = PICKED.iter().find_map(|begin| {
        lower
            .strip_prefix(begin)
            .map(|rest| text.len() - rest.len())
    });
    // Lower case may have other lengths; then the words are taken as they are.
    picked.and_then(|at| text.get(at..)).unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_no_and_anything_else() {
        for text in [
            "run",
            "Selected: run",
            "User selected: Run it",
            "Yes!",
            "ok, run it",
            "go ahead please",
            "ok go ahead",
            "proceed",
            "Continue.",
            "yep",
            "correct",
            "ja",
            "yes, that's right",
            "sure, go for it",
            "looks good to me",
            "that is correct, run it now",
            "of course",
            "why not",
            "Yes please, thank you!",
            "go on",
            "yes, run the plan",
            "approved",
        ] {
            assert_eq!(read(text), PlanAnswer::Run, "{text}");
        }
        for text in [
            "no",
            "Selected: cancel",
            "Never mind.",
            "don't run it",
            "no, thank you",
            "not now",
            "nein",
            "please do not run that",
            "forget it",
            "no, cancel it",
            "  ",
        ] {
            assert_eq!(read(text), PlanAnswer::Cancel, "{text}");
        }
        assert_eq!(read("Selected: change"), PlanAnswer::Change(String::new()));
        for text in [
            "only those in Bonn",
            "yes, but only those in Bonn",
            "run it for 2025",
            "continue with the invoices",
            "it",
            "right, and by month",
        ] {
            assert_eq!(read(text), PlanAnswer::Change(text.to_owned()), "{text}");
        }
    }
}
