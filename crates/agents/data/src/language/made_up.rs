//! Values that a query states itself instead of reading them from a table.

use super::names::words;

/// Digits from which a number in a list of columns is a statement, not a factor.
const MANY_DIGITS: usize = 3;

/// Words of SQL that name no column.
const KEYWORDS: [&str; 44] = [
    "all",
    "and",
    "array",
    "as",
    "between",
    "by",
    "case",
    "cast",
    "char",
    "date",
    "decimal",
    "distinct",
    "double",
    "else",
    "end",
    "false",
    "from",
    "in",
    "int",
    "integer",
    "interval",
    "is",
    "like",
    "not",
    "null",
    "numeric",
    "or",
    "over",
    "partition",
    "precision",
    "real",
    "row",
    "signed",
    "text",
    "then",
    "time",
    "timestamp",
    "true",
    "unsigned",
    "using",
    "values",
    "varchar",
    "when",
    "year",
];

/// What ends a list of columns.
const ENDS: [&str; 11] = [
    "except",
    "fetch",
    "from",
    "group",
    "having",
    "intersect",
    "into",
    "limit",
    "order",
    "union",
    "where",
];

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A word, in lower case, or a quoted name.
    Word(String),
    Text(String),
    Number(String),
    Sign(char),
}

/// Values that a query states itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MadeUp {
    /// It reads no table at all.
    NoTable,
    /// A column consists of this value.
    Value(String),
}

/// The first thing that a query states itself. Texts of the question, and those that the query also
/// compares with, are labels.
pub(crate) fn made_up(sql: &str, question: &str, is_mysql: bool) -> Option<MadeUp> {
    let tokens = tokens(sql, is_mysql);
    let asked = words(question);
    let mut reads = false;
    let mut value = None;
    for (at, token) in tokens.iter().enumerate() {
        if !is_word(token, "select") {
            continue;
        }
        let (columns, end) = columns(&tokens[at + 1..]);
        reads |= end.is_some_and(|end| is_word(end, "from"));
        for column in columns {
            if is_data(column) {
                continue;
            }
            let stated = column
                .iter()
                .find_map(|token| stated(token, &asked, &tokens));
            value = value.or(stated);
        }
    }
    // The guard refuses any other statement.
    let is_query = tokens.iter().any(|token| is_word(token, "select"))
        && tokens
            .first()
            .is_some_and(|token| is_word(token, "select") || is_word(token, "with"));
    if !reads && is_query {
        return Some(MadeUp::NoTable);
    }
    value.map(MadeUp::Value)
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(other) if other == word)
}

/// The columns behind SELECT, without their names, and what ends them.
fn columns(tokens: &[Token]) -> (Vec<&[Token]>, Option<&Token>) {
    let mut columns = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') if depth == 0 => {
                columns.push(&tokens[start..at]);
                return (columns, None);
            }
            Token::Sign(')') => depth -= 1,
            Token::Sign(',') if depth == 0 => {
                columns.push(&tokens[start..at]);
                start = at + 1;
            }
            Token::Word(word) if depth == 0 && ENDS.contains(&word.as_str()) => {
                columns.push(&tokens[start..at]);
                return (columns, Some(token));
            }
            _ => {}
        }
    }
    columns.push(&tokens[start..]);
    (columns, None)
}

/// Whether a column reads something: a column of a table, its rows, a query.
fn is_data(column: &[Token]) -> bool {
    let named = column
        .iter()
        .rposition(|token| is_word(token, "as"))
        .unwrap_or_else(|| match column {
            [
                ..,
                Token::Text(_) | Token::Number(_) | Token::Sign(')'),
                Token::Word(_),
            ] => column.len() - 1,
            _ => column.len(),
        });
    let value = &column[..named];
    value.iter().enumerate().any(|(at, token)| match token {
        Token::Word(word) => {
            let is_function = matches!(value.get(at + 1), Some(Token::Sign('(')));
            word == "select" || !is_function && !KEYWORDS.contains(&word.as_str())
        }
        Token::Sign('*') => matches!(
            at.checked_sub(1).map(|before| &value[before]),
            None | Some(Token::Sign('(' | '.'))
        ),
        Token::Text(_) | Token::Number(_) | Token::Sign(_) => false,
    })
}

