//! Lists of a place: what holds of all their things together is said of all of them.
//!
//! "Insulating walls and changing windows saves 40 %" says nothing of windows alone, and work that
//! needs a permit, two persons and a plan needs more than a permit.

use super::{clauses::Clauses, tokens::Token};

/// Number of words of a thing of a list.
const THING: usize = 3;

/// Whether a sentence has the whole of each list that it says something of.
pub(super) fn are_whole(said: &[Token], place: &[Token]) -> bool {
    let there = Clauses::of(place);
    figures_hold(said, &there) && needs_hold(said, &there) && actions_hold(said, &there)
}

fn is(one: &Token, word: &str) -> bool {
    matches!(one, Token::Word { plain, .. } if plain == word)
}

fn has(said: &[Token], one: &Token) -> bool {
    said.iter().any(|own| own.stem() == one.stem())
}

/// Whether a clause ends a list: "and changing windows …".
fn ends_list(clause: &[Token]) -> bool {
    clause.first().is_some_and(|one| is(one, "and"))
}

/// A figure behind a list is of all things of the list.
fn figures_hold(said: &[Token], there: &Clauses<'_>) -> bool {
    let has_figure = |clause: &[Token]| clause.iter().any(|one| one.figure().is_some());
    (1..there.len()).all(|at| {
        let clause = there.at(at);
        let says_figure = |one: &Token| one.figure().is_some() && has(said, one);
        if !ends_list(clause) || !clause.iter().any(says_figure) {
            return true;
        }
        let is_thing = |at: &usize| {
            let words = there.at(*at).iter().filter(|one| one.counts()).count();
            words <= THING && !has_figure(there.at(*at))
        };
        let things = (0..at).rev().take_while(is_thing);
        let mut words = things.flat_map(|at| there.at(at).iter().filter(|one| one.counts()));
        words.all(|word| has(said, word))
    })
}

/// What something needs is said with all else that it needs.
fn needs_hold(said: &[Token], there: &Clauses<'_>) -> bool {
    let needs = |tokens: &[Token]| tokens.iter().any(|one| is(one, "must"));
    let Some(first) = (0..there.len()).find(|at| needs(there.at(*at))) else {
        return true;
    };
    let last = there.len() - 1;
    if !needs(said) || last < first + 2 || !ends_list(there.at(last)) {
        return true;
    }
    (first..=last).all(|at| {
        let mut words = there.at(at).iter().filter(|one| one.counts());
        words.any(|word| has(said, word))
    })
}

/// Number of actions that make a procedure.
const PROCEDURE: usize = 3;

/// A procedure of several actions is said with all of them: "switched off, locked and tagged".
fn actions_hold(said: &[Token], there: &Clauses<'_>) -> bool {
    let is_done = |one: &Token| matches!(one, Token::Word { plain, .. } if plain.ends_with("ed"));
    let mut first = there.at(0).windows(2);
    let first = first.find(|pair| (is(&pair[0], "are") || is(&pair[0], "is")) && is_done(&pair[1]));
    let Some(first) = first.map(|pair| &pair[1]) else {
        return true;
    };
    let mut actions = vec![first];
    for at in 1..there.len() {
        let mut words = there.at(at).iter().filter(|one| !is(one, "and"));
        match words.next() {
            Some(action) if is_done(action) => actions.push(action),
            _ => break,
        }
        if ends_list(there.at(at)) {
            break;
        }
    }
    actions.len() < PROCEDURE
        || !actions.iter().any(|one| has(said, one))
        || actions.iter().all(|one| has(said, one))
}
