//! The names that a model gives the columns of its query: each is a name of what the column reads.
//!
//! A name has words of the columns, the tables and the functions that its value is made of; a count
//! may also have those of its conditions, and any name those of the question beside one of these. A
//! column with another name gets one from its value.

use super::{
    conditions::tested,
    made_up::{KEYWORDS, Token, columns, is_word, named, tokens},
    names::{self, singular, stems, words},
};

/// Functions, and words for what they make of a value.
const FUNCTIONS: &[(&str, &[&str])] = &[
    ("avg", &["average", "avg", "mean"]),
    ("concat", &["full", "name"]),
    (
        "count",
        &[
            "amount", "cnt", "count", "n", "num", "number", "quantity", "total",
        ],
    ),
    ("date", &["date", "day"]),
    (
        "date_format",
        &["date", "day", "month", "quarter", "week", "year"],
    ),
    (
        "date_part",
        &["date", "day", "month", "quarter", "week", "weekday", "year"],
    ),
    (
        "date_trunc",
        &["date", "day", "hour", "month", "quarter", "week", "year"],
    ),
    (
        "datediff",
        &["age", "day", "delay", "difference", "duration"],
    ),
    (
        "extract",
        &[
            "date", "day", "hour", "month", "quarter", "week", "weekday", "year",
        ],
    ),
    (
        "max",
        &[
            "biggest", "highest", "largest", "last", "latest", "max", "maximum", "most", "newest",
        ],
    ),
    (
        "min",
        &[
            "cheapest", "earliest", "first", "least", "lowest", "min", "minimum", "oldest",
            "smallest",
        ],
    ),
    ("month", &["month"]),
    ("rank", &["place", "position", "rank"]),
    ("row_number", &["number", "place", "position", "rank"]),
    ("sum", &["overall", "sum", "total"]),
    (
        "timestampdiff",
        &[
            "age",
            "day",
            "delay",
            "difference",
            "duration",
            "hour",
            "minute",
        ],
    ),
    (
        "to_char",
        &["date", "day", "month", "quarter", "week", "year"],
    ),
    ("year", &["year"]),
];

/// Operators, and words for what they make.
const OPERATORS: &[(char, &[&str])] = &[
    (
        '/',
        &[
            "average",
            "pct",
            "percent",
            "percentage",
            "rate",
            "ratio",
            "share",
        ],
    ),
    (
        '-',
        &["change", "difference", "gap", "margin", "net", "remaining"],
    ),
    (
        '*',
        &["amount", "cost", "price", "sum", "total", "value", "worth"],
    ),
    ('=', &["has", "is"]),
];

/// Functions that make one value of many rows.
const AGGREGATES: &[&str] = &["avg", "count", "max", "min", "sum"];

/// Words that join others, and units.
const JOINING: &[&str] = &[
    "and", "by", "day", "euro", "for", "hour", "id", "in", "minute", "of", "on", "per", "the", "to",
];

/// Letters at the beginning of a word that distinguish it from others.
const STEM: usize = 4;

/// The columns of a result whose names say what their values are not, with other names. Words of
/// the question that the query does not test are in no name.
pub(crate) fn misnamed<'n>(
    sql: &str,
    question: &str,
    is_mysql: bool,
    names: impl IntoIterator<Item = &'n str>,
    untested: &[String],
) -> Vec<(String, String)> {
    let tokens = tokens(sql, is_mysql);
    let tables = tables(&tokens);
    let conditions = tested(&tokens);
    let mut asked = stems(question);
    let untested: Vec<String> = untested.iter().flat_map(|text| stems(text)).collect();
    asked.retain(|word| !untested.contains(word));
    let mut taken: Vec<String> = Vec::new();
    let names: Vec<&str> = names.into_iter().collect();
    taken.extend(names.iter().map(|name| (*name).to_owned()));
    let mut wrong = Vec::new();
    for (at, _) in tokens
        .iter()
        .enumerate()
        .filter(|(_, one)| is_word(one, "select"))
    {
        for column in columns(&tokens[at + 1..]).0 {
            let (value, Some(alias)) = named(column) else {
                continue;
            };
            let mut shown = names.iter().filter(|name| name.eq_ignore_ascii_case(alias));
            let Some(name) = shown.next() else { continue };
            if wrong
                .iter()
                .any(|(known, _): &(String, String)| known == name)
            {
                continue;
            }
            let licensed = licensed(value, &tables, &conditions);
            if holds(name, &licensed, &asked) {
                continue;
            }
            let plain = own_name(value, &tables);
            let mut other = plain.clone();
            let mut number = 2;
            while taken.contains(&other) {
                other = format!("{plain}_{number}");
                number += 1;
            }
            taken.push(other.clone());
            wrong.push(((*name).to_owned(), other));
        }
    }
    wrong
}

