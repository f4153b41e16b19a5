//! Whether passages answer a question, or are only the nearest to it. A search returns its best
//! matches either way.

use std::collections::BTreeSet;

use contracts::tools::knowledge::KnowledgeMatch;

use super::{Passages, Unit, is_about, units, words};

/// The part of the words near a sentence in what makes its passage an answer; the similarity of the
/// passage is the other part. Measured on the demo's questions and on fifty that its documents do
/// not answer: a fifth of those have a passage that passes.
const BY_WORDS: f64 = 0.3;

/// Minimum sum of both for a passage that answers.
const ANSWERS: f64 = 0.48;

/// Part of the words that a sentence needs where a search had no similarities.
const WORDS_ALONE: f64 = 0.5;

/// Part of the best passage's measure that another one needs to be quoted beside it.
const BESIDE: f64 = 0.75;

/// The similarity from which a passage is near a question whose words it does not have.
const NEAR: f64 = 0.35;

/// Words of a question that are about any matter.
const GENERAL: [&str; 35] = [
    "after", "all", "also", "before", "day", "during", "each", "every", "far", "happen", "happens",
    "here", "into", "just", "least", "less", "long", "more", "most", "no", "not", "off", "often",
    "only", "out", "over", "per", "since", "some", "than", "then", "under", "until", "very",
    "within",
];

/// The match of a passage with its question.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Fit {
    measure: f64,
    answers: bool,
}

impl Passages {
    /// Whether one of the passages answers a question, rather than being near to it. Names that no
    /// passage has are left to [`Passages::unknown_names`].
    pub fn answer(&self, question: &str) -> bool {
        self.fits(question).iter().any(|fit| fit.answers)
    }

    /// The places of the passages to quote: those that answer, and the best match beside them;
    /// otherwise those that are near.
    pub(super) fn quotable(&self, question: &str) -> BTreeSet<usize> {
        let wanted = words(question);
        let is_near = |place: &usize| {
            let passage = &self.0[*place];
            let is_similar = passage.vector_rank.is_some() && passage.score >= NEAR;
            is_similar || is_about(passage, &wanted)
        };
        let fits = self.fits(question);
        let best = fits.iter().filter(|fit| fit.answers);
        let best = best.map(|fit| fit.measure).fold(0.0, f64::max);
        let is_chosen = |fit: &Fit| fit.answers && fit.measure >= BESIDE * best;
        let mut chosen: BTreeSet<usize> = (0..fits.len())
            .filter(|place| is_chosen(&fits[*place]))
            .collect();
        if chosen.is_empty() {
            return (0..fits.len()).filter(is_near).collect();
        }
        chosen.extend([0].iter().filter(|first| is_near(first)));
        chosen
    }

    fn fits(&self, question: &str) -> Vec<Fit> {
        let wanted = self.wanted(question);
        let has_vectors = self.0.iter().any(|one| one.vector_rank.is_some());
        let fit = |passage: &KnowledgeMatch| {
            let covered = covered(passage, &wanted);
            let similar = passage.vector_rank.map_or(0.0, |_| passage.score);
            let measure = BY_WORDS * covered + similar;
            let is_enough = if has_vectors {
                measure >= ANSWERS
            } else {
                covered > WORDS_ALONE
            };
            Fit {
                measure,
                answers: covered >= 1.0 || is_enough,
            }
        };
        self.0.iter().map(fit).collect()
    }

    /// The words of a question that say what it is about: no numbers, which are its conditions,
    /// and no names that are unknown.
    fn wanted(&self, question: &str) -> BTreeSet<String> {
        let all = words(question);
        let unknown = words(&self.unknown_names(question).join(" "));
        let general = words(&GENERAL.join(" "));
        let tells = |word: &&String| {
            let is_number = word.chars().all(|c| c.is_ascii_digit());
            !is_number && !general.contains(*word) && !unknown.contains(*word)
        };
        let told: BTreeSet<String> = all.iter().filter(tells).cloned().collect();
        if told.is_empty() { all } else { told }
    }
}

/// The largest part of these words that a sentence has, with its neighbours, the headings above it
/// and the name of the document.
fn covered(passage: &KnowledgeMatch, wanted: &BTreeSet<String>) -> f64 {
    if wanted.is_empty() {
        return 1.0;
    }
    let above = words(&format!(
        "{} {}",
        passage.headings.join(" "),
        passage.filename
    ));
    let units = units(0, passage);
    let near = |at: usize| &units[at.saturating_sub(1)..units.len().min(at + 2)];
    let has = |word: &&String, near: &[Unit]| {
        above.contains(*word) || near.iter().any(|unit| unit.words.contains(*word))
    };
    let count = |at: usize| wanted.iter().filter(|word| has(word, near(at))).count();
    let most = (0..units.len()).map(count).max().unwrap_or_default();
    most as f64 / wanted.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(content: &str, similar: Option<f64>) -> KnowledgeMatch {
        KnowledgeMatch {
            filename: "rules.md".to_owned(),
            chunk_index: 0,
            score: similar.unwrap_or(0.3),
            content: content.to_owned(),
            collection: "manuals".to_owned(),
            document_id: content.to_owned(),
            headings: vec!["Guide".to_owned()],
            page: None,
            text_rank: Some(1),
            vector_rank: similar.map(|_| 1),
            fused_score: 0.02,
        }
    }

    fn passages(found: &[(&str, Option<f64>)]) -> Passages {
        let mut passages = Passages::default();
        passages.add(found.iter().map(|(content, near)| passage(content, *near)));
        passages
    }

    const YEAR: &str = "The base year is calculated again when its total moves by more than 5 %.";

    #[test]
    fn words_beside_the_matter_do_not_answer() {
        for similar in [None, Some(0.24)] {
            let near = passages(&[(YEAR, similar)]);
            assert!(!near.answer("How much vacation do I get after 5 years?"));
            assert!(near.answer("When is the base year calculated?"));
        }
    }

    #[test]
    fn other_words_for_the_same_answer_where_the_meaning_is_near() {
        let question = "How do I receive extra wages?";
        let content = "Overtime is paid at 1.5 times the hourly rate.";
        assert!(passages(&[(content, Some(0.5))]).answer(question));
        assert!(!passages(&[(content, Some(0.4))]).answer(question));
        assert!(!passages(&[(content, None)]).answer(question));
    }

    #[test]
    fn nothing_unrelated_is_quoted_beside_an_answer() {
        let found = passages(&[
            ("The lab is cleaned on Tuesday.", Some(0.5)),
            ("Photos of the place come before cleaning up.", Some(0.3)),
        ]);
        let quotes = found.quotes("On which day is the lab cleaned?", 3);
        assert_eq!(quotes, [(1, "The lab is cleaned on Tuesday.".to_owned())]);
    }
}
