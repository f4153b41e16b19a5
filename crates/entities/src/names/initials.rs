//! Names by their initials: `LA` for the Port of Los Angeles, `NY` for New York and New Jersey.

use contracts::tools::meanings::MatchedBy;

use super::{Hit, Names};
use crate::text::{Case, Token};
use crate::words::is_link;

/// The score of the initials of a whole name.
const WHOLE: f64 = 0.95;
/// The score of the initials of the beginning of a name, too far from the other to compete.
const BEGINNING: f64 = 0.86;
/// The number of letters of initials.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=5;

/// The initials of the words of a name, without its links and the nouns of its type.
pub(super) fn of(words: &[String], nouns: &[String]) -> Option<String> {
    let told = words
        .iter()
        .filter(|word| !is_link(word) && !nouns.contains(word));
    let initials: String = told.filter_map(|word| word.chars().next()).collect();
    let letters = initials.chars().all(char::is_alphabetic);
    (letters && initials.chars().count() >= *LETTERS.start()).then_some(initials)
}

/// Whether a word is written like initials.
pub(crate) fn are(token: &Token) -> bool {
    token.case == Case::Upper && LETTERS.contains(&token.folded.chars().count())
}

impl Names {
    /// The things whose names have these initials, or begin with them.
    pub(crate) fn abbreviated(&self, token: &Token) -> Vec<Hit> {
        if !are(token) {
            return Vec::new();
        }
        let said = token.folded.as_str();
        let places = self.initials.range(said.to_owned()..);
        places
            .take_while(|(initials, _)| initials.starts_with(said))
            .flat_map(|(initials, labels)| {
                let score = if initials == said { WHOLE } else { BEGINNING };
                let hit = move |&label| self.hit(label, score, MatchedBy::Words);
                labels.iter().map(hit)
            })
            .collect()
    }
}