/// Words of a query before a name.
pub(super) fn is_grammar(word: &str) -> bool {
    let others = [
        "from", "group", "having", "join", "on", "only", "order", "select", "update", "where",
    ];
    KEYWORDS.contains(&word) || others.contains(&word)
}

/// The table that a question counts and that a query with one count does not read.
pub(crate) fn counts_another<'t>(
    sql: &str,
    question: &str,
    is_mysql: bool,
    known: impl IntoIterator<Item = &'t str>,
) -> Option<&'t str> {
    let asked = stems(question);
    let behind = asked.strip_prefix(&["how".to_owned(), "many".to_owned()])?;
    let tokens = tokens(sql, is_mysql);
    let counts = tokens.iter().filter(|one| is_word(one, "count")).count();
    if counts != 1 {
        return None;
    }
    // The first noun is counted: "customers with invoices".
    let is_end = |word: &&String| {
        [
            "are", "did", "do", "have", "in", "of", "there", "were", "with", "without",
        ]
        .contains(&word.as_str())
    };
    let mut counted: Vec<String> = behind
        .iter()
        .take_while(|word| !is_end(word))
        .cloned()
        .collect();
    let known: Vec<&str> = known.into_iter().collect();
    // "Employees work": the plural ends the noun, if it is a table's.
    let said = words(question);
    let is_table = |name: &&str| names::named(&counted[0], [*name]).is_some();
    if counted.len() > 1 && said.get(2).is_some_and(|first| *first != counted[0]) {
        let is_whole = known.iter().any(is_table);
        let is_longer = known.iter().any(|name| {
            let name = stems(name.rsplit('.').next().unwrap_or(name));
            name.len() > 1 && counted.starts_with(&name)
        });
        if is_whole && !is_longer {
            counted.truncate(1);
        }
    }
    let own = |at: usize| {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        let names = match before {
            Some(Token::Word(word)) => word == "as" || !is_grammar(word),
            before => before == Some(&Token::Sign(')')),
        };
        !names && tokens.get(at + 1) != Some(&Token::Sign('.'))
    };
    let read: Vec<String> = (0..tokens.len())
        .filter(|at| own(*at))
        .filter_map(|at| match &tokens[at] {
            Token::Word(word) | Token::Text(word) => Some(stems(word)),
            Token::Number(_) | Token::Sign(_) => None,
        })
        .flatten()
        .collect();
    let ends_with = |name: &&str| {
        let name = stems(name.rsplit('.').next().unwrap_or(name));
        !name.is_empty() && counted.ends_with(&name)
    };
    let reads = |name: &str| {
        let name = name.rsplit('.').next().unwrap_or(name).to_lowercase();
        let joined = stems(&name).concat();
        // `employeeid` is of employees.
        let is_it = |word: &String| {
            let word = word.strip_suffix("id").unwrap_or(word);
            joined.contains(word) && word.len() > 3
        };
        read.iter().any(is_it)
    };
    let asked: Vec<&str> = known.into_iter().filter(ends_with).collect();
    // Of several tables with the word, one is enough.
    (!asked.iter().any(|name| reads(name))).then_some(())?;
    asked.first().copied()
}

/// Whether each word of a name is licensed, and one of them by the value itself.
fn holds(name: &str, licensed: &[String], asked: &[String]) -> bool {
    let said: Vec<String> = words(name).iter().map(|word| singular(word)).collect();
    let of_value = |word: &String| {
        // "Leaders" of a column `isLead`.
        let stem = word
            .get(..STEM)
            .filter(|_| word.len() > STEM)
            .unwrap_or(word);
        let within = |one: &String| {
            one == word || word.len() > 2 && one.contains(stem) && !opposite(one, stem)
        };
        licensed.iter().any(within)
    };
    let joins = |word: &String| JOINING.contains(&word.as_str());
    // "Newest" is not in the question alone: a minimum is not that.
    let of_function = |word: &String| {
        let mut functions = FUNCTIONS
            .iter()
            .filter(|(name, _)| AGGREGATES.contains(name));
        functions.any(|(_, words)| words.contains(&word.as_str()))
    };
    let is_asked = |word: &String| asked.contains(word) && !of_function(word);
    // "Per litre" is a quotient: the question alone does not make it one.
    let per = said.iter().position(|word| word == "per");
    let is_quotient = per.is_none_or(|per| said[per + 1..].iter().any(of_value));
    let every = is_quotient
        && said
            .iter()
            .all(|word| of_value(word) || joins(word) || is_asked(word));
    every && said.iter().any(of_value)
}

/// Whether the word that begins so is another one with a prefix that turns it round.
pub(super) fn opposite(one: &str, stem: &str) -> bool {
    let prefix = one.split_once(stem).map_or("", |(prefix, _)| prefix);
    ["dis", "im", "in", "ir", "non", "un"].contains(&prefix)
}

