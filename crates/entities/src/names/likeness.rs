//! Finds names with a similar spelling.

use contracts::tools::meanings::MatchedBy;
use strsim::normalized_damerau_levenshtein;

use super::{Hit, MOST, Names};

/// Minimum share of common trigrams for a name to be compared letter by letter.
const SHARE: f64 = 0.25;
/// Maximum number of names that are compared letter by letter.
const COMPARED: usize = 60;
/// Minimum similarity of a hit.
const LEAST: f64 = 0.3;
/// The same of a part with another number of words: only a space may be wrong in it.
const LEAST_WITHOUT_SPACE: f64 = 0.7;

/// Things with a part of an id, name or alias that is spelt similarly.
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

/// The similarity of a text and the most similar part of a label. The score of an equal part is
/// capped, because an exact match by words ranks higher.
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
            // "Captain Nemo" is not a misspelt "Cartagena".
            if words > 1 && length != words && same < LEAST_WITHOUT_SPACE {
                continue;
            }
            best = best.max(same * (0.97 + 0.02 * covered));
        }
    }
    best
}
