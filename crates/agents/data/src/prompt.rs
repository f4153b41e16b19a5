//! The requests to a model on the way to rows: texts under `prompts/`, filled in, and the material
//! as JSON, within the limit of tokens.

use contracts::tools::sql::{BeyondTree, JoinEdge, PlannedJoin, SqlDialect, TableDescription};
use llm::{ChatRequest, Message, ResponseFormat};
use serde_json::{Map, Value, json};

use crate::{
    language::statement::without_language,
    run::Run,
    state::{AnsweredQuery, Work},
};

/// Fills a blank.
pub(crate) fn fill(template: &str, name: &str, value: &str) -> String {
    template.replace(&format!("{{{{{name}}}}}"), value)
}

/// Fills in the day.
pub(crate) fn dated(template: &str, run: &Run) -> String {
    let today = run.now.date_naive();
    let prompt = fill(template, "today", &today.to_string());
    fill(&prompt, "weekday", &today.format("%A").to_string())
}

/// Instructions for writing SQL.
pub(crate) fn sql(template: &str, run: &Run, dialect: Option<SqlDialect>) -> String {
    let prompt = dated(template, run);
    let dialect = match dialect {
        Some(SqlDialect::Postgresql) => "PostgreSQL",
        Some(SqlDialect::Mysql) | None => "MySQL",
    };
    let prompt = fill(&prompt, "dialect", dialect);
    fill(
        &prompt,
        "max_rows",
        &run.assistant.settings.limits.max_query_rows.to_string(),
    )
}

/// The amount of material in a request; each level less than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detail {
    pub(crate) samples: bool,
    pub(crate) examples: bool,
    pub(crate) comments: bool,
    /// One in this many of the columns, tables and relationships, the first.
    pub(crate) share: usize,
}

const DETAILS: [Detail; 9] = {
    let all = Detail {
        samples: true,
        examples: true,
        comments: true,
        share: 1,
    };
    let no_samples = Detail {
        samples: false,
        ..all
    };
    let no_comments = Detail {
        comments: false,
        ..no_samples
    };
    let no_examples = Detail {
        examples: false,
        ..no_comments
    };
    [
        all,
        no_samples,
        no_comments,
        no_examples,
        Detail {
            share: 2,
            ..no_examples
        },
        Detail {
            share: 4,
            ..no_examples
        },
        Detail {
            share: 8,
            ..no_examples
        },
        Detail {
            share: 32,
            ..no_examples
        },
        Detail {
            share: 1000,
            ..no_examples
        },
    ]
};

impl Detail {
    /// The number of items that are left of `count`.
    pub(crate) fn of(self, count: usize) -> usize {
        count.div_ceil(self.share)
    }
}

/// The request with the most detail that stays within the limit of tokens; the one with the least
/// if none does.
pub(crate) fn within(
    max_tokens: usize,
    system: &str,
    format: ResponseFormat,
    material: impl Fn(Detail) -> Value,
) -> ChatRequest {
    let mut text = String::new();
    for detail in DETAILS {
        text = material(detail).to_string();
        if tokens(system) + tokens(&text) <= max_tokens {
            break;
        }
    }
    ChatRequest {
        system: Some(system.into()),
        messages: [Message::user(text)].into(),
        response: format,
        ..ChatRequest::default()
    }
}

/// About how many tokens a text has: a quarter of its characters.
pub(crate) fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// An answer that is an object with these members, all of them required, as some providers demand.
pub(crate) fn object(name: &str, members: &[(&str, Value)]) -> ResponseFormat {
    let properties: Map<String, Value> = members
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    let required: Vec<_> = members.iter().map(|(name, _)| *name).collect();
    ResponseFormat::Json {
        name: name.to_owned(),
        schema: json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false }),
    }
}

