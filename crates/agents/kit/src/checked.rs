//! A streamed text that is let out as it comes, up to the first token that may be a figure, and
//! from there when the figure is proven.
//!
//! What is let out is never taken back. A figure is proven when its sentence has ended, or when
//! enough words have followed it that nothing to come can change what it means, and every figure so
//! far is a fact. Where a sentence turns out to hold a figure that is not a fact, the rest of it is
//! left out: the whole of it when none of it is out, otherwise from the first word that is not.

use crate::{
    figures::Known,
    gate::{Gate, Piece},
    prose::{Prose, is_foreign_digit, supported},
};

/// Words that decide what a figure before them means: its unit, or the month and the year of its
/// day ("4th of December 2025").
const DECIDING_WORDS: usize = 4;

/// A text in the making, and how much of it is out.
#[derive(Debug, Default)]
pub(crate) struct CheckedProse {
    prose: Prose,
    /// Bytes of the sentence in the making that are out.
    out: usize,
    /// Sentences that are out to their end.
    whole: u32,
}

impl CheckedProse {
    /// More of the text; returns what can be decided now.
    pub(crate) fn push(&mut self, more: &str, known: &Known) -> Vec<Piece> {
        self.prose.push(more);
        let mut pieces = Vec::new();
        while let Some(sentence) = self.prose.sentence() {
            pieces.extend(self.ended(&sentence, known));
        }
        let open = self.prose.open();
        loop {
            let safe = safe(open, self.out, known);
            if safe <= self.out {
                break;
            }
            pieces.push(Piece::Said(open[self.out..safe].to_owned()));
            self.out = safe;
        }
        pieces
    }

    /// The text is complete; returns what is still to be decided.
    pub(crate) fn finish(&mut self, known: &Known) -> Option<Piece> {
        let rest = self.prose.rest();
        self.ended(&rest, known)
    }

    /// Number of sentences that are out to their end.
    pub(crate) fn whole_sentences(&self) -> u32 {
        self.whole
    }

    /// Whether a sentence is out that has not ended.
    pub(crate) fn is_within_sentence(&self) -> bool {
        self.out > 0
    }

    fn ended(&mut self, sentence: &str, known: &Known) -> Option<Piece> {
        let out = std::mem::take(&mut self.out);
        if sentence.trim().is_empty() {
            return None;
        }
        if supported(sentence, known) {
            self.whole += 1;
            let rest = &sentence[out..];
            return (!rest.is_empty()).then(|| Piece::Said(rest.to_owned()));
        }
        tracing::debug!("a sentence of the model has a figure that is no fact");
        Some(if out == 0 {
            Piece::LeftOut
        } else {
            Piece::CutOff
        })
    }
}

/// Lets a text through as far as its figures are known: the gate of quotations, whose words are
/// checked against their passages.
#[derive(Debug)]
pub struct FigureGate<'a> {
    prose: CheckedProse,
    known: &'a Known,
}

impl<'a> FigureGate<'a> {
    /// A gate for one text.
    pub fn new(known: &'a Known) -> Self {
        Self {
            prose: CheckedProse::default(),
            known,
        }
    }
}

impl Gate for FigureGate<'_> {
    fn push(&mut self, more: &str) -> Vec<Piece> {
        self.prose.push(more, self.known)
    }

    fn finish(&mut self) -> Vec<Piece> {
        self.prose.finish(self.known).into_iter().collect()
    }

    fn sentences(&self) -> u32 {
        self.prose.whole_sentences()
    }

    fn is_within_sentence(&self) -> bool {
        self.prose.is_within_sentence()
    }
}

/// The part of an unfinished sentence that can be released, where `out` bytes of it are out.
fn safe(text: &str, out: usize, known: &Known) -> usize {
    let Some(figure) = first_figure(text, out) else {
        return end_of_words(text);
    };
    match proven(text, known) {
        // The number of a list item does not begin a statement.
        Some(end) if end > figure && text[..end].contains(char::is_alphabetic) => end,
        _ => end_of_words(&text[..figure]),
    }
}

/// The first token, from a place on, that may be a figure and holds the text back.
fn first_figure(text: &str, from: usize) -> Option<usize> {
    let digit = from + text[from..].find(|c: char| c.is_ascii_digit() || is_foreign_digit(c))?;
    let mut before = text[..digit].char_indices().rev();
    let space = before.find(|(_, c)| c.is_whitespace());
    let token = space.map_or(0, |(at, c)| at + c.len_utf8());
    Some(token.max(from))
}

/// Up to where all figures are facts, whatever may follow.
fn proven(text: &str, known: &Known) -> Option<usize> {
    let (complete, _) = text.rsplit_once(char::is_whitespace)?;
    let mut decided = complete.trim_end();
    for _ in 0..DECIDING_WORDS {
        decided = decided[..decided.rfind(char::is_whitespace)?].trim_end();
    }
    supported(complete, known).then(|| end_of_words(decided))
}

