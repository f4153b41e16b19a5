//! The order of steps, and of what a quantity is: a sentence has both from its place.
//!
//! "Scan the tool, scan your badge" is not the other way round, "once a month per location" is not
//! "once per location", and "60 kW a vehicle" is not 60 kW.

use super::{
    clauses::{Clauses, begins_with_phrase},
    figures::LIMITS,
    tokens::Token,
};

/// Words at the beginning of a clause that say that it comes after the clause before it.
const NEXT: &[&str] = &["finally", "next", "subsequently", "then"];

/// Words that say when, with what is said behind them.
const WHEN: &[&str] = &["after", "before", "during", "since", "until", "while"];

/// Words that say of how many: the word behind them is the same as there.
const COUNTING: &[&str] = &["each", "once", "per"];

/// Words before a place or a time: no unit of the figure before them.
const PREPOSITIONS: &[&str] = &["at", "by", "in", "on"];

/// Number of words between a figure and what it is for each of.
const NEAR: usize = 2;

/// Whether a sentence has the order of its place, and its quantities are of the same things.
pub(super) fn holds(said: &[Token], place: &[Token]) -> bool {
    steps_hold(said, place)
        && whens_hold(said, place)
        && counts_hold(said, place)
        && shares_hold(said, place)
}

fn plain(token: &Token) -> &str {
    match token {
        Token::Word { plain, .. } => plain,
        Token::Figure(_) | Token::Break => "",
    }
}

/// Whether a clause says that it comes next.
fn is_next(clause: &[Token]) -> bool {
    let begin = clause.iter().find(|one| plain(one) != "and");
    begin.is_some_and(|one| NEXT.contains(&plain(one)))
}

/// A sentence without a "first" that a later clause answers with "then".
pub(super) fn without_first(said: Vec<Token>) -> Vec<Token> {
    let continues = said.split(|one| *one == Token::Break).skip(1).any(is_next);
    match said.first() {
        Some(first) if plain(first) == "first" && continues => said[1..].to_vec(),
        _ => said,
    }
}

/// The clauses of a place that have most words of a clause.
fn nearest(clause: &[Token], there: &Clauses<'_>) -> Vec<usize> {
    let has = |at: usize, one: &Token| there.at(at).iter().any(|own| own.stem() == one.stem());
    let figures = |at: usize| {
        let figures = clause.iter().filter(|one| one.figure().is_some());
        figures.filter(|one| has(at, one)).count()
    };
    // The figures of a list that names its unit once: "R1 is 48 euros an hour, R2 72".
    let of_most = (0..there.len()).map(figures).max().unwrap_or_default();
    let count = |at: usize| {
        let counting = clause.iter().filter(|one| one.counts());
        let count = counting.filter(|one| has(at, one)).count();
        count * usize::from(figures(at) == of_most)
    };
    let most = (0..there.len()).map(count).max().unwrap_or_default();
    let mut all: Vec<usize> = (0..there.len()).collect();
    all.retain(|at| most > 0 && count(*at) == most);
    all
}

/// Steps follow one another as they do there. A clause that comes next is a step of a list, and
/// comes behind the one before it there.
fn steps_hold(said: &[Token], place: &[Token]) -> bool {
    let (own, there) = (Clauses::of(said), Clauses::of(place));
    let places: Vec<Vec<usize>> = (0..own.len())
        .map(|at| nearest(own.at(at), &there))
        .collect();
    let says_next = |at: usize| is_next(own.at(at));
    let steps = (1..own.len()).filter(|at| says_next(*at)).all(|at| {
        places[at - 1].iter().any(|first| {
            let mut later = places[at].iter().filter(|second| *second > first);
            later.any(|second| {
                let clause = there.at(*second);
                let joined = clause.first().is_some_and(|one| plain(one) == "and");
                *first > 0 && !joined || is_next(clause)
            })
        })
    });
    if !steps || there.len() < 3 || begins_with_phrase(said) || begins_with_phrase(place) {
        return steps;
    }
    let mut least = 0;
    places.iter().filter(|own| !own.is_empty()).all(|own| {
        let next = own.iter().find(|at| **at >= least).copied();
        least = next.unwrap_or_default();
        next.is_some()
    })
}

/// The first word of a clause behind its first token that says something.
fn next(tokens: &[Token]) -> Option<&str> {
    let clause = tokens.iter().skip(1);
    let mut clause = clause.take_while(|one| **one != Token::Break);
    clause.find(|one| one.counts()).map(Token::stem)
}

/// A thing that is said to be before, after or during another one is so there: in the clause with
/// that word.
fn whens_hold(said: &[Token], place: &[Token]) -> bool {
    let is_when = |at: &usize| WHEN.contains(&plain(&said[*at]));
    (0..said.len()).filter(is_when).all(|at| {
        let Some(word) = next(&said[at..]) else {
            return true;
        };
        let mut clauses = place.split(|one| *one == Token::Break);
        clauses.any(|clause| {
            let there = clause.iter().position(|one| one.stem() == said[at].stem());
            // "Beforehand" comes after the action that is before.
            let from = if plain(&said[at]) == "before" {
                Some(0)
            } else {
                there
            };
            there.is_some()
                && from.is_some_and(|from| clause[from..].iter().any(|one| one.stem() == word))
        })
    })
}

/// "Once", "each" and "per" are of the word that they are of there.
fn counts_hold(said: &[Token], place: &[Token]) -> bool {
    let counts = |at: &usize| COUNTING.contains(&plain(&said[*at]));
    (0..said.len()).filter(counts).all(|at| {
        let of = next(&said[at..]);
        (0..place.len())
            .any(|there| place[there].stem() == said[at].stem() && next(&place[there..]) == of)
    })
}

/// A figure that is for each of something is said with it, unless it is a limit: "after 40 hours a
/// week".
fn shares_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
    let figures = said.iter().filter_map(Token::figure);
    let mut figures = figures.filter(|figure| place.iter().any(|one| one.figure() == Some(figure)));
    figures.all(|figure| {
        let mut there = (0..place.len()).filter(|at| place[*at].figure() == Some(figure));
        there.any(|at| {
            let mut before = place[at.saturating_sub(NEAR)..at].iter();
            if before.any(|one| LIMITS.contains(&plain(one))) {
                return true;
            }
            let behind = place[at + 1..].iter();
            let behind = behind.take_while(|one| one.figure().is_none() && **one != Token::Break);
            let behind: Vec<&Token> = behind.collect();
            (0..behind.len()).all(|at| {
                let shares = ["a", "an"].contains(&plain(behind[at]))
                    && (1..=NEAR).contains(&at)
                    && behind[..at].iter().all(|one| one.counts())
                    || ["each", "per"].contains(&plain(behind[at]));
                let of = behind.get(at + 1);
                !shares
                    || of.is_none_or(|of| !of.counts() || has(of))
                        && (plain(behind[at]) != "each" || has(behind[at]))
            })
        })
    })
}

/// Whether the figure at a place of a sentence is before a place or a time, as it is at the end of
/// a clause.
pub(super) fn stands_alone(said: &[Token], at: usize) -> bool {
    let next = said.get(at + 1);
    next.is_some_and(|one| PREPOSITIONS.contains(&plain(one)))
}
