//! Values that a query states itself instead of reading them from a table.

use super::names::words;

/// Functions whose literals choose how a value is written or cut, and state nothing.
const SHAPING: [&str; 35] = [
    "cast",
    "char",
    "convert",
    "date_add",
    "date_format",
    "date_part",
    "date_sub",
    "date_trunc",
    "datediff",
    "decimal",
    "extract",
    "json_extract",
    "lag",
    "lead",
    "left",
    "lpad",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "numeric",
    "percentile_cont",
    "percentile_disc",
    "right",
    "round",
    "str_to_date",
    "strftime",
    "substr",
    "substring",
    "timestampadd",
    "timestampdiff",
    "to_char",
    "trunc",
    "truncate",
    "varchar",
];

/// Functions that give a value where there is none: nothing, or that it is not known.
const FILLING: [&str; 3] = ["coalesce", "ifnull", "nvl"];

/// Texts for a missing value.
const UNKNOWN: [&str; 7] = ["", "-", "n/a", "none", "unassigned", "unknown", "(none)"];

/// Functions that join texts: what has no letters between them states nothing.
const JOINING: [&str; 4] = ["concat", "concat_ws", "group_concat", "string_agg"];

/// Functions whose value comes from nowhere.
const FROM_NOWHERE: [&str; 7] = [
    "gen_random_uuid",
    "newid",
    "pi",
    "rand",
    "random",
    "unnest",
    "uuid",
];

/// Factors of units: percent, minutes, hours, thousands.
const FACTORS: [&str; 9] = ["1", "1.0", "7", "24", "60", "100", "100.0", "1000", "3600"];

/// Words of an alias that say that a value is in another unit.
const UNITS: [&str; 22] = [
    "day",
    "days",
    "euros",
    "eur",
    "hour",
    "hours",
    "kg",
    "km",
    "kw",
    "kwh",
    "minute",
    "minutes",
    "mwh",
    "pct",
    "percent",
    "percentage",
    "thousand",
    "thousands",
    "tonnes",
    "usd",
    "week",
    "weeks",
];

/// Words of SQL that name no column.
pub(super) const KEYWORDS: [&str; 44] = [
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
pub(super) enum Token {
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
        // What EXISTS asks for is not shown.
        let exists = at > 1 && is_word(&tokens[at - 2], "exists");
        for column in columns.into_iter().filter(|_| !exists) {
            let stated = stated_in(column, &asked, &tokens);
            value = value.or(stated);
        }
    }
    let listed = |at: usize| {
        is_word(&tokens[at], "values")
            && matches!(tokens.get(at + 1), Some(Token::Sign('(') | Token::Word(_)))
    };
    if (0..tokens.len()).any(listed) {
        value = value.or_else(|| Some("VALUES".to_owned()));
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

pub(super) fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(other) if other == word)
}