/// A value that says something of itself.
fn stated(token: &Token, asked: &[String], all: &[Token]) -> Option<String> {
    match token {
        Token::Number(number) => {
            let digits = number.bytes().filter(u8::is_ascii_digit).count();
            (digits >= MANY_DIGITS).then(|| number.clone())
        }
        Token::Text(text) => {
            let is_asked = words(text).iter().all(|word| asked.contains(word));
            let times = all.iter().filter(|other| *other == token).count();
            (!is_asked && times < 2).then(|| text.clone())
        }
        Token::Word(_) | Token::Sign(_) => None,
    }
}

fn tokens(sql: &str, is_mysql: bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = if c.is_whitespace() {
            after
        } else if rest.starts_with("--") || is_mysql && c == '#' {
            after.split_once('\n').map_or("", |(_, rest)| rest)
        } else if rest.starts_with("/*") {
            after.split_once("*/").map_or("", |(_, rest)| rest)
        } else if matches!(c, '\'' | '"' | '`') {
            let (text, rest) = quoted(after, c);
            tokens.push(if c == '\'' || c == '"' && is_mysql {
                Token::Text(text)
            } else {
                Token::Word(text.to_lowercase())
            });
            rest
        } else if c.is_ascii_digit() {
            let part = |c: char| c.is_ascii_alphanumeric() || c == '.';
            let (number, rest) = split(rest, part);
            tokens.push(Token::Number(number.to_owned()));
            rest
        } else if c.is_alphabetic() || c == '_' {
            let (word, rest) = split(rest, |c| c.is_alphanumeric() || c == '_');
            tokens.push(Token::Word(word.to_lowercase()));
            rest
        } else {
            tokens.push(Token::Sign(c));
            after
        };
    }
    tokens
}

fn split(text: &str, part: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !part(c)).unwrap_or(text.len()))
}

/// A quoted text up to its end, in which a doubled quote is one.
fn quoted(text: &str, quote: char) -> (String, &str) {
    let mut inner = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(quote) {
        inner.push_str(before);
        match after.strip_prefix(quote) {
            Some(more) => {
                inner.push(quote);
                rest = more;
            }
            None => return (inner, after),
        }
    }
    inner.push_str(rest);
    (inner, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sql: &str) -> Option<MadeUp> {
        made_up(sql, "How many orders are open?", true)
    }

    #[test]
    fn a_query_without_a_table_is_found() {
        for sql in [
            "SELECT 'Evil Corp', 999999.99",
            "SELECT 1",
            "SELECT EXTRACT(YEAR FROM NOW())",
            "SELECT 5 UNION ALL SELECT 6",
            "SELECT 'from orders' -- FROM orders",
        ] {
            assert_eq!(found(sql), Some(MadeUp::NoTable), "{sql}");
        }
    }

    #[test]
    fn a_value_beside_a_table_is_found() {
        for (sql, value) in [
            (
                "SELECT 'Evil Corp' AS best, COUNT(*) FROM customer",
                "Evil Corp",
            ),
            (
                "SELECT name, 999999.99 AS revenue FROM customer",
                "999999.99",
            ),
            ("SELECT CONCAT('Evil', ' Corp') FROM customer", "Evil"),
            (
                "SELECT t.x FROM (SELECT 4711 AS x) t JOIN customer c ON 1 = 1",
                "4711",
            ),
            ("SELECT -4711 revenue FROM customer LIMIT 1", "4711"),
        ] {
            assert_eq!(found(sql), Some(MadeUp::Value(value.to_owned())), "{sql}");
        }
    }

    #[test]
    fn values_that_are_read_labels_and_factors_are_not() {
        for sql in [
            "SELECT COUNT(*) FROM orders",
            "SELECT o.id, SUM(o.amount) * 1000 AS cents FROM orders o GROUP BY o.id",
            "SELECT 2 FROM employee",
            "DELETE FROM employee",
            "SELECT 'open' AS status, COUNT(*) FROM orders WHERE state = 1",
            "SELECT 'closed' AS s, COUNT(*) FROM orders WHERE state = 'closed'",
            "SELECT CASE WHEN state = 1 THEN 'fresh' ELSE 'stale' END FROM orders",
            "SELECT * FROM orders WHERE amount > 99999",
            "SELECT (SELECT COUNT(*) FROM a) AS a, (SELECT COUNT(*) FROM b) AS b",
        ] {
            assert_eq!(found(sql), None, "{sql}");
        }
    }
}
