//! Sums and counts over rows that a join repeats: the invoices of a query that joins their lines.

use contracts::tools::sql::{JoinEdge, TableDescription};

use super::{
    super::{
        made_up::{Token, is_word},
        names::stems,
        untested::{Asked, is_alike},
    },
    Compared, Contradiction,
    joins::has_pair,
    parsed::Parsed,
};

/// The tables whose rows are counted or added once for each row that belongs to them.
pub(super) fn contradicted(
    compared: &Compared<'_>,
    asked: &[Asked],
    query: &Parsed<'_>,
) -> Vec<Contradiction> {
    // A query within another may aggregate first.
    if query.count("select") != 1 {
        return Vec::new();
    }
    let mut found: Vec<Contradiction> = Vec::new();
    for edge in &compared.joins {
        let (many, one) = match &*edge.cardinality {
            "N:1" => (&edge.from_table, &edge.to_table),
            "1:N" => (&edge.to_table, &edge.from_table),
            _ => continue,
        };
        if many == one || !is_joined(edge, query) {
            continue;
        }
        let is_repeated = adds(compared, query, one) || counts(asked, query, one, many);
        let doubled = Contradiction::Doubled {
            of: one.clone(),
            by: many.clone(),
        };
        if is_repeated && !found.contains(&doubled) {
            found.push(doubled);
        }
    }
    found
}

fn is_joined(edge: &JoinEdge, query: &Parsed<'_>) -> bool {
    has_pair(
        query,
        (&edge.from_table, &edge.from_column),
        (&edge.to_table, &edge.to_column),
    )
}

/// The tokens in the parentheses of the calls of these functions.
fn arguments<'q>(query: &Parsed<'q>, functions: &[&str]) -> Vec<&'q [Token]> {
    let tokens = query.tokens;
    let calls = (0..tokens.len()).filter(|at| {
        let is_one = functions.iter().any(|name| is_word(&tokens[*at], name));
        is_one && tokens.get(at + 1) == Some(&Token::Sign('('))
    });
    let inside = |at: usize| {
        let mut depth = 0_usize;
        let rest = &tokens[at + 2..];
        let end = rest.iter().position(|token| {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') if depth == 0 => return true,
                Token::Sign(')') => depth -= 1,
                _ => {}
            }
            false
        });
        &rest[..end.unwrap_or(rest.len())]
    };
    calls.map(inside).collect()
}

/// Whether a column is of a table: by its qualifier, or as the only table that has it.
fn is_of(compared: &Compared<'_>, query: &Parsed<'_>, value: &[Token], table: &str) -> bool {
    let names: Vec<(Option<&str>, &str)> = value
        .iter()
        .enumerate()
        .filter_map(|(at, token)| {
            let Token::Word(word) = token else {
                return None;
            };
            if matches!(value.get(at + 1), Some(Token::Sign('.' | '('))) {
                return None;
            }
            let qualifier = match at.checked_sub(2).map(|before| &value[before..at]) {
                Some([Token::Word(alias), Token::Sign('.')]) => Some(alias.as_str()),
                _ => None,
            };
            Some((qualifier, word.as_str()))
        })
        .collect();
    let is_it = |(qualifier, column): &(Option<&str>, &str)| {
        if let Some(alias) = qualifier {
            let mut tables = query.tables.iter();
            tables.any(|(known, name)| known == alias && name.eq_ignore_ascii_case(table))
        } else {
            let has = |one: &&TableDescription| {
                let mut columns = one.columns.iter();
                let mut read = query.tables.iter();
                columns.any(|one| one.name.eq_ignore_ascii_case(column))
                    && read.any(|(_, name)| name.eq_ignore_ascii_case(&one.name))
            };
            let mut having = compared.schemas.iter().filter(has);
            let only = having.next().is_some_and(|one| one.name == table);
            only && having.next().is_none()
        }
    };
    !names.is_empty() && names.iter().all(is_it)
}

/// Whether amounts of a table are added.
fn adds(compared: &Compared<'_>, query: &Parsed<'_>, one: &str) -> bool {
    let added = arguments(query, &["sum", "avg"]);
    added.into_iter().any(|value| {
        let is_distinct = value
            .first()
            .is_some_and(|first| is_word(first, "distinct"));
        !is_distinct && is_of(compared, query, value, one)
    })
}

/// Whether the rows of a table are what the question counts, and the query counts pairs.
fn counts(asked: &[Asked], query: &Parsed<'_>, one: &str, many: &str) -> bool {
    let counted = arguments(query, &["count"]);
    let [value] = counted.as_slice() else {
        return false;
    };
    let is_distinct = value
        .first()
        .is_some_and(|first| is_word(first, "distinct"));
    let said: Vec<String> = asked.iter().flat_map(|one| stems(&one.word)).collect();
    let starts = |with: &[&str]| said.windows(with.len()).position(|window| window == with);
    let how_many = starts(&["how", "many"]).or_else(|| starts(&["number", "of"]));
    let (Some(start), false) = (how_many, is_distinct) else {
        return false;
    };
    let behind = &said[start + 2..];
    let own = stems(one.rsplit('.').next().unwrap_or(one));
    let is_counted = (0..=1).any(|skipped| {
        behind
            .get(skipped..)
            .is_some_and(|rest| rest.starts_with(&own))
    });
    // Of groups, the other rows may be meant: "how many authors per book?"
    let words = stems(many.rsplit('.').next().unwrap_or(many));
    let is_named = words
        .iter()
        .any(|word| said.iter().any(|said| is_alike(said, word)));
    is_counted && (!query.has("group") || !is_named)
}
