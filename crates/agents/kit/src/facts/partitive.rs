//! "Of the 142 shipments": the number of all records beside the number of some of them.
//!
//! In a sentence about all records, or about numbers of these records, such words say of which
//! records it is, as the conditions of the query do. They are taken out before its parts are
//! judged.

use super::{
    Fact, Kind, Subject, Unit, lexicon,
    tokens::{Placed, Token},
};

/// Marks behind which a sentence is about something else.
const ENDS: &[char] = &[',', ';', ':', '.', '(', '\u{2013}', '\u{2014}'];

/// The tokens of a sentence with phrases in the place of the numbers of all, and the other facts.
pub(super) fn without_whole<'a>(
    tokens: &[Placed],
    facts: &[Option<&'a Fact>],
) -> (Vec<Placed>, Vec<Option<&'a Fact>>) {
    let (mut kept, mut left) = (tokens.to_vec(), facts.to_vec());
    for at in 2..tokens.len() {
        if is_whole(tokens, facts, at) {
            for one in &mut kept[at - 2..=at] {
                one.token = Token::Phrase;
            }
            left[at] = None;
        }
    }
    let says = |fact: &&Fact| fact.kind != Kind::Days;
    if left.iter().flatten().any(says) {
        (kept, left)
    } else {
        (tokens.to_vec(), facts.to_vec())
    }
}

/// Whether the reference at a place is the number of all records, behind "of the" and before their
/// noun, and the sentence says nothing else of them than numbers of some.
fn is_whole(tokens: &[Placed], facts: &[Option<&Fact>], at: usize) -> bool {
    let word = |at: Option<usize>| match at.and_then(|at| tokens.get(at)).map(|one| &one.token) {
        Some(Token::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let Some(whole) = facts[at] else {
        return false;
    };
    let counts_all = whole.kind == Kind::Value
        && whole.unit == Unit::Count
        && whole.subject == Subject::Whole
        && !whole.is_none();
    let is_of = word(at.checked_sub(2)) == Some("of") && word(at.checked_sub(1)) == Some("the");
    // "Each of the 142 shipments", "most of the 142 shipments".
    let quantifies = word(at.checked_sub(3)).is_some_and(lexicon::is_reserved);
    let Some(noun) = word(Some(at + 1)).filter(|noun| whole.measure.names(noun)) else {
        return false;
    };
    let is_same = |fact: &&Fact| {
        let counts = fact.unit == Unit::Count || fact.kind == Kind::Share;
        fact.subject == Subject::Whole || counts && fact.measure.names(noun)
    };
    let mut others = facts
        .iter()
        .flatten()
        .copied()
        .filter(|fact| fact.kind != Kind::Days);
    // "Of the 142 shipments of Pacific Crown" are others than all.
    let mut behind = tokens[at + 2..]
        .iter()
        .take_while(|one| !matches!(one.token, Token::Mark(mark) if ENDS.contains(&mark)));
    counts_all
        && is_of
        && !quantifies
        && others.all(|fact| is_same(&fact))
        && !behind.any(|one| matches!(one.token, Token::Name(_)))
}
