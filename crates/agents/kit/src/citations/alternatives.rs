//! Words that a text joins by "or": "a scaffold or a harness is needed" needs neither both nor only
//! this one.

use super::tokens::Token;

/// Whether a sentence joins two words by "or" exactly where the place does, and names no single one
/// of two that the place leaves a choice between.
pub(super) fn hold(said: &[Token], place: &[Token]) -> bool {
    joined(place).all(|(one, other, is_choice)| {
        let at = |word: &Token| said.iter().position(|token| token.stem() == word.stem());
        match (at(one), at(other)) {
            (Some(first), Some(last)) => {
                let between = &said[first.min(last)..first.max(last)];
                between.iter().any(|token| is(token, "or")) == is_choice
            }
            (None, None) => true,
            _ => !is_choice,
        }
    })
}

/// The pairs of words around each "or" and "and", and whether it is "or".
fn joined(place: &[Token]) -> impl Iterator<Item = (&Token, &Token, bool)> {
    place.iter().enumerate().filter_map(|(at, token)| {
        let is_choice = is(token, "or");
        if !is_choice && !is(token, "and") {
            return None;
        }
        let counts = |token: &&Token| token.counts();
        let before = place[..at].iter().rev().find(counts)?;
        let behind = place[at + 1..].iter().find(counts)?;
        Some((before, behind, is_choice))
    })
}

fn is(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word { plain, .. } if plain == word)
}
