//! Names by their initials: `LA` for the Port of Los Angeles, `NY` for New York and New Jersey.

use contracts::tools::meanings::MatchedBy;

use super::{Hit, Names};
use crate::text::{Case, Token, tokens};

/// The score of the initials of a whole name.
const WHOLE: f64 = 0.95;
/// The score of the initials of the beginning of a name, too far from the other to compete.
const BEGINNING: f64 = 0.86;
/// The number of letters of initials.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=5;

/// The initials of the words of a name that are written with a capital, without the nouns of its
/// type. A link counts if it has a capital: `Los`, but not `of`.
pub(super) fn of(name: &str, nouns: &[String]) -> Option<String> {
    let told = tokens(name)
        .into_iter()
        .filter(|token| token.case != Case::Lower && !nouns.contains(&token.canonical));
    let initials: String = told
        .filter_map(|token| token.folded.chars().next())
        .collect();
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
