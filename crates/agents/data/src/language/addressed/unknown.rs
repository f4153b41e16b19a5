//! The name of a database that does not exist: "in shop: how many …", "in the shop database".

use std::sync::LazyLock;

use regex::Regex;

use super::super::names::{mentions, stems, words};

/// A name before a colon with which the message begins. Names of databases are in lower case.
static LEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^\s*(?:(?i:please)\s+)?(?P<place>(?i:in|from|on|using|ask|within)\s+(?:(?i:the|our|my)\s+)?)?["“`]?(?P<name>[a-z0-9][a-z0-9_-]*)["”`]?\s*:\s*(?P<rest>\S.*)"#,
    )
    .ok()
});

/// A name beside the word "database".
static BESIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)\b(?:in|from|on|using|ask|within|at)\s+(?:the\s+|our\s+|my\s+)?(?:(?:database|db)\s+["“`](?P<quoted>[\w-]+)["”`]|["“`]?(?P<name>[\w-]+)["”`]?\s+(?:database|db)\b)"#,
    )
    .ok()
});

/// Words with which a question begins: what is before a colon is a name then.
const ASKING: [&str; 24] = [
    "how", "which", "what", "who", "when", "where", "list", "show", "count", "give", "select",
    "with", "top", "are", "is", "do", "does", "wie", "welche", "welcher", "was", "wer", "zeige",
    "liste",
];

/// Words before a colon, or before "database", that name none.
const NO_NAMES: [&str; 66] = [
    "question",
    "note",
    "ps",
    "hint",
    "example",
    "task",
    "todo",
    "query",
    "sql",
    "test",
    "urgent",
    "important",
    "please",
    "hi",
    "hello",
    "hey",
    "ok",
    "okay",
    "again",
    "next",
    "also",
    "so",
    "and",
    "but",
    "btw",
    "fyi",
    "q",
    "total",
    "general",
    "short",
    "detail",
    "addition",
    "particular",
    "words",
    "summary",
    "english",
    "german",
    "euro",
    "eur",
    "percent",
    "all",
    "this",
    "that",
    "same",
    "other",
    "whole",
    "entire",
    "current",
    "main",
    "right",
    "wrong",
    "default",
    "which",
    "any",
    "each",
    "every",
    "a",
    "one",
    "business",
    "company",
    "the",
    "our",
    "my",
    "your",
    "summer",
    "winter",
];

/// Months and days of the week.
const TIMES: [&str; 21] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "spring",
    "autumn",
];

/// The name that a message gives a database, if no database has it. `names` are those that exist,
/// `tables` their tables, `about` their descriptions.
pub(crate) fn unknown(
    text: &str,
    names: &[&str],
    tables: &[&str],
    about: &[&str],
) -> Option<String> {
    let leading = LEADING.as_ref()?.captures(text).and_then(|found| {
        let rest = words(&found["rest"]);
        let asks = rest.first().is_some_and(|first| ASKING.contains(&&**first));
        let is_placed = found.name("place").is_some();
        (is_placed || asks).then(|| found["name"].to_owned())
    });
    let beside = || {
        let found = BESIDE.as_ref()?.captures(text)?;
        let name = found.name("quoted").or(found.name("name"))?;
        Some(name.as_str().to_owned())
    };
    let name = leading.or_else(beside)?;
    let lower = name.to_lowercase();
    let said = stems(&name);
    let plain = |name: &str| words(name).concat();
    let is_known = names.iter().any(|known| plain(known) == plain(&name))
        || tables.iter().any(|table| mentions(&said, table))
        || about.iter().any(|about| {
            let about = stems(about);
            said.iter().all(|word| about.contains(word))
        });
    let is_name = lower.contains(char::is_alphabetic)
        && !NO_NAMES.contains(&&*lower)
        && !TIMES.contains(&&*lower);
    (is_name && !is_known).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_database_has_is_found_where_a_name_stands() {
        let about = ["Jobs and customers", "Stock, parts and suppliers"];
        for (text, name) in [
            ("in laden: how many customers are there?", Some("laden")),
            ("laden: how many customers are there?", Some("laden")),
            ("Please ask laden-2: list all crews", Some("laden-2")),
            ("How many crews are in the Laden database?", Some("Laden")),
            (
                "How many crews are in the database \u{201c}laden\u{201d}?",
                Some("laden"),
            ),
            ("in laden: SELECT * FROM crew", Some("laden")),
            ("in field-service: how many crews are there?", None),
            ("in fieldservice: how many crews are there?", None),
            ("crews: how many are there?", None),
            ("How many crews are in the customer database?", None),
            ("in 2026: how many crews were there?", None),
            ("in march: how many crews were there?", None),
            ("In Berlin: how many crews are there?", None),
            ("note: the crews are many", None),
            ("question: how many crews are there?", None),
            ("How many crews are in this database?", None),
        ] {
            let found = unknown(text, &["fieldservice", "warehouse"], &["crew"], &about);
            assert_eq!(found.as_deref(), name, "{text}");
        }
    }
}