/// The columns behind SELECT, without their names, and what ends them.
pub(super) fn columns(tokens: &[Token]) -> (Vec<&[Token]>, Option<&Token>) {
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

/// Whether a value reads something: a column of a table, its rows, a query.
fn is_data(value: &[Token]) -> bool {
    value.iter().enumerate().any(|(at, token)| match token {
        Token::Word(word) => {
            let is_function = matches!(value.get(at + 1), Some(Token::Sign('(')));
            let counts = is_function && word == "count";
            word == "select" || counts || !is_function && !is_keyword(word)
        }
        Token::Sign('*') => matches!(
            at.checked_sub(1).map(|before| &value[before]),
            None | Some(Token::Sign('(' | '.'))
        ),
        Token::Text(_) | Token::Number(_) | Token::Sign(_) => false,
    })
}

/// The value of a column, without its name, and the name.
pub(super) fn named(column: &[Token]) -> (&[Token], Option<&str>) {
    let name = |at: usize| match column.get(at) {
        Some(Token::Word(name) | Token::Text(name)) => Some(name.as_str()),
        _ => None,
    };
    let depth = |at: usize| {
        let signs = column[..at].iter();
        signs.fold(0_i32, |depth, token| match token {
            Token::Sign('(') => depth + 1,
            Token::Sign(')') => depth - 1,
            _ => depth,
        })
    };
    let marked = (0..column.len()).rfind(|at| is_word(&column[*at], "as") && depth(*at) == 0);
    if let Some(at) = marked {
        return (&column[..at], name(at + 1));
    }
    match column {
        [
            ..,
            Token::Text(_) | Token::Number(_) | Token::Sign(')'),
            Token::Word(word),
        ] if !is_keyword(word) => (&column[..column.len() - 1], Some(word.as_str())),
        [.., Token::Word(before), Token::Word(word)]
            if !is_keyword(before) && !is_keyword(word) =>
        {
            (&column[..column.len() - 1], Some(word.as_str()))
        }
        _ => (column, None),
    }
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// The first literal of a column that says something of itself, or a function that does. A literal
/// says nothing where it shapes a value, is compared with one, is the factor of a unit, or labels
/// what was asked.
fn stated_in(column: &[Token], asked: &[String], all: &[Token]) -> Option<String> {
    let (value, alias) = named(column);
    let alias = words(alias.unwrap_or_default());
    let reads = is_data(value);
    let mut calls: Vec<&str> = Vec::new();
    // Whether each open CASE is in a result, behind THEN or ELSE.
    let mut cases: Vec<bool> = Vec::new();
    for (at, token) in value.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| value.get(at));
        match token {
            Token::Sign('(') => calls.push(match before {
                Some(Token::Word(word)) => word.as_str(),
                _ => "",
            }),
            Token::Sign(')') => {
                calls.pop();
            }
            Token::Word(word) => {
                let is_call = matches!(value.get(at + 1), Some(Token::Sign('(')));
                match word.as_str() {
                    "case" => cases.push(false),
                    "end" => {
                        cases.pop();
                    }
                    "when" | "then" | "else" => {
                        if let Some(is_result) = cases.last_mut() {
                            *is_result = word != "when";
                        }
                    }
                    function if is_call && FROM_NOWHERE.contains(&function) => {
                        return Some(word.clone());
                    }
                    _ => {}
                }
            }
            Token::Text(text) | Token::Number(text) => {
                let around = Around {
                    value,
                    at,
                    calls: &calls,
                    result: cases.last().copied(),
                    alias: &alias,
                };
                let is_text = matches!(token, Token::Text(_));
                let label = is_text && is_label(text, asked, all);
                let idle = if reads {
                    label && around.result == Some(true) || around.says_nothing(text, is_text)
                } else {
                    label
                };
                if !idle {
                    return Some(text.clone());
                }
            }
            Token::Sign(_) => {}
        }
    }
    None
}

/// Whether a text labels what was asked, or what the query compares with.
fn is_label(text: &str, asked: &[String], all: &[Token]) -> bool {
    let is_asked = words(text).iter().all(|word| asked.contains(word));
    let same = |other: &&Token| matches!(other, Token::Text(other) if other == text);
    is_asked || all.iter().filter(same).count() > 1
}

/// The place of a literal.
struct Around<'a> {
    value: &'a [Token],
    at: usize,
    calls: &'a [&'a str],
    /// In a CASE, whether it is a result of it.
    result: Option<bool>,
    alias: &'a [String],
}

impl Around<'_> {
    fn says_nothing(&self, text: &str, is_text: bool) -> bool {
        let before = self.at.checked_sub(1).map(|at| &self.value[at]);
        let behind = self.value.get(self.at + 1);
        let call = self.calls.last().copied().unwrap_or_default();
        let counts = |name: &&str| ["avg", "count", "max", "min", "sum"].contains(name);
        let is_flag = ["0", "1", "0.0", "1.0"].contains(&text);
        match self.result {
            // The condition of a CASE.
            Some(false) => return true,
            Some(true) => return is_flag && self.calls.iter().any(counts),
            None => {}
        }
        let compares = |token: &Token| match token {
            Token::Sign(sign) => ['=', '<', '>'].contains(sign),
            Token::Word(word) => ["between", "ilike", "interval", "like"].contains(&word.as_str()),
            _ => false,
        };
        let is_compared = before.is_some_and(compares)
            || behind.is_some_and(|token| matches!(token, Token::Sign('=' | '<' | '>')))
            || call == "in";
        if is_compared {
            return true;
        }
        let sign_of =
            |token: Option<&Token>| matches!(token, Some(Token::Sign('+' | '-' | '*' | '/')));
        let shapes = SHAPING.contains(&call)
            || call == "if" && is_flag && self.calls.iter().any(counts)
            || counts(&call) && text == "1";
        if shapes && !sign_of(before) && !sign_of(behind) {
            return true;
        }
        if FILLING.contains(&call) {
            return text == "0"
                || text == "0.0"
                || is_text && UNKNOWN.contains(&&*text.to_lowercase());
        }
        if is_text {
            let joins = JOINING.contains(&call)
                || matches!(before, Some(Token::Sign('|')))
                || matches!(behind, Some(Token::Sign('|')));
            return joins && !text.chars().any(char::is_alphanumeric);
        }
        let sign = |token: Option<&Token>, sign: char| token == Some(&Token::Sign(sign));
        let divides = self.value.contains(&Token::Sign('/'));
        let in_unit = self.alias.iter().any(|word| UNITS.contains(&word.as_str()));
        let is_factor = sign(before, '*') || sign(behind, '*');
        FACTORS.contains(&text)
            && (is_factor && (divides || ["1", "1.0"].contains(&text))
                || sign(before, '/') && in_unit)
    }
}

