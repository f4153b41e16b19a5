//! Places among others: "the second heaviest", "the 3rd longest delay", "and the second?".

use super::text::{Token, tokens};

/// The words from the second place on.
const NAMES: [&str; 9] = [
    "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];
/// Endings of a place in digits.
const ENDINGS: &[&str] = &["nd", "rd", "th"];
/// Words around a place of a message that says nothing else.
const AROUND: &[&str] = &[
    "and", "the", "what", "about", "who", "which", "is", "was", "comes", "in", "place", "one",
    "on", "then", "ok", "show", "me",
];
/// Ends of an order that have no ending of a superlative.
const ENDS: &[&str] = &["most", "least", "worst", "best", "last", "top"];

/// The place that begins at a token, and the number of tokens that it has.
fn at(tokens: &[Token], at: usize) -> Option<(u32, usize)> {
    let token = tokens.get(at)?;
    if let Some((place, _)) = (2..).zip(NAMES).find(|(_, name)| token.is(&[name])) {
        return Some((place, 1));
    }
    let number = token.number().filter(|number| (2..=100).contains(number))?;
    let ending = tokens.get(at + 1);
    ending
        .is_some_and(|ending| ending.glued && ending.is(ENDINGS))
        .then_some((number, 2))
}

/// The place that ends before a token, and where it begins: "second" of "second heaviest".
pub(super) fn before(tokens: &[Token], end: usize) -> Option<(u32, usize)> {
    (1..=2).find_map(|words| {
        let begin = end.checked_sub(words)?;
        let (place, own) = at(tokens, begin)?;
        (own == words).then_some((place, begin))
    })
}

/// The first place of a text, and its words.
pub(super) fn first(all: &[Token]) -> Option<(u32, String)> {
    (0..all.len()).find_map(|begin| {
        let (place, own) = at(all, begin)?;
        let said = all[begin..begin + own].iter();
        Some((place, said.map(|token| token.text.as_str()).collect()))
    })
}

/// Whether a word is of a place.
pub(super) fn is_of_place(token: &Token) -> bool {
    token.is(&NAMES) || token.glued && token.is(ENDINGS)
}

/// Whether a word is an end of an order: "heaviest", "most".
pub(super) fn is_end(token: &Token) -> bool {
    token.is_word() && (token.text.ends_with("est") || token.is(ENDS))
}

/// The place of a message that says nothing else: "and the second?".
pub(super) fn alone(all: &[Token]) -> Option<(u32, String)> {
    let mut words = all.iter().filter(|token| token.is_word());
    words
        .all(|word| word.is(AROUND) || is_of_place(word))
        .then(|| first(all))?
}

/// The place among others that a text asks for: 2 of "the second heaviest" and of "and the
/// second?"; none of "the second week".
pub fn ordinal(text: &str) -> Option<u32> {
    let all = tokens(text);
    let of_end = || {
        (1..all.len()).find_map(|end| {
            let linked = usize::from(all[end - 1].is(&["-", "to"]));
            let (place, _) = before(&all, end - linked).filter(|_| is_end(&all[end]))?;
            Some(place)
        })
    };
    alone(&all).map(|(place, _)| place).or_else(of_end)
}

/// Whether a text asks for an end of an order: "the oldest", "and the third?"; not "at most".
pub fn asks_for_an_end(text: &str) -> bool {
    let all = tokens(text);
    let is_bound = |at: usize| at > 0 && all[at - 1].is(&["at"]);
    let ends = (0..all.len()).any(|at| is_end(&all[at]) && !is_bound(at));
    ends || alone(&all).is_some()
}

/// The place that a message asks for and nothing else: "and the second?".
pub fn only_place(text: &str) -> Option<u32> {
    Some(alone(&tokens(text))?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_of_an_end_of_an_order() {
        for (text, expected) in [
            ("the second heaviest", Some(2)),
            ("the 3rd longest delay", Some(3)),
            ("the second-heaviest shipment", Some(2)),
            ("which carrier has the tenth most shipments?", Some(10)),
            ("and the second?", Some(2)),
            ("the second to last arrival", Some(2)),
            ("shipments in the second week of January", None),
            ("the heaviest", None),
        ] {
            assert_eq!(ordinal(text), expected, "{text}");
        }
    }
}
