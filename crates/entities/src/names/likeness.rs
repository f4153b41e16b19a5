//! Names that are spelt nearly like some words.

use contracts::tools::meanings::MatchedBy;
use strsim::normalized_damerau_levenshtein;

use super::{Hit, MOST, Names};

/// The least share of the words' letter groups that a name has for its letters to be compared.
const SHARE: f64 = 0.25;
/// So many names are compared letter by letter.
const COMPARED: usize = 60;
/// Names less like the words are not like them at all.
const LEAST: f64 = 0.3;

/// Things with a part of an id, a name or an alias that is spelt nearly like the words.
pub(super) fn similar(names: &Names, words: &[String]) -> Vec<Hit> {
    let told = words.join(" ");
    let labels = names.trigrams.nearest(words, SHARE, COMPARED);
    let mut hits: Vec<Hit> = labels
        .into_iter()
        .filter_map(|label| {
            let found = &names.labels[label as usize];
            let likeness = likeness(&told, words.len(), &found.words);
            (likeness >= LEAST).then(|| names.hit(label, likeness, MatchedBy::Trigram))
        })
        .collect();
    hits.sort_by(super::by_likelihood);
    hits.truncate(MOST);
    hits
}

/// How much a text of so many words is like the likest part of a label. A part that is the same is one that was found by its words.
fn likeness(told: &str, words: usize, label: &[String]) -> f64 {
    let mut best: f64 = 0.0;
    let lengths = words.saturating_sub(1).max(1)..=(words + 1).min(label.len());
    for length in lengths {
        for part in label.windows(length) {
            let part = part.join(" ");
            let covered = part.chars().count() as f64
                / label
                    .iter()
                    .map(|word| word.chars().count() + 1)
                    .sum::<usize>()
                    .saturating_sub(1)
                    .max(1) as f64;
            let same = normalized_damerau_levenshtein(told, &part).min(0.95);
            best = best.max(same * (0.97 + 0.02 * covered));
        }
    }
    best
}
