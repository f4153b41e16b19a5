//! "Without a phone" and `phone IS NOT NULL`.

use super::{
    super::{
        conditions::said_in,
        made_up::Token,
        names::singular,
        untested::{Asked, is_alike},
    },
    Contradiction, denies,
    parsed::{Op, Parsed},
    text,
};

/// Words for what is not there, before it.
const WITHOUT: &[&[&str]] = &[
    &["lack"],
    &["lacking"],
    &["lacks"],
    &["missing"],
    &["without"],
    &["has", "no"],
    &["have", "no"],
    &["with", "no"],
    &["had", "no"],
];

/// Words for what is there.
const WITH: &[&[&str]] = &[&["with"], &["have"], &["has"], &["having"]];

/// Words between them and the thing.
const ARTICLES: &[&str] = &["a", "an", "any", "the", "their", "valid"];

/// Things that are missing by the question, and that the query demands or does not look at.
pub(super) fn contradicted(asked: &[Asked], query: &Parsed<'_>) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let with_null: Vec<Vec<String>> = tested(query, false);
    let not_null: Vec<Vec<String>> = tested(query, true);
    let tests = |list: &[Vec<String>], thing: &str| {
        let is_it = |word: &String| is_alike(&singular(thing), word);
        list.iter().any(|words| words.iter().any(is_it))
    };
    for at in 0..asked.len() {
        if let Some((start, thing)) = thing(asked, at, WITHOUT) {
            let demands = tests(&not_null, &asked[thing].word) && with_null.is_empty();
            let is_open = demands || !leaves_out(query) && !calculates(query);
            if is_open && !is_part_of_more(asked, thing) {
                let reads = if demands {
                    "IS NOT NULL"
                } else {
                    "no such condition"
                };
                found.push(words(asked, start, thing, reads));
            }
        } else if let Some((start, thing)) = thing(asked, at, WITH) {
            let is_denied = asked.iter().any(|one| denies(&one.word));
            let wants_none = tests(&with_null, &asked[thing].word) && not_null.is_empty();
            if wants_none && !is_denied && !query.has("left") && !query.has("or") {
                found.push(words(asked, start, thing, "IS NULL"));
            }
        }
    }
    found
}

fn words(asked: &[Asked], start: usize, thing: usize, reads: &str) -> Contradiction {
    Contradiction::Words {
        said: text(asked, start..thing + 1),
        reads: reads.to_owned(),
    }
}

/// The place of the first such word and of the thing, if the word ends at a place.
fn thing(asked: &[Asked], at: usize, leads: &[&[&str]]) -> Option<(usize, usize)> {
    let start = leads.iter().find_map(|lead| {
        let start = (at + 1).checked_sub(lead.len())?;
        let there = asked[start..=at].iter().map(|one| one.word.as_str());
        there.eq(lead.iter().copied()).then_some(start)
    })?;
    let mut behind = (at + 1..asked.len()).skip_while(|at| asked[*at].is(ARTICLES));
    let thing = behind.next()?;
    Some((start, thing))
}

/// "Without more than two", "with no more than": not of a thing.
fn is_part_of_more(asked: &[Asked], thing: usize) -> bool {
    asked[thing].is(&["fewer", "least", "less", "longer", "more", "other"])
        || asked[thing]
            .word
            .starts_with(|first: char| first.is_ascii_digit())
}

/// Whether the query leaves rows out: by a denial, a join without a partner or an empty value.
fn leaves_out(query: &Parsed<'_>) -> bool {
    let empty = |one: &super::parsed::Comparison| {
        one.text().is_some_and(|text| {
            text.trim().is_empty()
                || ["none", "no", "n/a", "missing", "f", "n"]
                    .contains(&text.to_lowercase().as_str())
        }) || one.number().is_some_and(|number| number.parse() == Ok(0.0))
            || one.op == Op::IsNot
    };
    !query.nulls(false).is_empty()
        || ["except", "minus", "exists", "not", "false", "case"]
            .iter()
            .any(|word| query.has(word))
        || query
            .comparisons
            .iter()
            .any(|one| empty(one) || one.op == Op::Below)
}

/// Whether a query calculates amounts: "revenue without tax" is one of another kind.
fn calculates(query: &Parsed<'_>) -> bool {
    let functions = ["avg", "max", "min", "sum"];
    functions.iter().any(|name| query.has(name)) || query.tokens.contains(&Token::Sign('-'))
}

/// The words of what each IS NULL, or IS NOT NULL, tests.
fn tested(query: &Parsed<'_>, with_not: bool) -> Vec<Vec<String>> {
    let places = query.nulls(with_not).into_iter();
    let words = places.map(|at| said_in(&query.tokens[at.saturating_sub(3)..at]));
    words.collect()
}