/// Tables as a model reads them.
pub(crate) fn tables(schemas: &[TableDescription], columns: usize, detail: Detail) -> Value {
    let told = schemas
        .iter()
        .take(detail.of(schemas.len()).max(1))
        .map(|table| {
            let columns: Vec<_> = table
                .columns
                .iter()
                .take(detail.of(columns.min(table.columns.len())))
                .map(|column| {
                    let mut text = format!("{} {}", column.name, column.data_type);
                    if column.unique {
                        text.push_str(" unique");
                    }
                    match &column.description {
                        Some(comment) if detail.comments => format!("{text} -- {comment}"),
                        _ => text,
                    }
                })
                .collect();
            let mut told = json!({ "name": table.name, "columns": columns });
            if let Some(comment) = table.description.as_ref().filter(|_| detail.comments) {
                told["about"] = json!(comment);
            }
            if detail.samples && !table.samples.is_empty() {
                told["samples"] = json!(table.samples);
            }
            told
        });
    Value::Array(told.collect())
}

/// Relationships as a model reads them.
pub(crate) fn relationships<'a>(
    edges: impl IntoIterator<Item = &'a JoinEdge>,
    most: usize,
    detail: Detail,
) -> Vec<String> {
    edges
        .into_iter()
        .take(detail.of(most))
        .map(|edge| {
            let guess = if edge.guessed { ", a guess" } else { "" };
            format!("{} ({}{guess})", join(edge), edge.cardinality)
        })
        .collect()
}

/// `workOrder.customerId = customer.id`; all pairs of a composite key, with AND.
pub(crate) fn join(edge: &JoinEdge) -> String {
    edge.condition()
}

/// The thread's newest queries as a model reads them.
pub(crate) fn earlier(queries: &[AnsweredQuery]) -> Vec<Value> {
    queries
        .iter()
        .map(|query| {
            json!({ "question": query.question, "sql": query.sql, "columns": query.columns, "rows": query.rows })
        })
        .collect()
}

/// The plan in words.
pub(crate) fn plan(work: &Work) -> Vec<String> {
    work.plan
        .steps
        .iter()
        .map(|step| format!("{}{}", join(&step.edge), beyond(step)))
        .collect()
}

/// The purpose of a join between tables that are joined already, behind the join.
fn beyond(step: &PlannedJoin) -> String {
    match step.beyond {
        None => String::new(),
        Some(BeyondTree::Role) => format!(
            " ({} once more, under another alias, in another role)",
            step.edge.to_table
        ),
        Some(BeyondTree::Condition) => " (one more condition, joined by AND)".to_owned(),
    }
}

/// The plan as a person reads it.
pub(crate) fn plan_for_people(work: &Work) -> Vec<String> {
    work.plan
        .steps
        .iter()
        .map(|step| format!("{}{}", told(&step.edge), beyond(step)))
        .collect()
}

/// A join as a person reads it: one without a declared key says so.
pub(crate) fn told(edge: &JoinEdge) -> String {
    let join = join(edge);
    if !edge.guessed {
        return join;
    }
    let why = edge.why.as_deref().unwrap_or("by names");
    format!("{join} (a guess: {why})")
}

/// The object in a model's answer; small models put words or a fence around it.
pub(crate) fn object_in(text: &str) -> Option<Map<String, Value>> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    serde_json::from_str(text.get(start..=end)?).ok()
}

/// The query in a model's answer: in an object, in a fence, or bare; and the question in other
/// words, if it is there.
pub(crate) fn query_in(text: &str) -> Option<(String, Option<String>)> {
    if let Some(object) = object_in(text)
        && let Some(sql) = object.get("sql")
    {
        let question = object
            .get("question")
            .and_then(Value::as_str)
            .map(|question| question.trim().to_owned())
            .filter(|question| !question.is_empty());
        return Some((cleaned(sql.as_str()?)?, question));
    }
    let fenced = text.split("```").skip(1).step_by(2).map(without_language);
    let mut found = fenced.filter_map(cleaned);
    let sql = found
        .next()
        .or_else(|| cleaned(text))
        .or_else(|| cleaned(in_prose(text)?))?;
    Some((sql, None))
}

/// How a statement begins that is not a read; the guard refuses it by what it is.
const OTHERS: [&str; 8] = [
    "delete from ",
    "update ",
    "insert into ",
    "drop ",
    "alter ",
    "truncate ",
    "create ",
    "replace into ",
];