/// The text without what is behind its last word: a sign or a bracket there may belong to a figure.
fn end_of_words(text: &str) -> usize {
    text.trim_end_matches(|c: char| !c.is_alphanumeric()).len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The text released from these pieces, and the result of its sentences.
    fn told(pieces: &[&str], known: &Known) -> (String, Vec<Piece>) {
        let mut checked = CheckedProse::default();
        let mut all = Vec::new();
        for piece in pieces {
            all.extend(checked.push(piece, known));
        }
        all.extend(checked.finish(known));
        let mut said = String::new();
        for piece in &all {
            if let Piece::Said(text) = piece {
                said.push_str(text);
            }
        }
        all.retain(|piece| !matches!(piece, Piece::Said(_)));
        (said, all)
    }

    fn facts() -> Known {
        Known::of(&json!({
            "id": "GW-INV-001", "kwh": 42.98, "days": 3, "day": "2025-12-04", "at": "2025-12-04T10:30:00+01:00",
        }))
    }

    #[test]
    fn words_are_out_as_they_come_and_figures_when_they_are_proven() {
        let known = facts();
        let mut checked = CheckedProse::default();
        let mut said = |more: &str| -> String {
            let pieces = checked.push(more, &known).into_iter();
            let said = pieces.map(|piece| match piece {
                Piece::Said(text) => text,
                other => panic!("{other:?}"),
            });
            said.collect()
        };
        assert_eq!(said("The"), "The", "the next word may take its time");
        assert_eq!(said(" device ("), " device");
        assert_eq!(said("GW-"), " (GW");
        assert_eq!(said("INV-0"), "", "it may be a figure");
        assert_eq!(said("01) made 42"), "");
        assert_eq!(said(".98 kWh and"), "");
        assert_eq!(
            said(" it did "),
            "-INV-001) made 42.98 kWh and it did",
            "what follows cannot change what these digits are"
        );
        assert_eq!(said("so on time"), " so on time");
        assert_eq!(said(". Then"), ". Then");
    }

    #[test]
    fn a_figure_waits_for_all_that_can_change_it() {
        for (text, waits) in [
            ("On 4 of December 2024 it", "On"),
            ("It made 3 of them and then", "It made"),
            ("At 10:30 there was much", "At"),
        ] {
            let mut checked = CheckedProse::default();
            let pieces = checked.push(text, &facts());
            assert_eq!(pieces, [Piece::Said(waits.to_owned())], "{text}");
        }
    }

    #[test]
    fn a_sentence_with_a_wrong_figure_ends_where_it_was_when_the_figure_came() {
        let known = facts();
        for (pieces, said, left) in [
            (
                vec!["It made 99 kWh. Good."],
                " Good.",
                vec![Piece::LeftOut],
            ),
            (
                vec!["It made ", "99 kWh. Good."],
                "It made Good.",
                vec![Piece::CutOff],
            ),
            (
                vec!["99 ", "kWh it made. Good."],
                " Good.",
                vec![Piece::LeftOut],
            ),
            (vec!["It made ", "99"], "It made", vec![Piece::CutOff]),
            (
                vec!["It made 42.98 kWh in the three days, ", "99 in all. So."],
                "It made 42.98 kWh in the three days So.",
                vec![Piece::CutOff],
            ),
        ] {
            assert_eq!(told(&pieces, &known), (said.to_owned(), left), "{pieces:?}");
        }
    }

    /// Sentences of which some are right and some are not.
    fn text() -> impl Strategy<Value = String> {
        let words = prop_oneof![
            "[a-zA-Zäß]{1,6}",
            Just("42.98 kWh".to_owned()),
            Just("43".to_owned()),
            Just("99".to_owned()),
            Just("(99%)".to_owned()),
            Just("-7".to_owned()),
            Just("GW-INV-001".to_owned()),
            Just("GW-INV-002".to_owned()),
            Just("December 4, 2025".to_owned()),
            Just("the 4th of December 2024".to_owned()),
            Just("10:30".to_owned()),
            Just("٩٩".to_owned()),
            Just("3".to_owned()),
        ];
        let ends = prop_oneof![
            Just(". "),
            Just("! "),
            Just("\n- "),
            Just(", "),
            Just(" "),
            Just("\n2. ")
        ];
        prop::collection::vec((words, ends), 1..14)
            .prop_map(|all| all.into_iter().map(|(word, end)| word + end).collect())
    }

    proptest! {
        #[test]
        fn however_the_text_is_cut_only_proven_figures_are_out(text in text(), cuts in prop::collection::vec(0_usize..200, 0..30)) {
            let known = facts();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(text.len())).filter(|cut| text.is_char_boundary(*cut)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            let single: Vec<String> = text.chars().map(String::from).collect();
            let single: Vec<&str> = single.iter().map(String::as_str).collect();
            for pieces in [&pieces, &single] {
                let mut checked = CheckedProse::default();
                // What is out of the text as it came, sentence by sentence.
                let mut out = String::new();
                let mut all = Vec::new();
                for piece in pieces {
                    all.extend(checked.push(piece, &known));
                }
                all.extend(checked.finish(&known));
                for piece in all {
                    match piece {
                        Piece::Said(text) => out.push_str(&text),
                        Piece::LeftOut => out.push('\n'),
                        Piece::CutOff => out.push_str("\u{2026}\n"),
                    }
                }
                // Without what follows it the number of a list item looks like a figure.
                let holds = |sentence: &str| supported(&format!("{sentence} "), &known);
                for sentence in crate::prose::sentences(&out) {
                    prop_assert!(holds(&sentence), "{sentence:?} of {text:?}");
                }
                let right = crate::prose::sentences(&text).into_iter().filter(|sentence| holds(sentence));
                for sentence in right {
                    prop_assert!(out.contains(&sentence), "{sentence:?} is missing in {out:?}");
                }
            }
        }
    }
}
