//! Two columns that are a key together, and a join by one of them.

use contracts::tools::sql::{JoinEdge, TableDescription};

use super::{
    super::{made_up::Token, names::words},
    Contradiction,
    parsed::Parsed,
};

/// The joins of a query that have a part of a key, without the rest.
pub(super) fn contradicted(joins: &[&JoinEdge], query: &Parsed<'_>) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for edge in joins.iter().filter(|edge| !edge.and.is_empty()) {
        let first = (edge.from_column.as_str(), edge.to_column.as_str());
        let more = edge.and.iter();
        let more = more.map(|pair| (pair.from_column.as_str(), pair.to_column.as_str()));
        let pairs: Vec<(&str, &str)> = std::iter::once(first).chain(more).collect();
        let (from, to) = (edge.from_table.as_str(), edge.to_table.as_str());
        let (there, missing): (Vec<_>, Vec<_>) = pairs
            .into_iter()
            .partition(|(one, other)| has_pair(query, (from, one), (to, other)));
        // A plan may join the two by another key.
        if there.is_empty() || missing.is_empty() || is_fixed(query, &missing) {
            continue;
        }
        let is_other = joins.iter().any(|other| {
            let same = |a: &str, b: &str| other.from_table == a && other.to_table == b;
            other.and.is_empty()
                && (same(from, to) || same(to, from))
                && has_pair(
                    query,
                    (&other.from_table, &other.from_column),
                    (&other.to_table, &other.to_column),
                )
        });
        if is_other {
            continue;
        }
        let missing = missing
            .iter()
            .map(|(one, other)| format!("{from}.{one} = {to}.{other}"));
        let contradiction = Contradiction::PartOfKey {
            from: from.to_owned(),
            to: to.to_owned(),
            missing: missing.collect::<Vec<_>>().join(" AND "),
        };
        if !found.contains(&contradiction) {
            found.push(contradiction);
        }
    }
    found
}

/// Words at the end of the names of keys.
const KEYS: &[&str] = &["code", "id", "key", "no", "nr", "number"];

/// Joins by one of several key columns that two tables have by the same names, where it is the key
/// of neither: the catalogue may not know that they are one key.
pub(super) fn by_name(
    schemas: &[TableDescription],
    query: &Parsed<'_>,
    known: &[Contradiction],
) -> Vec<Contradiction> {
    let reads = |table: &&TableDescription| {
        let mut tables = query.tables.iter();
        tables.any(|(_, name)| name.eq_ignore_ascii_case(&table.name))
    };
    let read: Vec<&TableDescription> = schemas.iter().filter(reads).collect();
    let is_known = |one: &str, other: &str| {
        known.iter().any(|found| {
            matches!(found, Contradiction::PartOfKey { from, to, .. }
                if from == one && to == other || from == other && to == one)
        })
    };
    let mut found = Vec::new();
    for (at, one) in read.iter().enumerate() {
        for other in &read[at + 1..] {
            let shared = one.columns.iter().filter(|column| {
                let words = words(&column.name);
                let mut others = other.columns.iter();
                !column.unique
                    && words.len() > 1
                    && words.last().is_some_and(|last| KEYS.contains(&&**last))
                    && others.any(|same| same.name == column.name && !same.unique)
            });
            let (there, missing): (Vec<&str>, Vec<&str>) = shared
                .map(|column| &*column.name)
                .partition(|column| has_pair(query, (&one.name, column), (&other.name, column)));
            let rest: Vec<(&str, &str)> = missing.iter().map(|name| (*name, *name)).collect();
            let is_part = there.len() == 1 && missing.len() == 1 && !is_fixed(query, &rest);
            if is_part && !is_known(&one.name, &other.name) {
                found.push(Contradiction::PartOfKey {
                    from: one.name.clone(),
                    to: other.name.clone(),
                    missing: format!("{}.{1} = {2}.{1}", one.name, missing[0], other.name),
                });
            }
        }
    }
    found
}

/// Whether a column of the rest is compared with a value: then each row of it is one.
fn is_fixed(query: &Parsed<'_>, missing: &[(&str, &str)]) -> bool {
    missing.iter().all(|(one, other)| {
        query.comparisons.iter().any(|comparison| {
            comparison.op == super::parsed::Op::Is
                && matches!(comparison.left.last(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(one) || word.eq_ignore_ascii_case(other))
        })
    })
}

/// Whether a query compares two columns, or joins by their name.
pub(super) fn has_pair(query: &Parsed<'_>, one: (&str, &str), other: (&str, &str)) -> bool {
    let column = |at: usize| -> Option<(Option<&str>, &str, usize)> {
        let word = |at: usize| match query.tokens.get(at) {
            Some(Token::Word(word)) => Some(word.as_str()),
            _ => None,
        };
        let first = word(at)?;
        if query.tokens.get(at + 1) == Some(&Token::Sign('.')) {
            return Some((Some(first), word(at + 2)?, 3));
        }
        Some((None, first, 1))
    };
    let is = |(alias, name, _): (Option<&str>, &str, usize), wanted: (&str, &str)| {
        let table = |alias: &str| {
            query
                .tables
                .iter()
                .any(|(known, table)| known == alias && table.eq_ignore_ascii_case(wanted.0))
        };
        name.eq_ignore_ascii_case(wanted.1) && alias.is_none_or(table)
    };
    let equal = (0..query.tokens.len()).any(|at| {
        let Some(left) = column(at) else { return false };
        let sign = at + left.2;
        if query.tokens.get(sign) != Some(&Token::Sign('=')) {
            return false;
        }
        let Some(right) = column(sign + 1) else {
            return false;
        };
        is(left, one) && is(right, other) || is(left, other) && is(right, one)
    });
    let natural =
        one.1.eq_ignore_ascii_case(other.1) && (query.has("natural") || is_used(query, one.1));
    equal || natural
}

/// Whether `USING (…)` has a column.
fn is_used(query: &Parsed<'_>, column: &str) -> bool {
    let using = (0..query.tokens.len())
        .filter(|at| matches!(&query.tokens[*at], Token::Word(word) if word == "using"));
    using.into_iter().any(|at| {
        let inside = query.tokens[at..].iter();
        let mut inside = inside.take_while(|one| **one != Token::Sign(')'));
        inside.any(|one| matches!(one, Token::Word(word) if word.eq_ignore_ascii_case(column)))
    })
}