/// The query without what is around it, if it looks like a statement.
fn cleaned(text: &str) -> Option<String> {
    let sql = text.trim().trim_end_matches([';', ' ', '\n', '\r', '\t']);
    let first: String = sql
        .trim_start_matches('(')
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect();
    let lower = sql.to_lowercase();
    let begins = first.eq_ignore_ascii_case("select")
        || first.eq_ignore_ascii_case("with") && lower.contains("select")
        || OTHERS.iter().any(|begin| lower.starts_with(begin));
    (begins || sql.starts_with("--") || sql.starts_with("/*")).then(|| sql.to_owned())
}

/// The query between sentences: from a line, or what follows a colon, that begins with SELECT or
/// `WITH … AS (`, up to a semicolon or an empty line.
fn in_prose(text: &str) -> Option<&str> {
    let begins = |rest: &str| {
        let rest = rest.trim_start_matches('(').to_lowercase();
        let mut words = rest.split_whitespace();
        match words.next() {
            Some("select") => {
                rest.contains(" from ") || rest.contains("\nfrom ") || !rest.contains(". ")
            }
            Some("with") => {
                let head: String = rest.chars().take(200).collect();
                head.contains(" as (") || head.contains(" as\n(")
            }
            _ => false,
        }
    };
    let starts = text.char_indices().filter(|(at, c)| {
        let before = text[..*at].trim_end_matches([' ', '\t', '(']);
        c.is_alphabetic() && (before.is_empty() || before.ends_with(['\n', ':']))
    });
    let start = starts.map(|(at, _)| at).find(|at| begins(&text[*at..]))?;
    let query = &text[start..];
    let ends = [query.find(';'), query.find("\n\n"), query.find("\r\n\r\n")];
    let end = ends.into_iter().flatten().min().unwrap_or(query.len());
    query.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_found_in_an_object_a_fence_or_alone() {
        for text in [
            r#"{"sql": "SELECT 1;", "question": ""}"#,
            "Here it is:\n```json\n{\"sql\": \"SELECT 1\"}\n```",
            "```sql\nSELECT 1;\n```",
            "```\nSELECT 1\n```\nThat is it.",
            "SELECT 1 ;\n",
        ] {
            assert_eq!(
                query_in(text),
                Some(("SELECT 1".to_owned(), None)),
                "{text}"
            );
        }
        for text in [
            "Here is the query:\nSELECT 1",
            "This counts them: SELECT 1;\nIt is short.",
            "I thought about it.\n\nSELECT 1\n\nThat gives one row.",
            "First some JSON: {\"a\": 1}\n```sql\nSELECT 1;\n```",
        ] {
            assert_eq!(
                query_in(text),
                Some(("SELECT 1".to_owned(), None)),
                "{text}"
            );
        }
        // The guard says what is wrong with these.
        for text in ["DROP TABLE x", "```sql\nDELETE FROM x;\n```"] {
            assert!(query_in(text).is_some(), "{text}");
        }
        for text in [
            "I cannot do that.",
            r#"{"sql": null}"#,
            "",
            "With these tables it cannot be done.",
            "You could select the customers yourself.",
            r#"{"sql": ""}"#,
            r#"{"sql": "SELECT 1 FRO"#,
        ] {
            assert_eq!(query_in(text), None, "{text}");
        }
        let (_, question) =
            query_in(r#"{"sql": "WITH x AS (SELECT 1) SELECT * FROM x", "question": "What?"}"#)
                .unwrap();
        assert_eq!(question.as_deref(), Some("What?"));
    }

    #[test]
    fn a_request_is_cut_to_the_limit_of_tokens() {
        let material = |detail: Detail| json!({ "text": "x".repeat(detail.of(40_000)) });
        let request = |limit| {
            let request = within(limit, "system", ResponseFormat::Text, material);
            match &request.messages[0] {
                Message::User { text } => tokens(text),
                other => panic!("{other:?}"),
            }
        };
        assert!(request(120_000) > 10_000);
        assert!((2_500..6_000).contains(&request(6_000)));
        assert!(request(500) <= 500);
    }
}
