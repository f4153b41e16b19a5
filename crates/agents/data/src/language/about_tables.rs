//! Questions about the database itself: which tables there are, and what columns one has.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::pattern;

/// A question about the database itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AboutTables {
    /// Which tables there are.
    Tables,
    /// Which tables there are in the schema or database of this name.
    TablesOf(String),
    /// Which databases there are.
    Databases,
    /// The columns of what is named so.
    Columns(String),
    /// The tables that have a column of this name.
    Having(String),
    /// The same, if that is a table: "describe" is said of much else.
    Describe(String),
}

/// The beginning of a request for a list.
const REQUEST: &str = r"(?:(?:please|hi|hello|hey)\W+)*(?:(?:can|could|would)\s+you\s+(?:please\s+)?)?(?:(?:show|list|give|tell|display|print|name)(?:\s+(?:me|us))?\s+)?(?:(?:a|the)\s+)?(?:list\s+of\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+|your\s+|our\s+|my\s+)?(?:available\s+|database\s+|db\s+|names\s+of\s+(?:the\s+|all\s+)*)?";

static TABLES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?ix)^\W*(?:
            (?:which|what|how\s+many)\s+(?:database\s+|other\s+)?tables(?:\s+(?:do\s+(?:you|we|i)\s+have|are\s+there|there\s+are|exist|can\s+(?:i|you|we)\s+(?:ask|query|use|see|read)(?:\s+about)?|do\s+you\s+(?:know|see)|are\s+(?:available|in\s+(?:the|this|your)\s+(?:database|db|system))|does\s+(?:it|the\s+database)\s+have))?
          | {REQUEST}tables(?:\s+(?:you\s+have|there\s+are|we\s+have|that\s+exist|please|you\s+know|in\s+(?:the|this|your)\s+(?:database|db)))*
          | what(?:['’]s|\s+is)\s+in\s+(?:the|this|your)\s+(?:database|db)
          | what\s+data\s+(?:do\s+(?:you|we|i)\s+have|is\s+there|are\s+there|can\s+i\s+ask\s+(?:about|for))
          | {REQUEST}(?:database\s+)?schema
        )(?:\s+(?:are\s+)?(?:there\s+)?(?:in|of|from)\s+(?:the\s+)?(?:(?:database|db|schema)\s+)?(?P<place>[\w-]+)(?:\s+(?:database|db|schema))?)?\W*$",
    ))
});

static DATABASES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)^\W*(?:(?:which|what|how\s+many)\s+(?:databases|data\s+sources|targets)(?:\s+(?:do\s+(?:you|we|i)\s+have|are\s+there|there\s+are|exist|can\s+(?:i|you|we)\s+(?:ask|query|use)|do\s+you\s+know|are\s+(?:available|connected)))?
        |(?:please\s+)?(?:show|list)(?:\s+me)?(?:\s+all)?(?:\s+the|\s+your)?\s+databases)\W*$",
    )
});

/// The name of a table in these questions.
const NAME: &str = r#"["'`“”]?(?P<name>[\w.]+(?:[\s-]\w+){0,3}?)["'`“”]?"#;

static COLUMNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let what = r"(?:columns?|fields?|attributes)";
    let table = r"(?:the\s+)?(?:table\s+)?";
    let begins = r"(?i)^\W*(?:(?:please|hi|hello|hey)\W+)*(?:(?:can|could|would)\s+you\s+)?";
    let ends = r"(?:\s+table)?(?:\s+(?:have|has|got|contain|please))?\W*$";
    [
        // What columns has invoice? Which fields does the table invoice have? What columns are in
        // invoice?
        format!(r"{begins}(?:which|what|how\s+many)\s+{what}\s+(?:has|have|does|do|are\s+(?:there\s+)?(?:in|of)|of|in|belong\s+to)\s+{table}{NAME}{ends}"),
        // Show me the columns of invoice. The columns in invoice?
        format!(r"{begins}(?:(?:show|list|give|tell|display|what\s+are|name)\s+)?(?:(?:me|us)\s+)?(?:all\s+)?(?:the\s+)?(?:(?:names|list)\s+of\s+(?:the\s+)?)?(?:{what}|structure|schema|definition|layout)\s+(?:of|in|from|for)\s+{table}{NAME}{ends}"),
        // What does the table invoice contain? What is in the table invoice?
        format!(r"{begins}what(?:\s+does|\s+is\s+in|['’]s\s+in)\s+(?:the\s+)?table\s+{NAME}{ends}"),
        // Is there a table for invoices? Does the database have a table called invoice?
        format!(r"{begins}(?:is\s+there|are\s+there|do\s+(?:you|we)\s+have|does\s+(?:it|the\s+(?:database|db))\s+have|have\s+you\s+got)\s+(?:an?|any)\s+tables?\s+(?:for|called|named|of|about)\s+(?:the\s+|our\s+)?{NAME}{ends}"),
        // Describe the table invoice.
        format!(r"{begins}(?:describe|desc|explain)\s+(?:the\s+)?table\s+{NAME}{ends}"),
    ]
    .iter()
    .filter_map(|text| Regex::new(text).ok())
    .collect()
});

static DESCRIBE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)^\W*(?:please\s+)?(?:describe|desc)\s+(?:the\s+)?{NAME}(?:\s+table)?\s*;?\W*$"
    ))
});

/// Questions for the tables that have a column, as "which tables have a `customer_id`?"
static HAVING: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let begins = r"(?i)^\W*(?:(?:please|hi|hello|hey)\W+)*(?:(?:can|could|would)\s+you\s+)?(?:(?:show|list|give|tell|display|name)\s+)?(?:(?:me|us)\s+)?(?:(?:which|what|all|the)\s+)*";
    let quote = r#"["'`“”]?"#;
    [
        format!(
            r"{begins}tables?\s+(?:that\s+|which\s+)?(?:have|has|contain|contains|containing|having|with|hold|include)\s+(?:(?:an?|the|some)\s+)?(?:(?:column|field|attribute)s?\s+(?:(?:named|called)\s+)?){quote}(?P<name>\w+){quote}\W*$"
        ),
        format!(
            r"{begins}tables?\s+(?:that\s+|which\s+)?(?:have|has|contain|contains|containing|having|with|hold|include)\s+(?:(?:an?|the|some)\s+)?{quote}(?P<name>\w+){quote}\s+(?:columns?|fields?)\W*$"
        ),
        format!(
            r"{begins}tables?\s+(?:that\s+|which\s+)?(?:have|has|contain|contains|containing|having|with|hold|include)\s+(?:(?:an?|the|some)\s+)?(?P<name>\w+)\W*$"
        ),
        format!(
            r"(?i)^\W*(?:where\s+is|in\s+which\s+tables?\s+is|which\s+tables?\s+is)\s+(?:the\s+)?(?:column|field)\s+{quote}(?P<name>\w+){quote}(?:\s+in)?\W*$"
        ),
    ]
    .iter()
    .filter_map(|text| Regex::new(text).ok())
    .collect()
});

/// Whether a place is the database that is asked anyway.
fn is_general(place: &str) -> bool {
    [
        "database", "db", "schema", "system", "there", "it", "total", "all",
    ]
    .iter()
    .any(|word| place.eq_ignore_ascii_case(word))
}

