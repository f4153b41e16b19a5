//! Tier 1: messages that greet and do nothing else.

use super::text::normalize;

/// Greetings that stand alone.
const ALONE: [&str; 13] = [
    "hi",
    "hello",
    "hey",
    "hiya",
    "howdy",
    "greetings",
    "yo",
    "sup",
    "what's up",
    "whats up",
    "what is up",
    "hello sunny",
    "hi sunny",
];
const TIMES: [&str; 4] = ["morning", "afternoon", "evening", "day"];

/// Whether the whole message is a greeting. Trailing spaces and `! . ,` do not matter (`?` only
/// after "what's up"); any further word makes it something else: "good morning briefing" asks for a
/// briefing.
pub fn is_greeting(message: &str) -> bool {
    // The longest greeting has 15 characters; a long message needs no look.
    if message.len() > 256 {
        return false;
    }
    let text = normalize(message);
    let words = text
        .trim()
        .trim_end_matches(['!', '.', ',', ' ', '\t', '\n', '\r']);
    let asked = words.trim_end_matches(['?', ' ', '!', '.', ',']);
    let phrase = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if ALONE.contains(&phrase.as_str()) {
        return true;
    }
    match phrase.split_once(' ') {
        Some(("good", time)) => TIMES.contains(&time),
        Some(("hey" | "hi" | "hello", "there")) => true,
        _ => {
            let asked = asked.split_whitespace().collect::<Vec<_>>().join(" ");
            matches!(asked.as_str(), "what's up" | "whats up" | "what is up")
        }
    }
}