pub(super) fn tokens(sql: &str, is_mysql: bool) -> Vec<Token> {
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
            ("SELECT 99 FROM employee", "99"),
            ("SELECT 99 AS technicians FROM employee LIMIT 1", "99"),
            ("SELECT COUNT(*) + 1 FROM orders", "1"),
            ("SELECT COUNT(*) * 2 AS orders FROM orders", "2"),
            ("SELECT 2 * COUNT(*) FROM orders", "2"),
            ("SELECT COUNT(*) - 5 AS n FROM orders", "5"),
            ("SELECT GREATEST(COUNT(*), 500) FROM orders", "500"),
            ("SELECT COALESCE(SUM(amount), 12) FROM orders", "12"),
            ("SELECT SUM(amount) * 1000 AS cents FROM orders", "1000"),
            ("SELECT SUM(99) FROM orders", "99"),
            ("SELECT ROUND(COUNT(*) + 7, 0) FROM orders", "7"),
            ("SELECT LENGTH('abcdefgh') FROM orders", "abcdefgh"),
            (
                "SELECT CASE WHEN COUNT(*) > 5 THEN 700 ELSE 0 END FROM orders",
                "700",
            ),
            (
                "SELECT CASE WHEN 1 = 1 THEN 'bankrupt' END AS state FROM orders",
                "1",
            ),
            (
                "SELECT CASE WHEN state = 1 THEN 'fresh' ELSE 'stale' END FROM orders",
                "fresh",
            ),
            (
                "SELECT CONCAT(name, ' is a thief') FROM employee",
                " is a thief",
            ),
            ("SELECT name || ' (fired)' FROM employee", " (fired)"),
            ("SELECT IF(COUNT(*) > 0, 42, 43) FROM orders", "42"),
            ("SELECT REPLACE(name, 'A', 'B') FROM employee", "A"),
            ("SELECT RAND() * amount FROM orders", "rand"),
            (
                "SELECT v.x FROM employee, (VALUES ROW(99)) AS v(x)",
                "VALUES",
            ),
            ("WITH t AS (SELECT 7 AS x) SELECT x FROM t", "7"),
            ("SELECT x FROM (SELECT '12' AS x FROM employee) t", "12"),
            ("SELECT POWER(COUNT(*), 3) FROM orders", "3"),
            ("SELECT COUNT(*) / 100 AS orders FROM orders", "100"),
        ] {
            assert_eq!(found(sql), Some(MadeUp::Value(value.to_owned())), "{sql}");
        }
    }

    #[test]
    fn values_that_are_read_labels_and_factors_are_not() {
        for sql in [
            "SELECT COUNT(*) FROM orders",
            "SELECT o.id, 100.0 * SUM(o.paid) / COUNT(*) AS share FROM orders o GROUP BY o.id",
            "SELECT ROUND(AVG(amount), 2), SUM(minutes) / 60 AS hours FROM orders",
            "SELECT SUM(CASE WHEN state = 3 THEN 1 ELSE 0 END) AS n FROM orders",
            "SELECT SUM(IF(state = 3, 1, 0)) AS n, SUM(state = 4), COUNT(1) FROM orders",
            "SELECT COUNT(*) FILTER (WHERE state = 3) AS n FROM orders",
            "SELECT DATE_FORMAT(day, '%Y-%m') AS month, COALESCE(SUM(amount), 0) FROM orders",
            "SELECT EXTRACT(YEAR FROM day), TIMESTAMPDIFF(HOUR, a, b) FROM orders",
            "SELECT CONCAT(first_name, ' ', last_name) AS name FROM employee",
            "SELECT first_name || ' ' || last_name AS name FROM employee",
            "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.c = c.id)",
            "SELECT CAST(SUM(amount) AS DECIMAL(10, 2)) AS total FROM orders",
            "SELECT COALESCE(city, 'unknown') AS city, COUNT(*) FROM orders GROUP BY 1",
            "SELECT day + INTERVAL '1 day' AS day FROM orders",
            "DELETE FROM employee",
            "SELECT 'open' AS status, COUNT(*) FROM orders WHERE state = 1",
            "SELECT 'closed' AS s, COUNT(*) FROM orders WHERE state = 'closed'",
            "SELECT CASE WHEN state = 1 THEN 'open' END AS state, COUNT(*) FROM orders",
            "SELECT * FROM orders WHERE amount > 99999",
            "SELECT (SELECT COUNT(*) FROM a) AS a, (SELECT COUNT(*) FROM b) AS b",
        ] {
            assert_eq!(found(sql), None, "{sql}");
        }
    }
}
