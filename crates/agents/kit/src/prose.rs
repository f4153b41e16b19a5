//! A streamed text, sentence by sentence, and what of another text it has not said yet.

use crate::figures::{self, Known};

/// Gathers a streamed text into whole sentences.
///
/// A sentence ends with `.`, `!`, `?` or `…` (and closing quotes or brackets) before a space,
/// unless the next word is lower-case or begins with a digit ("approx. 5 kWh"), or at the end of a
/// line. So a figure is never cut in two.
#[derive(Debug, Default)]
pub struct Prose {
    held: String,
    /// Bytes of `held` in which no sentence ends.
    scanned: usize,
}

impl Prose {
    /// More of the text.
    pub fn push(&mut self, more: &str) {
        self.held.push_str(more);
    }

    /// The next complete sentence, with the space before it.
    pub fn sentence(&mut self) -> Option<String> {
        let end = self.end()?;
        let rest = self.held.split_off(end);
        self.scanned = 0;
        Some(std::mem::replace(&mut self.held, rest))
    }

    /// The sentence in the making.
    pub fn open(&self) -> &str {
        &self.held
    }

    /// The rest of the text when it is complete.
    pub fn rest(&mut self) -> String {
        self.scanned = 0;
        std::mem::take(&mut self.held)
    }

    fn end(&mut self) -> Option<usize> {
        let mut at = self.scanned;
        while let Some(c) = self.held.get(at..).and_then(|rest| rest.chars().next()) {
            let next = at + c.len_utf8();
            match c {
                '\n' if !self.held[..at].trim().is_empty() => return Some(at),
                '.' | '!' | '?' | '…' => match ends_here(&self.held, next) {
                    Ending::Yes(end) if !is_ordinal(&self.held[..at]) => return Some(end),
                    Ending::Unclear => {
                        self.scanned = at;
                        return None;
                    }
                    _ => {}
                },
                _ => {}
            }
            at = next;
        }
        self.scanned = at;
        None
    }
}

enum Ending {
    Yes(usize),
    No,
    /// It depends on what comes.
    Unclear,
}

/// Whether a sentence ends behind the stop that is before `from`.
fn ends_here(text: &str, from: usize) -> Ending {
    let rest = &text[from..];
    let behind =
        rest.trim_start_matches(['.', '!', '?', '…', '"', '\'', '”', '’', ')', ']', '*', '_']);
    let end = text.len() - behind.len();
    let next = behind.trim_start_matches([' ', '\t']);
    match next.chars().next() {
        None => Ending::Unclear,
        Some('\n') => Ending::Yes(end),
        Some(_) if next.len() == behind.len() => Ending::No,
        Some(c) if c.is_lowercase() || c.is_ascii_digit() => Ending::No,
        Some(_) => Ending::Yes(end),
    }
}

/// Whether a line has so far only the number of a list item: "2".
fn is_ordinal(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before).trim();
    !line.is_empty() && line.len() <= 3 && line.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether every figure of a sentence is known. The number of a list item does not count as a
/// figure.
pub fn supported(sentence: &str, known: &Known) -> bool {
    // Figures in other digits cannot be compared, so they cannot be let through.
    if sentence.chars().any(is_foreign_digit) {
        return false;
    }
    if !sentence.bytes().any(|byte| byte.is_ascii_digit()) {
        return true;
    }
    figures::unsupported(without_ordinal(sentence), known).is_empty()
}

/// A digit of another script; not the raised, lowered and fraction signs of units such as m².
pub(crate) fn is_foreign_digit(c: char) -> bool {
    c.is_numeric() && c >= '\u{660}' && !('\u{2070}'..='\u{218f}').contains(&c)
}

fn without_ordinal(sentence: &str) -> &str {
    let trimmed = sentence.trim_start_matches(['\n', ' ', '\t', '#', '>']);
    let rest = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = trimmed.len() - rest.len();
    match rest.strip_prefix(['.', ')']) {
        Some(item) if (1..=3).contains(&digits) && item.starts_with(' ') => item,
        _ => trimmed,
    }
}

/// The sentences of a text.
pub fn sentences(text: &str) -> Vec<String> {
    let mut prose = Prose::default();
    prose.push(text);
    let mut all = Vec::new();
    while let Some(sentence) = prose.sentence() {
        all.push(sentence.trim().to_owned());
    }
    all.push(prose.rest().trim().to_owned());
    all.retain(|sentence| !sentence.is_empty());
    all
}