/// The words that a value may be called by.
fn licensed(value: &[Token], tables: &[(String, String)], conditions: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |text: &str| all.extend(words(text).iter().map(|word| singular(word)));
    let counts = value.iter().any(|token| is_word(token, "count"));
    for (at, token) in value.iter().enumerate() {
        let behind = value.get(at + 1);
        match token {
            Token::Word(word) if behind == Some(&Token::Sign('(')) => {
                let known = FUNCTIONS.iter().find(|(name, _)| name == word);
                for word in known.iter().flat_map(|(_, words)| *words) {
                    add(word);
                }
            }
            Token::Word(word) if KEYWORDS.contains(&word.as_str()) => {}
            Token::Word(word) if behind == Some(&Token::Sign('.')) => {
                let table = tables.iter().find(|(alias, _)| alias == word);
                add(table.map_or(word, |(_, table)| table));
            }
            Token::Word(word) => {
                add(word);
                let qualified = at > 0 && value[at - 1] == Token::Sign('.');
                if !qualified {
                    for (_, table) in tables {
                        add(table);
                    }
                }
            }
            Token::Sign(sign) => {
                let known = OPERATORS.iter().find(|(one, _)| one == sign);
                let counts_rows = *sign == '*' && at > 0 && value[at - 1] == Token::Sign('(');
                let known = known.filter(|_| !counts_rows);
                for word in known.iter().flat_map(|(_, words)| *words) {
                    add(word);
                }
            }
            Token::Text(text) => add(text),
            Token::Number(_) => {}
        }
    }
    if counts || value.iter().any(|token| is_word(token, "sum")) {
        for word in conditions {
            add(word);
        }
    }
    if counts {
        for (_, table) in tables {
            add(table);
        }
    }
    all
}

/// A name from the value: `count`, `sum_amount`, the column.
fn own_name(value: &[Token], tables: &[(String, String)]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (at, token) in value.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        let is_call = value.get(at + 1) == Some(&Token::Sign('('));
        let qualifies = value.get(at + 1) == Some(&Token::Sign('.'));
        let is_alias = tables.iter().any(|(alias, _)| alias == word);
        let aggregates = ["avg", "count", "max", "min", "sum"].contains(&word.as_str());
        let says = if is_call {
            aggregates
        } else {
            !qualifies && !is_alias && !KEYWORDS.contains(&word.as_str())
        };
        if says && !parts.contains(&word.as_str()) && parts.len() < 4 {
            parts.push(word);
        }
    }
    if parts.is_empty() {
        return "value".to_owned();
    }
    parts.join("_")
}

