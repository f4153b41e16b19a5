//! Words with which a model takes a request before it answers: "Sure!", "Of course,", "Great
//! question!".
//!
//! Such words answer a question that can be answered with yes, so they are never said. They say
//! nothing else, so they cost no other sentence.

use std::borrow::Cow;

/// In lower case; of two with the same beginning the longer one first.
const ACKNOWLEDGEMENTS: &[&str] = &[
    "absolutely",
    "all right",
    "alright",
    "certainly",
    "excellent question",
    "glad you asked",
    "gladly",
    "good question",
    "got it",
    "great question",
    "no problem",
    "of course",
    "okay",
    "ok",
    "sure thing",
    "sure",
    "understood",
    "with pleasure",
];

/// Marks behind an acknowledgement.
const MARKS: &[char] = &[
    '!', ',', '.', ':', ';', '-', '\u{2013}', '\u{2014}', '\u{2026}',
];

/// The sentence without an acknowledgement at its beginning; empty where it is nothing else.
pub(crate) fn without(sentence: &str) -> Cow<'_, str> {
    let body = sentence.trim_start();
    let Some(rest) = ACKNOWLEDGEMENTS.iter().find_map(|one| behind(body, one)) else {
        return sentence.into();
    };
    let Some(first) = rest.chars().next() else {
        return "".into();
    };
    let space = &sentence[..sentence.len() - body.len()];
    let capital = first.to_uppercase();
    format!("{space}{capital}{}", &rest[first.len_utf8()..]).into()
}

/// The text behind these words and their marks.
fn behind<'t>(body: &'t str, words: &str) -> Option<&'t str> {
    let begin = body.get(..words.len())?;
    let rest = &body[words.len()..];
    let text = rest.trim_start_matches(|c: char| c.is_whitespace() || MARKS.contains(&c));
    let marks = &rest[..rest.len() - text.len()];
    let is_over = rest.is_empty() || marks.contains(MARKS);
    // The sign of a number belongs to it.
    let is_apart = text.is_empty() || marks.ends_with(char::is_whitespace);
    (begin.eq_ignore_ascii_case(words) && is_over && is_apart).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_is_left_out_and_nothing_else() {
        for (written, left) in [
            ("Sure!", ""),
            (" Of course.", ""),
            ("Sure, the site made 3 kWh.", "The site made 3 kWh."),
            (" Okay \u{2014} it made 3 kWh.", " It made 3 kWh."),
            ("Great question! It made 3 kWh.", "It made 3 kWh."),
            (
                "Sure, here you go: it made 3 kWh.",
                "Here you go: it made 3 kWh.",
            ),
            ("Of course it failed.", "Of course it failed."),
            ("Surely, it failed.", "Surely, it failed."),
            ("Absolutely nothing failed.", "Absolutely nothing failed."),
            ("Sure, -3 kWh.", "Sure, -3 kWh."),
            ("Yes!", "Yes!"),
        ] {
            assert_eq!(without(written), left, "{written}");
        }
    }
}