/// The question of a message about the database itself; `None` when it asks about its contents.
pub(crate) fn asked(text: &str) -> Option<AboutTables> {
    let is = |pattern: &LazyLock<Option<Regex>>| {
        pattern
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(text))
    };
    if text.len() > 200 {
        return None;
    }
    if is(&DATABASES) {
        return Some(AboutTables::Databases);
    }
    if let Some(found) = COLUMNS.iter().find_map(|pattern| pattern.captures(text)) {
        return Some(AboutTables::Columns(found["name"].trim().to_owned()));
    }
    if let Some(found) = HAVING.iter().find_map(|pattern| pattern.captures(text)) {
        return Some(AboutTables::Having(found["name"].to_owned()));
    }
    if let Some(found) = TABLES.as_ref().and_then(|pattern| pattern.captures(text)) {
        let place = found.name("place").map(|place| place.as_str().to_owned());
        let place = place.filter(|place| !is_general(place));
        return Some(place.map_or(AboutTables::Tables, AboutTables::TablesOf));
    }
    let described = DESCRIBE.as_ref()?.captures(text)?;
    Some(AboutTables::Describe(described["name"].trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_asked_for_by_its_name() {
        for text in [
            "does the database have a table for invoices?",
            "Is there a table called invoices?",
            "do we have any table about the invoices",
        ] {
            let columns = AboutTables::Columns("invoices".to_owned());
            assert_eq!(asked(text), Some(columns), "{text}");
        }
        assert_eq!(asked("is there a customer in Bonn?"), None);
    }

    #[test]
    fn tables_and_databases_are_asked_for_in_many_words() {
        for text in [
            "which tables do you have?",
            "What tables are there",
            "show me a list of tables",
            "Show me all tables",
            "list tables",
            "show tables;",
            "tables",
            "Please list all the tables in the database",
            "how many tables are there?",
            "what's in the database?",
            "What data do you have?",
            "could you show me the tables?",
            "show the database schema",
        ] {
            assert_eq!(asked(text), Some(AboutTables::Tables), "{text}");
        }
        for (text, place) in [
            ("Which tables are in the warehouse database?", "warehouse"),
            ("which tables are there in sales?", "sales"),
            ("which tables are in the sales schema?", "sales"),
            ("list the tables of schema sales", "sales"),
        ] {
            let tables = AboutTables::TablesOf(place.to_owned());
            assert_eq!(asked(text), Some(tables), "{text}");
        }
        for text in [
            "Which databases do you have?",
            "list all databases",
            "what databases are there",
        ] {
            assert_eq!(asked(text), Some(AboutTables::Databases), "{text}");
        }
    }

    #[test]
    fn the_columns_of_a_table_are_asked_for_in_many_words() {
        for (text, name) in [
            ("what columns has invoice?", "invoice"),
            ("Which columns does the table invoice have?", "invoice"),
            ("which fields are in the invoice table", "invoice"),
            ("show me the columns of workOrder", "workOrder"),
            ("columns of work orders", "work orders"),
            (
                "what are the columns of the table \"work_order\"?",
                "work_order",
            ),
            ("describe table invoice", "invoice"),
            ("show columns from invoice", "invoice"),
            ("Show me the structure of invoice", "invoice"),
            ("What does the table invoice contain?", "invoice"),
        ] {
            assert_eq!(
                asked(text),
                Some(AboutTables::Columns(name.to_owned())),
                "{text}"
            );
        }
        let describe = AboutTables::Describe("invoice".to_owned());
        assert_eq!(asked("describe invoice"), Some(describe.clone()));
        assert_eq!(asked("DESC invoice;"), Some(describe));
    }

    #[test]
    fn the_tables_that_have_a_column_are_asked_for() {
        for (text, name) in [
            ("which tables have a customer_id?", "customer_id"),
            ("Which tables contain customerId", "customerId"),
            ("show me all tables with a column called city", "city"),
            ("what tables have a \u{201c}city\u{201d} column?", "city"),
            ("where is the column crewId?", "crewId"),
        ] {
            let expected = Some(AboutTables::Having(name.to_owned()));
            assert_eq!(asked(text), expected, "{text}");
        }
    }

    #[test]
    fn questions_about_rows_are_none_of_these() {
        for text in [
            "List all customers",
            "How many invoices are there?",
            "Which tables were sold last week in Bonn by Anna?",
            "Show me the tables with more than four legs",
            "What data do you have on Kaiser?",
            "Which databases of the customer are down since yesterday?",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
    }
}