/// The tables of a query, by the names that it uses for them.
pub(super) fn tables(tokens: &[Token]) -> Vec<(String, String)> {
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let mut all = Vec::new();
    for at in 0..tokens.len() {
        if !["from", "join"].contains(&word(at).unwrap_or_default()) {
            continue;
        }
        let mut last = at + 1;
        while tokens.get(last + 1) == Some(&Token::Sign('.')) {
            last += 2;
        }
        let Some(table) = word(last) else { continue };
        all.push((table.to_owned(), table.to_owned()));
        let alias = match word(last + 1) {
            Some("as") => word(last + 2),
            alias => alias,
        };
        all.extend(alias.map(|alias| (alias.to_owned(), table.to_owned())));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(sql: &str, question: &str, name: &str) -> Option<String> {
        let untested = crate::language::untested::untested(sql, question, true);
        let wrong = misnamed(sql, question, true, [name], &untested);
        wrong.into_iter().next().map(|(_, other)| other)
    }

    #[test]
    fn names_of_what_is_read_stay() {
        for (sql, question, name) in [
            (
                "SELECT COUNT(*) AS technicians FROM technician",
                "How many?",
                "technicians",
            ),
            (
                "SELECT COUNT(*) AS total FROM technician",
                "How many?",
                "total",
            ),
            (
                "SELECT COUNT(*) AS open_orders FROM workOrder WHERE status = 'open'",
                "How many?",
                "open_orders",
            ),
            (
                "SELECT c.name AS customer FROM customer c",
                "Who?",
                "customer",
            ),
            (
                "SELECT SUM(i.amount) total_amount FROM invoice i",
                "How much?",
                "total_amount",
            ),
            (
                "SELECT SUM(amount) AS total_revenue FROM invoice",
                "Our revenue?",
                "total_revenue",
            ),
            (
                "SELECT AVG(price) AS average_price FROM part",
                "",
                "average_price",
            ),
            (
                "SELECT 100.0 * SUM(paid) / COUNT(*) AS paid_share FROM invoice",
                "",
                "paid_share",
            ),
            (
                "SELECT DATE_FORMAT(day, '%Y-%m') AS month FROM visit",
                "",
                "month",
            ),
            ("SELECT MAX(created) AS latest FROM visit", "", "latest"),
            ("SELECT customerName FROM visit", "", "customerName"),
        ] {
            assert_eq!(other(sql, question, name), None, "{sql}");
        }
    }

    #[test]
    fn a_count_of_another_table_is_found() {
        let tables = ["customer", "invoice", "workOrder", "employee"];
        let another = |sql: &str, question: &str| counts_another(sql, question, true, tables);
        for (sql, question, table) in [
            (
                "SELECT COUNT(*) FROM invoice customers",
                "How many customers do we have?",
                "customer",
            ),
            (
                "SELECT COUNT(*) AS customers FROM invoice",
                "How many customers do we have?",
                "customer",
            ),
            (
                "SELECT COUNT(*) AS n FROM invoice",
                "How many customers are there?",
                "customer",
            ),
            (
                "SELECT COUNT(id) FROM employee WHERE id > 0",
                "How many open work orders are there?",
                "workOrder",
            ),
        ] {
            assert_eq!(another(sql, question), Some(table), "{sql}");
        }
        for (sql, question) in [
            (
                "SELECT COUNT(*) FROM customer",
                "How many customers do we have?",
            ),
            (
                "SELECT COUNT(DISTINCT customer_id) FROM invoice",
                "How many customers have invoices?",
            ),
            (
                "SELECT COUNT(*) FROM workOrder w",
                "How many work orders are open?",
            ),
            (
                "SELECT COUNT(*) FROM employee WHERE role = 'tech'",
                "How many technicians are there?",
            ),
            (
                "SELECT MIN(id) FROM invoice",
                "How many customers are there?",
            ),
            ("SELECT COUNT(*) FROM invoice", "Count the customers"),
            (
                "SELECT COUNT(*) FROM invoice",
                "How many invoices do the customers have?",
            ),
        ] {
            assert_eq!(another(sql, question), None, "{sql}");
        }
    }

    #[test]
    fn other_names_give_way() {
        for (sql, question, name, expected) in [
            (
                "SELECT MIN(issued) AS newest FROM invoice",
                "The newest invoice?",
                "newest",
                "min_issued",
            ),
            (
                "SELECT MIN(issued) AS newest_issued FROM invoice",
                "The newest issued invoice?",
                "newest_issued",
                "min_issued",
            ),
            (
                "SELECT AVG(amount) AS total_amount FROM invoice",
                "The total amount?",
                "total_amount",
                "avg_amount",
            ),
            (
                "SELECT COUNT(*) AS revenue FROM employee",
                "Our revenue?",
                "revenue",
                "count",
            ),
            (
                "SELECT COUNT(*) AS stolen_cars FROM employee",
                "How many?",
                "stolen_cars",
                "count",
            ),
            (
                "SELECT salary AS bonus FROM employee",
                "Bonus?",
                "bonus",
                "salary",
            ),
            (
                "SELECT e.salary bonus FROM employee e",
                "Pay?",
                "bonus",
                "salary",
            ),
            (
                "SELECT SUM(cost) AS profit FROM job",
                "Our profit?",
                "profit",
                "sum_cost",
            ),
            (
                "SELECT AVG(cost) AS total_cost FROM job",
                "Costs?",
                "total_cost",
                "avg_cost",
            ),
            (
                "SELECT MIN(cost) AS highest_cost FROM job",
                "",
                "highest_cost",
                "min_cost",
            ),
            (
                "SELECT COUNT(*) AS fired_employees FROM employee WHERE active = 1",
                "",
                "fired_employees",
                "count",
            ),
            (
                "WITH t AS (SELECT COUNT(*) AS revenue FROM employee) SELECT revenue FROM t",
                "",
                "revenue",
                "count",
            ),
            (
                "SELECT COUNT(*) AS active FROM employee WHERE inactive = 1",
                "",
                "active",
                "count",
            ),
        ] {
            assert_eq!(
                other(sql, question, name).as_deref(),
                Some(expected),
                "{sql}"
            );
        }
    }

    #[test]
    fn conditions_that_are_not_tested_are_in_no_name() {
        for (sql, question, name, expected) in [
            (
                "SELECT COUNT(*) AS unpaid_invoices FROM invoice",
                "How many unpaid invoices are there?",
                "unpaid_invoices",
                "count",
            ),
            (
                "SELECT COUNT(*) AS paid_invoices FROM invoice WHERE paid = 0",
                "How many?",
                "paid_invoices",
                "count",
            ),
            (
                "SELECT SUM(amount) AS open_amount FROM invoice",
                "The amount of open invoices?",
                "open_amount",
                "sum_amount",
            ),
        ] {
            assert_eq!(
                other(sql, question, name).as_deref(),
                Some(expected),
                "{sql}"
            );
        }
    }
}