/// A text that may be cut off, without the sentence that it breaks off in. A stop at its very end
/// ends a sentence behind a letter; behind a digit it may be the point of a figure.
pub fn finished(text: &str) -> &str {
    let mut prose = Prose::default();
    prose.push(text);
    while prose.sentence().is_some() {}
    let open = prose.open();
    let stopped = open.trim_end().strip_suffix(['.', '!', '?', '\u{2026}']);
    if stopped.is_some_and(|before| before.ends_with(char::is_alphabetic)) {
        return text;
    }
    &text[..text.len() - open.len()]
}

/// The part of `whole` that is still to be said after `said`: the sentences with a figure or a name
/// that has not come up, and the last one, which says what to do next. Empty when all figures were
/// in `said`.
pub fn remainder(whole: &str, said: &str) -> String {
    let all = sentences(whole);
    let last = all.len().saturating_sub(1);
    let told = words_with_digits(said);
    let fresh: Vec<bool> = all
        .iter()
        .map(|sentence| {
            words_with_digits(sentence).any(|word| !told.clone().any(|known| known == word))
        })
        .collect();
    if !fresh.contains(&true) {
        return String::new();
    }
    let kept = all
        .iter()
        .zip(fresh)
        .enumerate()
        .filter(|(index, (_, fresh))| *fresh || *index == last)
        .map(|(_, (sentence, _))| sentence.as_str());
    kept.collect::<Vec<_>>().join(" ")
}

fn words_with_digits(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_cut_into_sentences_and_never_within_a_figure() {
        for (text, expected) in [
            ("It made 3.5 kWh. Fine!", vec!["It made 3.5 kWh.", "Fine!"]),
            (
                "That is approx. 5 kWh. Good.",
                vec!["That is approx. 5 kWh.", "Good."],
            ),
            ("Really?! \"Yes.\" No", vec!["Really?!", "\"Yes.\"", "No"]),
            (
                "1. GW-INV-001: 12 kWh\n2. SD-INV-001: 9 kWh",
                vec!["1. GW-INV-001: 12 kWh", "2. SD-INV-001: 9 kWh"],
            ),
            ("One\n\nTwo", vec!["One", "Two"]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn a_sentence_is_held_back_until_it_is_clear_that_it_ended() {
        let mut prose = Prose::default();
        for piece in ["It made 3", ".", "5 kWh", "."] {
            prose.push(piece);
            assert_eq!(prose.sentence(), None, "{piece}");
        }
        prose.push(" Then");
        assert_eq!(prose.sentence().as_deref(), Some("It made 3.5 kWh."));
        assert_eq!(prose.rest(), " Then");
    }

    #[test]
    fn list_numbers_are_no_figures() {
        let known = Known::of(&json!({ "kwh": 12.0 }));
        assert!(supported("7. It made 12 kWh", &known));
        assert!(supported("7) It made 12 kWh", &known));
        assert!(!supported("7 kWh", &known));
        assert!(!supported("2. It made 13 kWh", &known));
    }

    #[test]
    fn other_digits_are_no_way_around() {
        let known = Known::of(&json!({ "kwh": 12.0 }));
        assert!(!supported("It made ٩٩ kWh.", &known));
        assert!(!supported("It made ９９ kWh.", &known));
        assert!(supported(
            "The sun gave much per m², ½ of it before noon.",
            &known
        ));
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        let whole = "GW-INV-001 made 900 kWh. It saved 225 CHF. That's fine. I'd check it next.";
        assert_eq!(
            remainder(whole, "You made 900 kWh with GW-INV-001."),
            "It saved 225 CHF. I'd check it next."
        );
        assert_eq!(remainder(whole, "GW-INV-001: 900 kWh, 225 CHF."), "");
        assert_eq!(
            remainder(whole, ""),
            "GW-INV-001 made 900 kWh. It saved 225 CHF. I'd check it next."
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_however_the_text_is_cut(text in "[A-Za-z0-9 .!?\\n\"éß…*-]{0,120}", cuts in prop::collection::vec(0_usize..120, 0..12)) {
            let mut cuts: Vec<_> = cuts.into_iter().filter(|cut| text.is_char_boundary((*cut).min(text.len()))).map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut prose = Prose::default();
            let mut pieces = Vec::new();
            for pair in cuts.windows(2) {
                prose.push(&text[pair[0]..pair[1]]);
                while let Some(sentence) = prose.sentence() {
                    pieces.push(sentence);
                }
            }
            pieces.push(prose.rest());
            let whole: Vec<_> = { let mut prose = Prose::default(); prose.push(&text); let mut all = Vec::new(); while let Some(sentence) = prose.sentence() { all.push(sentence); } all.push(prose.rest()); all };
            prop_assert_eq!(pieces.concat(), text);
            prop_assert_eq!(pieces, whole);
        }
    }
}
