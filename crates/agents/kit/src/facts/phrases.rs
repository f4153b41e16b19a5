//! Phrases that hold of all facts: the conditions of the query that they come from.
//!
//! A sentence may have such a phrase in any place, as it is. It names no measure and no subject.

use super::lexicon;

/// Longest phrase, in bytes.
const LONGEST: usize = 160;

/// Adds a phrase to the others, the longest of which come first.
pub(super) fn learn(phrases: &mut Vec<String>, phrase: &str) {
    let phrase = phrase.trim().to_lowercase();
    // The name in a condition may come from any user: it is one phrase, and not "all".
    let is_one =
        !phrase.contains(['!', '?', '\n', '[', ']', '|', '<', '>']) && !phrase.contains(". ");
    let claims = lexicon::is_reserved(&phrase) || lexicon::is_neutral(&phrase);
    let says = phrase.chars().any(char::is_alphabetic) && phrase.len() <= LONGEST;
    if says && is_one && !claims && !phrases.contains(&phrase) {
        let at = phrases.iter().position(|other| other.len() <= phrase.len());
        phrases.insert(at.unwrap_or(phrases.len()), phrase);
    }
}

/// The phrase at the beginning of a text, as it is written there.
pub(super) fn at<'t>(phrases: &[String], text: &'t str) -> Option<&'t str> {
    phrases.iter().find_map(|phrase| {
        let found = text.get(..phrase.len())?;
        let behind = text[phrase.len()..].chars().next();
        let ends = !behind.is_some_and(|c| c.is_alphanumeric() || c == '-');
        (ends && found.to_lowercase() == *phrase).then_some(found)
    })
}
