//! The column of a query that counts all records of its only table, each once.

use super::made_up::{Token, columns, is_word, named, tokens};

/// Words of a query that make its rows others than those of a table, or fewer.
const OTHERS: &[&str] = &[
    "distinct",
    "except",
    "having",
    "intersect",
    "join",
    "limit",
    "fetch",
    "union",
    "where",
    "with",
];

/// The name of the column that counts the records of the query's table; `None` where the query has
/// conditions, or counts something else.
pub(crate) fn counting_column(sql: &str, is_mysql: bool) -> Option<String> {
    let tokens = tokens(sql, is_mysql);
    let is_other =
        |token: &Token| matches!(token, Token::Word(word) if OTHERS.contains(&word.as_str()));
    let selects = tokens.iter().filter(|token| is_word(token, "select"));
    if selects.count() != 1 || tokens.iter().any(is_other) {
        return None;
    }
    let (columns, end) = columns(tokens.get(1..)?);
    if !end.is_some_and(|end| is_word(end, "from")) {
        return None;
    }
    let counts = [
        Token::Word("count".to_owned()),
        Token::Sign('('),
        Token::Sign('*'),
        Token::Sign(')'),
    ];
    let mut counting = columns.into_iter().filter_map(|column| {
        let (value, name) = named(column);
        (value == counts.as_slice()).then_some(name?)
    });
    counting.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_records_of_one_table_are_counted() {
        let grouped = "SELECT status, COUNT(*) AS count FROM invoice GROUP BY status";
        assert_eq!(counting_column(grouped, true).as_deref(), Some("count"));
        let ordered = "SELECT `status`, COUNT(*) AS `amount` FROM `invoice` GROUP BY `status` ORDER BY `amount` DESC";
        assert_eq!(counting_column(ordered, true).as_deref(), Some("amount"));
        for other in [
            "SELECT status, COUNT(DISTINCT customerId) AS count FROM invoice GROUP BY status",
            "SELECT status, COUNT(paidOn) AS count FROM invoice GROUP BY status",
            "SELECT status, COUNT(*) AS count FROM invoice WHERE year = 2024 GROUP BY status",
            "SELECT c.city, COUNT(*) AS count FROM invoice i JOIN customer c ON c.id = i.customerId GROUP BY c.city",
            "SELECT city, COUNT(*) AS count FROM (SELECT DISTINCT city, customerId FROM invoice) i GROUP BY city",
            "SELECT status, COUNT(*) AS count FROM invoice GROUP BY status HAVING COUNT(*) > 5",
            "SELECT status, COUNT(*) * 2 AS count FROM invoice GROUP BY status",
            "SELECT status, SUM(amount) AS count FROM invoice GROUP BY status",
        ] {
            assert_eq!(counting_column(other, true), None, "{other}");
        }
    }
}
