//! Clauses of a place: which of them a clause of a sentence is from, and in which order they come.
//!
//! "Fines are paid by the driver, damage by the company" leaves words out of its second clause, so
//! a sentence may say its verb of damage. But it then says the whole of that clause, and nothing of
//! the first that the second replaces. Steps and other lists keep their order.

use std::ops::Range;

use super::tokens::Token;

/// Words that move a phrase to the beginning of a sentence.
const FRONTING: &[&str] = &[
    "above", "after", "at", "before", "below", "between", "beyond", "by", "during", "for", "from",
    "in", "of", "on", "since", "to", "until", "upto", "with", "within",
];

/// Number of words that a thing of a list has.
const THING: usize = 2;

/// The clauses of a place or a sentence.
pub(super) struct Clauses<'a>(Vec<&'a [Token]>);

impl<'a> Clauses<'a> {
    pub(super) fn of(tokens: &'a [Token]) -> Self {
        let clauses = tokens.split(|one| *one == Token::Break);
        let says = |clause: &&[Token]| clause.iter().any(Token::counts);
        Self(clauses.filter(says).collect())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn at(&self, place: usize) -> &'a [Token] {
        self.0[place]
    }

    /// The only clause that has a word.
    fn only(&self, word: &Token) -> Option<usize> {
        let has = |clause: &&[Token]| clause.iter().any(|one| one.stem() == word.stem());
        let at = self.0.iter().position(has)?;
        let others = self.0[at + 1..].iter().any(has);
        (!others).then_some(at)
    }

    /// Whether clauses are bare things of a list: "welding", "guard rails".
    fn lists(&self, mut range: Range<usize>) -> bool {
        range.all(|at| self.0[at].iter().filter(|one| one.counts()).count() <= THING)
    }

    /// The clauses that words are from, in their order.
    fn from(&self, words: &[Token]) -> Vec<usize> {
        let counting = words.iter().filter(|one| one.counts());
        let mut from: Vec<usize> = counting.filter_map(|one| self.only(one)).collect();
        from.dedup();
        from
    }
}

/// Whether the clauses of a sentence are whole ones of its place, in its order.
pub(super) fn are_whole(said: &[Token], place: &[Token]) -> bool {
    let (own, there) = (Clauses::of(said), Clauses::of(place));
    if there.0.len() < 2 {
        return true;
    }
    in_line(&own, &there, said, place)
        && (begins_with_phrase(said) && own.0.len() <= 2 && is_of_one(said, &there)
            || (0..own.0.len()).all(|at| is_whole(&own, at, &there)))
}

/// Whether a sentence is on one clause, with words of the first that hold for both.
fn is_of_one(said: &[Token], there: &Clauses<'_>) -> bool {
    let mut from = there.from(said);
    from.sort_unstable();
    from.dedup();
    let mut figures = said.iter().filter(|one| one.figure().is_some());
    let of_first = figures.any(|one| there.only(one) == Some(0));
    let later: Vec<usize> = from.into_iter().filter(|at| *at > 0).collect();
    later.len() == 1 && !of_first && covers(&[said], there.0[later[0]])
}

/// Whether a clause of a sentence has the whole of each clause that it is from, but for the first
/// of them.
fn is_whole(own: &Clauses<'_>, at: usize, there: &Clauses<'_>) -> bool {
    let mut from = there.from(own.0[at]);
    from.sort_unstable();
    from.dedup();
    from.iter().skip(1).all(|clause| {
        let pure = |other: &usize| {
            let from = there.from(own.0[*other]);
            *other != at && from.iter().all(|one| one == clause)
        };
        let near = at.saturating_sub(1)..own.0.len().min(at + 2);
        let mut words: Vec<&[Token]> = near.filter(pure).map(|other| own.0[other]).collect();
        words.push(own.0[at]);
        let whole = there.0[*clause];
        covers(&words, whole)
            || there.lists(from[0]..*clause) && covers(&words, behind_first(whole))
    })
}

/// A clause behind its first word that says something.
fn behind_first(clause: &[Token]) -> &[Token] {
    let first = clause.iter().position(Token::counts);
    first.map_or(clause, |at| &clause[at + 1..])
}

/// Whether these words have all of a clause.
fn covers(words: &[&[Token]], clause: &[Token]) -> bool {
    let has = |one: &Token| {
        let mut words = words.iter().flat_map(|words| words.iter());
        words.any(|word| word.stem() == one.stem())
    };
    clause.iter().filter(|one| one.counts()).all(has)
}

/// Whether the parts of a list come in their order. A phrase that is at the beginning here or there
/// may be at the end of the other.
fn in_line(own: &Clauses<'_>, there: &Clauses<'_>, said: &[Token], place: &[Token]) -> bool {
    if own.0.len() < 2 || there.0.len() < 3 {
        return true;
    }
    let listed = without_units(said);
    let from = there.from(&listed);
    let falls: Vec<usize> = (1..from.len())
        .filter(|at| from[*at] < from[at - 1])
        .collect();
    match falls.as_slice() {
        [] => true,
        [at] if begins_with_phrase(said)
            && from[*at..].iter().max() <= from[..*at].iter().min() =>
        {
            from[*at..].contains(&0) && from[..*at].contains(&0) <= is_from_end(&listed, place)
        }
        [at] if begins_with_phrase(place) => {
            from[0] != 0 && from[*at..].iter().all(|one| *one == 0)
        }
        _ => false,
    }
}

/// Whether the first word of a sentence comes behind its last one there.
fn is_from_end(said: &[Token], place: &[Token]) -> bool {
    let mut counting = said.iter().filter(|one| one.counts());
    let at = |word: Option<&Token>| {
        let word = word?;
        place.iter().position(|one| one.stem() == word.stem())
    };
    let first = at(counting.next());
    first > at(counting.next_back())
}

/// A sentence without what follows a figure in its clause: "72 euros an hour".
fn without_units(said: &[Token]) -> Vec<Token> {
    let mut counted = false;
    let mut words = Vec::new();
    for one in said {
        if *one == Token::Break {
            counted = false;
        }
        if !counted {
            words.push(one.clone());
        }
        counted |= one.figure().is_some();
    }
    words
}

pub(super) fn begins_with_phrase(tokens: &[Token]) -> bool {
    matches!(tokens.first(), Some(Token::Word { plain, .. }) if FRONTING.contains(&plain.as_str()))
}
