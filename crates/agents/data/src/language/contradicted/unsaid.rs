//! Conditions of a query that no word of its question says.
//!
//! `untested` and `unapplied` let a condition in other words count for a word of the question:
//! `status = 2` for "open". Whether it means that, nothing proves: the answer names the condition.

use contracts::tools::sql::TableDescription;

use super::{
    super::{
        made_up::{Token, tokens},
        names::{singular, stems, words},
        stated::{is_same, number},
        unapplied::{excused as unapplied, is_synonym},
        untested::{Asked, UNITS, asked, excused as untested, is_alike, is_time},
    },
    amounts::MONEY,
    denies,
    parsed::{Comparison, Op, Parsed},
    values::are_states,
};

/// The conditions of a query that its question does not say, in words, and the words of the
/// question that they may be for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unsaid {
    pub(crate) conditions: Vec<String>,
    pub(crate) words: Vec<String>,
}

/// The conditions of a query that no word of a conversation says, up to its question.
pub(crate) fn unsaid(
    sql: &str,
    question: &str,
    conversation: &str,
    is_mysql: bool,
    schemas: &[TableDescription],
) -> Option<Unsaid> {
    let tokens = tokens(sql, is_mysql);
    let query = Parsed::of(&tokens);
    let asked = asked(conversation);
    let mut conditions: Vec<String> = Vec::new();
    for one in &query.comparisons {
        if !is_said(one, conversation, &asked, schemas) {
            let condition = in_words(one, schemas);
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
    }
    if conditions.is_empty() {
        return None;
    }
    let mut words = untested(sql, question, is_mysql);
    for word in unapplied(sql, question, is_mysql, schemas) {
        if !words
            .iter()
            .any(|one| one.contains(&word) || word.contains(one.as_str()))
        {
            words.push(word);
        }
    }
    Some(Unsaid { conditions, words })
}

/// The conditions of a query, as a person reads them.
pub(crate) fn conditions(sql: &str, is_mysql: bool, schemas: &[TableDescription]) -> Vec<String> {
    let tokens = tokens(sql, is_mysql);
    let query = Parsed::of(&tokens);
    let comparisons = query.comparisons.iter();
    comparisons.map(|one| in_words(one, schemas)).collect()
}

/// Whether words of a question say a condition.
fn is_said(
    one: &Comparison,
    question: &str,
    asked: &[Asked],
    schemas: &[TableDescription],
) -> bool {
    let columns = columns(one, schemas);
    if let Some(text) = one.text() {
        return says_text(text, one.op, &columns, question, asked);
    }
    let Some(value) = one.number() else {
        return true;
    };
    let is_call = one.left.contains(&Token::Sign('('));
    let names = is_named(&columns, asked);
    let is_number = asked.iter().any(|word| {
        number(&word.word)
            .is_some_and(|readings| readings.iter().any(|reading| is_same(reading, value)))
            || word.word.trim_end_matches(char::is_alphabetic) == value
    });
    // "Without", "any", "only": a number of none.
    let is_flag = ["0", "1"].contains(&value) && (names || is_call);
    let is_year = value.len() == 4 && says_time(asked);
    let is_month = value.len() < 3 && is_call && says_time(asked);
    if is_number && one.op.orders() {
        let is_amount = columns.iter().any(|word| MONEY.contains(&&**word));
        return names || is_call || is_amount;
    }
    is_number || is_flag || is_year || is_month
}

fn says_time(asked: &[Asked]) -> bool {
    asked.iter().any(|one| {
        is_time(&one.word)
            || UNITS.contains(&&*singular(&one.word))
            || one.word.bytes().any(|byte| byte.is_ascii_digit())
            || one.is(&[
                "now",
                "late",
                "overdue",
                "current",
                "currently",
                "recent",
                "recently",
            ])
    })
}

/// Whether a word of the question is of the compared column, or one for it.
fn is_named(columns: &[String], asked: &[Asked]) -> bool {
    asked.iter().filter(|word| word.word.len() > 2).any(|word| {
        let word = singular(&word.word);
        let turned = ["un", "in", "non"]
            .iter()
            .filter_map(|prefix| word.strip_prefix(prefix));
        let senses: Vec<&str> = turned.chain([&*word]).collect();
        columns.iter().any(|name| {
            senses
                .iter()
                .any(|sense| is_alike(sense, name) || sense.len() > 4 && name.contains(sense))
                || is_synonym(&word, name)
        })
    })
}

fn says_text(text: &str, op: Op, columns: &[String], question: &str, asked: &[Asked]) -> bool {
    let is_day = text.len() >= 4 && text.as_bytes()[..4].iter().all(u8::is_ascii_digit);
    if is_day {
        return says_time(asked);
    }
    let bare = text.trim_matches('%');
    // A code is of the column that the question names: `gender = 'F'`.
    if bare
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .count()
        < 3
    {
        let is_whole = asked.iter().any(|word| word.text == bare);
        return is_whole || bare == text && is_named(columns, asked);
    }
    let is_denied = op == Op::IsNot || asked.iter().any(|word| denies(&word.word));
    let spoken: Vec<String> = words(question).iter().map(|word| singular(word)).collect();
    let mut parts = stems(bare).into_iter();
    parts.any(|part| {
        let is_it = |said: &String| {
            is_alike(said, &part)
                || said.len() > 3 && part.contains(said.as_str())
                || is_synonym(said, &part)
                || are_states(said, &part)
        };
        spoken.iter().any(is_it)
    }) || is_denied && is_named(columns, asked)
}

/// The words of the columns that are compared, as the catalogue writes them, too.
fn columns(one: &Comparison, schemas: &[TableDescription]) -> Vec<String> {
    let mut all = one.words();
    let named = one.left.iter().filter_map(|token| match token {
        Token::Word(word) => Some(stems(&column_in_words(word, schemas))),
        Token::Text(_) | Token::Number(_) | Token::Sign(_) => None,
    });
    all.extend(named.flatten());
    all
}

/// A condition as a person reads it.
fn in_words(one: &Comparison, schemas: &[TableDescription]) -> String {
    let names: Vec<String> = one
        .left
        .iter()
        .enumerate()
        .filter_map(|(at, token)| match token {
            Token::Word(word) if one.left.get(at + 1) != Some(&Token::Sign('.')) => {
                Some(column_in_words(word, schemas))
            }
            _ => None,
        })
        .filter(|name| !["distinct", "case", "date", "lower", "upper"].contains(&&**name))
        .collect();
    let name = names.join(" of ");
    // "Is active is 0".
    let name = name.strip_prefix("is ").unwrap_or(&name);
    let text = one.text().or_else(|| one.number()).unwrap_or_default();
    let bare = text.trim_matches('%');
    let is = match one.op {
        Op::Is => match (text.starts_with('%'), text.ends_with('%') && text.len() > 1) {
            (true, true) => "contains",
            (true, false) => "ends with",
            (false, true) => "begins with",
            (false, false) => "is",
        },
        Op::IsNot => "is not",
        Op::Below => "is less than",
        Op::AtMost => "is at most",
        Op::Above => "is more than",
        Op::AtLeast => "is at least",
    };
    if one.number().is_some() {
        format!("{name} {is} {bare}")
    } else {
        format!("{name} {is} \u{201c}{bare}\u{201d}")
    }
}

fn column_in_words(name: &str, schemas: &[TableDescription]) -> String {
    let mut columns = schemas.iter().flat_map(|table| &table.columns);
    let known = columns.find(|column| column.name.eq_ignore_ascii_case(name));
    words(known.map_or(name, |column| &column.name)).join(" ")
}

#[cfg(test)]
mod tests;
