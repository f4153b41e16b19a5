//! Counts and differences that are not those of the question: customers for quotes, the time from
//! the receipt to the order.

use super::{
    super::{
        made_up::{Token, is_word},
        names::{singular, stems, words},
        untested::{Asked, is_alike},
    },
    Contradiction,
    parsed::{Parsed, written},
};

/// Words that end the name of a key.
const KEYS: &[&str] = &["id", "key"];

/// A key of other things is counted, or a difference is turned round.
pub(super) fn contradicted(asked: &[Asked], query: &Parsed<'_>) -> Vec<Contradiction> {
    let found = [others(asked, query), reversed(asked, query)];
    found.into_iter().flatten().collect()
}

/// `COUNT(DISTINCT customerId)` for "how many quotes".
fn others(asked: &[Asked], query: &Parsed<'_>) -> Option<Contradiction> {
    let tokens = query.tokens;
    if query.count("count") != 1 || query.has("group") || query.count("select") != 1 {
        return None;
    }
    let at = (0..tokens.len()).find(|at| is_word(&tokens[*at], "count"))?;
    let inside = tokens.get(at + 2..)?;
    let end = inside.iter().position(|token| *token == Token::Sign(')'))?;
    let (first, value) = inside[..end].split_first()?;
    let Some(Token::Word(column)) = value.last().filter(|_| is_word(first, "distinct")) else {
        return None;
    };
    let name = key_of(column)?;
    let is_many = |pair: &[Asked]| pair[0].is(&["how", "number"]) && pair[1].is(&["many", "of"]);
    let start = asked.windows(2).position(is_many)? + 2;
    let said: Vec<String> = asked[start..]
        .iter()
        .flat_map(|one| stems(&one.word))
        .collect();
    let is_said = said.iter().any(|one| is_alike(one, &name));
    let is_own = query.tables.iter().any(|(_, table)| {
        let table = stems(table).concat();
        table.contains(&name)
    });
    (!is_said && !is_own).then(|| Contradiction::Words {
        said: asked
            .get(start)
            .map_or_else(String::new, |one| one.text.clone()),
        reads: format!("count(distinct {})", written(value)),
    })
}

/// The things that a column is a key of: `customerid`, `customer_id`.
fn key_of(column: &str) -> Option<String> {
    let mut name = words(column);
    if name.len() > 1 && name.last().is_some_and(|last| KEYS.contains(&&**last)) {
        name.pop();
        return Some(name.concat());
    }
    let stem = column.strip_suffix("id")?;
    (name.len() == 1 && stem.len() > 4).then(|| singular(stem))
}

/// "From order to receipt" and `DATEDIFF(orderedOn, receivedOn)`.
fn reversed(asked: &[Asked], query: &Parsed<'_>) -> Option<Contradiction> {
    let tokens = query.tokens;
    let from = asked.iter().position(|one| one.is(&["from", "between"]))?;
    let joint = if asked[from].word == "from" {
        "to"
    } else {
        "and"
    };
    let to = from + 1 + asked[from + 1..].iter().position(|one| one.word == joint)?;
    let (low, high) = (
        &asked[from + 1..to],
        asked.get(to + 1..(to + 3).min(asked.len()))?,
    );
    let says = |words: &[Asked], value: &[Token]| {
        let mut names = value.iter().filter_map(|token| match token {
            Token::Word(word) => Some(word),
            _ => None,
        });
        names.any(|name| {
            let mut words = words.iter().filter(|one| one.word.len() > 3);
            words.any(|one| is_alike(&singular(&one.word), name))
        })
    };
    let at = (0..tokens.len())
        .find(|at| is_word(&tokens[*at], "datediff") || is_word(&tokens[*at], "timestampdiff"))?;
    let inside = tokens.get(at + 2..)?;
    let end = inside.iter().position(|token| *token == Token::Sign(')'))?;
    let sides: Vec<&[Token]> = inside[..end]
        .split(|token| *token == Token::Sign(','))
        .collect();
    // DATEDIFF takes the second from the first, TIMESTAMPDIFF the first from the second.
    let (later, earlier) = match sides.as_slice() {
        [later, earlier] if is_word(&tokens[at], "datediff") => (later, earlier),
        [_, earlier, later] => (later, earlier),
        _ => return None,
    };
    let is_turned =
        says(low, later) && !says(low, earlier) || says(high, earlier) && !says(high, later);
    let text =
        |words: &[Asked]| -> Vec<String> { words.iter().map(|one| one.text.clone()).collect() };
    is_turned.then(|| Contradiction::Words {
        said: text(&asked[from..=to]).join(" "),
        reads: written(&tokens[at..at + 3 + end]),
    })
}
