//! A sentence cut so that each part is about one fact, or about several of the same measure and
//! subject.
//!
//! Words belong to the reference of their part. Where there is punctuation or a conjunction between
//! two references, the cut is at one of them, otherwise right behind the first, or before the verb.

use std::ops::Range;

use super::{
    Fact, Kind, lexicon,
    tokens::{Placed, Token},
};

/// Words that begin another part.
const CONJUNCTIONS: &[&str] = &[
    "also", "and", "but", "or", "plus", "then", "whereas", "while", "with",
];

/// The places of the references that a part is about, and its tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    pub(super) refs: Vec<usize>,
    pub(super) tokens: Range<usize>,
}

/// The references of a sentence, those together that are about one thing. `fact` is the fact of a
/// token that is a reference.
pub(super) fn units<'f>(
    tokens: &[Placed],
    fact: impl Fn(usize) -> Option<&'f Fact>,
) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    for at in 0..tokens.len() {
        let Some(found) = fact(at).filter(|found| found.kind != Kind::Days) else {
            continue;
        };
        let same = |unit: &Vec<usize>| {
            unit.iter().filter_map(|at| fact(*at)).any(|before| {
                let same = before.measure.label == found.measure.label;
                // A reading and its moment.
                let moment =
                    before.bounds.at == Some(found.id) || found.bounds.at == Some(before.id);
                before.subject == found.subject && (same || moment)
            })
        };
        match units.last_mut().filter(|unit| same(unit)) {
            Some(unit) => unit.push(at),
            None => units.push(vec![at]),
        }
    }
    units
}

/// The places between two references at which a part may begin.
pub(super) fn cuts(tokens: &[Placed], gap: Range<usize>) -> Vec<usize> {
    let begins = |at: &usize| match &tokens[*at].token {
        Token::Mark(mark) => !matches!(mark, '"' | '\'' | '*' | '_' | '`' | ')' | ']'),
        Token::Word(word) => CONJUNCTIONS.contains(&word.as_str()),
        _ => false,
    };
    let cuts: Vec<usize> = gap.clone().filter(begins).collect();
    if !cuts.is_empty() {
        return cuts;
    }
    // "4 carriers handled 142 shipments."
    let states = |at: &usize| match &tokens[*at].token {
        Token::Word(word) => lexicon::is_stating(word) || word == "handled",
        _ => false,
    };
    let start = gap.start;
    let verbs = gap.skip(1).filter(states);
    std::iter::once(start).chain(verbs).collect()
}
