//! Messages that take back a question.

use super::text::normalize;

const PHRASES: [&str; 24] = [
    "cancel",
    "cancel that",
    "cancel it",
    "cancel this",
    "please cancel",
    "never mind",
    "nevermind",
    "nvm",
    "forget it",
    "forget that",
    "forget about it",
    "stop",
    "stop it",
    "abort",
    "quit",
    "exit",
    "no thanks",
    "no thank you",
    "leave it",
    "drop it",
    "skip it",
    "nothing",
    "none",
    "none of them",
];

/// Whether the whole message takes back what was asked: "cancel", "never mind", "forget it".
pub fn is_cancel(message: &str) -> bool {
    if message.len() > 256 {
        return false;
    }
    let text = normalize(message);
    let words = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| {
            !word.is_empty()
                && !matches!(
                    *word,
                    "ok" | "okay" | "oh" | "please" | "actually" | "sorry" | "just" | "ah" | "well"
                )
        })
        .collect::<Vec<_>>()
        .join(" ");
    PHRASES.contains(&words.as_str())
}
