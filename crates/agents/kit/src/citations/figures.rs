//! Figures of a sentence: each before the word that it is before at its place, in its clause and in
//! its order, with its limit.

use super::{
    order,
    tokens::{Token, carries},
};

/// Words that make a limit of the figure behind them.
pub(super) const LIMITS: &[&str] = &[
    "after", "almost", "before", "below", "beyond", "least", "maximum", "minimum", "most",
    "nearly", "until", "upto", "within",
];

/// Whether each figure precedes the same word as at this place, or, in a record, has the name of
/// its value near it.
pub(super) fn bound(said: &[Token], place: &[Token], ordered: bool) -> bool {
    let carrying = |one: &&Token| match one {
        Token::Word { plain, .. } => carries(plain),
        Token::Figure(_) => true,
        Token::Break => false,
    };
    said.iter().enumerate().all(|(at, one)| {
        let Token::Figure(figure) = one else {
            return true;
        };
        let mut there = place
            .iter()
            .enumerate()
            .filter(|(_, other)| matches!(other, Token::Figure(other) if other == figure));
        if !ordered {
            return there.any(|(at, _)| {
                // "In 2022" names no year; see `Place::is_named`.
                let key = place[..at].last();
                if key
                    .is_some_and(|key| matches!(key, Token::Word { plain, .. } if plain == "year"))
                {
                    return true;
                }
                let name = place[..at].iter().rev().filter(carrying).take(3);
                let mut name = name.filter(|one| matches!(one, Token::Word { .. }));
                name.any(|word| said.iter().any(|one| one.stem() == word.stem()))
            });
        }
        let mut there = there.filter(|(at, _)| has_limits_of(said, &place[..*at]));
        // "At 20:00 on the last day" of "on the last day at 20:00".
        if order::stands_alone(said, at) {
            let mut there = there.clone();
            let at_end = |at: usize| place.get(at + 1).is_none_or(|one| *one == Token::Break);
            if there.any(|(there, _)| at_end(there) || order::stands_alone(place, there)) {
                return true;
            }
        }
        let Some(next) = said[at + 1..].iter().find(carrying) else {
            return there.next().is_some();
        };
        // "Beyond 40 hours in a week, …" of "for hours beyond 40 in a week".
        let begins_clause = match at.checked_sub(2) {
            Some(before) => said[before] == Token::Break,
            None => at == 1,
        };
        let unit = || {
            let first = place.split(|one| *one == Token::Break).next();
            let first = first.unwrap_or_default();
            let mut pairs = first.windows(2);
            pairs.any(|pair| pair[0].figure().is_some() && pair[1].stem() == next.stem())
        };
        let own = at;
        there.any(|(at, _)| {
            let mut near = place[at + 1..].iter().filter(carrying).take(2);
            let ends = place.get(at + 1).is_none_or(|one| *one == Token::Break);
            // "40 in a week" is not "40 weeks".
            let apart = order::stands_alone(place, at) && !order::stands_alone(said, own);
            near.any(|word| !apart && word.stem() == next.stem())
                || at + 1 == place.len()
                || ends && unit()
                || begins_clause && unit_before(place, at) == Some(next.stem())
        })
    })
}

/// The unit that comes before the limit of a figure: "hours beyond 40".
fn unit_before(place: &[Token], at: usize) -> Option<&str> {
    let limit = place.get(at.checked_sub(1)?)?;
    let is_limit = matches!(limit, Token::Word { plain, .. } if LIMITS.contains(&plain.as_str()));
    let unit = place.get(at.checked_sub(2)?)?;
    (is_limit && unit.counts()).then(|| unit.stem())
}

/// Whether a sentence has the words right before a figure that make a limit of it.
fn has_limits_of(said: &[Token], before: &[Token]) -> bool {
    let limits = before
        .iter()
        .rev()
        .take(2)
        .take_while(|one| **one != Token::Break);
    let mut limits = limits
        .filter(|one| matches!(one, Token::Word { plain, .. } if LIMITS.contains(&plain.as_str())));
    limits.all(|limit| said.iter().any(|one| one.stem() == limit.stem()))
}

/// Whether figures that are said together stand together there, in one clause or in whole ones, and
/// no word is said that belongs to a figure that is not: of "Sundays 50 %, holidays 100 %" Sundays
/// have no 100 %. Words of the first clause may belong to all ("paid at 1.5x, and at 2x beyond").
pub(super) fn of_clauses(said: &[Token], place: &[Token]) -> bool {
    let clauses: Vec<&[Token]> = place.split(|one| *one == Token::Break).collect();
    let figures = |tokens: &[Token]| -> Vec<String> {
        let figures = tokens.iter().filter_map(Token::figure);
        figures.map(str::to_owned).collect()
    };
    let own = figures(said);
    if own.is_empty() {
        return true;
    }
    let all = |clause: &&[Token]| {
        let there = figures(clause);
        own.iter().all(|figure| there.contains(figure))
    };
    let whole = || {
        let there: Vec<Vec<String>> = clauses.iter().map(|clause| figures(clause)).collect();
        (0..there.len())
            .any(|from| (from + 1..=there.len()).any(|to| there[from..to].concat() == own))
    };
    if !clauses.iter().any(all) && !whole() {
        return false;
    }
    let first = clauses.first().copied().unwrap_or_default();
    said.iter().filter(|one| one.counts()).all(|one| {
        let mut having = clauses
            .iter()
            .filter(|clause| clause.contains(one))
            .peekable();
        having.peek().is_none()
            || first.contains(one)
            || having.any(|clause| {
                let there = figures(clause);
                there.is_empty() || there.iter().any(|figure| own.contains(figure))
            })
    })
}

/// Whether figures side by side follow one another as they do there: "between 22:00 and 06:00".
pub(super) fn in_order(said: &[Token], place: &[Token]) -> bool {
    let there: Vec<&str> = place.iter().filter_map(Token::figure).collect();
    let counting: Vec<&Token> = said
        .iter()
        .filter(|one| one.counts() || **one == Token::Break)
        .collect();
    counting.windows(2).all(|pair| {
        let (Some(one), Some(other)) = (pair[0].figure(), pair[1].figure()) else {
            return true;
        };
        let first = there.iter().position(|figure| *figure == one);
        let last = there.iter().rposition(|figure| *figure == other);
        matches!((first, last), (Some(first), Some(last)) if first < last)
    })
}
