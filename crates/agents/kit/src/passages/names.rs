//! Names in a question: of products, models, parts, persons.

use std::collections::BTreeSet;

use super::words;
use crate::calendar;

/// Words before a place, which a question is rarely about.
const PLACING: &[&str] = &["at", "from", "in", "near", "within"];

/// Letters and digits that make a number of a model on their own: "R410A", but not "CO2".
const CODE: usize = 4;

/// Whether a word in small letters is always written with a capital one.
fn is_capital_everywhere(word: &str) -> bool {
    word == "english" || calendar::is_name(word)
}

/// The names of a question that a text does not have.
pub(super) fn unknown(question: &str, text: &str) -> Vec<String> {
    let known = Known::of(text);
    let pieces: Vec<&str> = question.split_whitespace().collect();
    let mut unknown: Vec<String> = Vec::new();
    let mut last = None;
    for (at, piece) in pieces.iter().enumerate() {
        let word = bare(piece);
        let before = at.checked_sub(1).map(|at| pieces[at]);
        if !is_name(word, before, &pieces) || known.has(word) {
            continue;
        }
        // "Vitodens 200-W" is one name.
        match (unknown.last_mut(), last) {
            (Some(name), Some(last)) if last + 1 == at && !is_end(pieces[last]) => {
                name.push(' ');
                name.push_str(word);
            }
            _ => unknown.push(word.to_owned()),
        }
        last = Some(at);
    }
    unknown.dedup();
    unknown
}

/// A piece of a text without the marks around it, and without an 's.
fn bare(piece: &str) -> &str {
    let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
    let mut ends = ["'s", "\u{2019}s"].into_iter();
    ends.find_map(|end| word.strip_suffix(end)).unwrap_or(word)
}

fn is_end(piece: &str) -> bool {
    piece.ends_with(['.', '?', '!', ':', ';', ','])
}

fn is_name(word: &str, before: Option<&str>, pieces: &[&str]) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let has_upper = word.chars().any(char::is_uppercase);
    let parts: Vec<&str> = word.split(['-', '/']).collect();
    let is_joined = parts.len() == 2 && parts.iter().all(|part| part.len() > 1);
    // "2024-2025" is a period.
    let is_year =
        |part: &&str| part.len() == 4 && ["19", "20"].iter().any(|one| part.starts_with(one));
    let is_period = parts.iter().all(is_year);
    let is_number = letters == 0 && word.contains('-') && is_joined && digits > CODE && !is_period;
    let is_code = digits > 0
        && letters > 0
        && has_upper
        && letters + digits >= CODE
        && (word.starts_with(char::is_alphabetic) || parts.len() == 2);
    if is_code || is_number {
        return true;
    }
    let Some(before) = before else { return false };
    // "Is There A Limit": capitals say nothing.
    let capitals = pieces
        .iter()
        .filter(|one| one.starts_with(char::is_uppercase))
        .count();
    let is_plain = digits == 0 && letters > 2 && word.starts_with(char::is_uppercase);
    is_plain
        && capitals * 2 <= pieces.len()
        && !is_end(before)
        && !PLACING.contains(&before.to_lowercase().as_str())
        && !is_capital_everywhere(word.to_lowercase().trim_end_matches('s'))
}

/// The words of a text.
struct Known {
    /// Without signs, in lower case: "fs1002".
    codes: BTreeSet<String>,
    stems: BTreeSet<String>,
}

impl Known {
    fn of(text: &str) -> Self {
        let pieces: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '/'))
            .map(code)
            .filter(|piece| !piece.is_empty())
            .collect();
        // "FS 1002" is "FS-1002".
        let pairs = pieces.windows(2).map(<[String]>::concat);
        Self {
            codes: pairs.chain(pieces.iter().cloned()).collect(),
            stems: words(text),
        }
    }

    fn has(&self, word: &str) -> bool {
        let stems = words(word);
        self.codes.contains(&code(word))
            || !word.chars().any(|c| c.is_ascii_digit()) && stems.is_subset(&self.stems)
    }
}

fn code(text: &str) -> String {
    let plain = text.chars().filter(|c| c.is_alphanumeric());
    plain.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The Vitocal 200-S needs 400 V. Part 40-1185 (fan motor) may replace 40-1180. Error FS-1002 \
        means that the link has lapsed. R-410A is a gas. Overtime on Sundays is paid double.";

    #[test]
    fn names_that_the_text_does_not_have_are_found() {
        for (question, names) in [
            (
                "What voltage does the Vitodens 300-W need?",
                &["Vitodens 300-W"][..],
            ),
            ("What replaces part 40-1199?", &["40-1199"]),
            ("What does error FS-1003 mean?", &["FS-1003"]),
            ("Is the XR900 waterproof?", &["XR900"]),
            ("XR900 manual", &["XR900"]),
            (
                "Does the Daikin or the Mitsubishi's motor fit?",
                &["Daikin", "Mitsubishi"],
            ),
            ("What replaces part 40-118?", &["40-118"]),
        ] {
            assert_eq!(unknown(question, TEXT), names, "{question}");
        }
    }

    #[test]
    fn names_of_the_text_and_other_words_are_not() {
        for question in [
            "What voltage does the Vitocal 200-S need?",
            "What replaces part 40-1185?",
            "What does error fs 1002 mean?",
            "what does FS1002 mean?",
            "Is R410A a gas?",
            "How is Overtime paid on a Sunday?",
            "How much CO2 do we emit in Springfield?",
            "What happened on Monday, 3 November 2026 after 22:00?",
            "What Is The Voltage Of A Pump?",
            "How many hours are 1.5x in 2026?",
            "Hello. Where do I find it?",
            "What changed in the years 2024-2025?",
        ] {
            assert!(
                unknown(question, TEXT).is_empty(),
                "{question} {:?}",
                unknown(question, TEXT)
            );
        }
    }
}
