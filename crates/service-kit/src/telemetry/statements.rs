//! Spans of the statements that a service runs on its own database, made from the events that sqlx
//! writes when a statement ends. So every query is traced, and none has code for it.
//!
//! A span says what a statement does and to which table. It has no text of the statement: what a
//! statement is composed of at run time could hold data.

use std::fmt;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{Span, SpanKind, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata};

/// The target of sqlx's events about statements.
const TARGET: &str = "sqlx::query";

/// Functions with the keyword FROM between their arguments.
const WITH_FROM: [&str; 4] = ["extract", "overlay", "substring", "trim"];

/// Creates the spans.
pub(super) struct Statements {
    tracer: SdkTracer,
}

/// Whether an event is about a statement.
pub(super) fn is_statement(metadata: &Metadata<'_>) -> bool {
    metadata.is_event() && metadata.target() == TARGET
}

impl Statements {
    pub(super) fn new(tracer: SdkTracer) -> Self {
        Self { tracer }
    }

    /// Exports a span of the statement that has just ended, below the current span. Statements of
    /// no request and no run, which look for work every few seconds, are not traced.
    pub(super) fn export(&self, event: &Event<'_>) {
        let context = Context::current();
        if !context.span().span_context().is_sampled() {
            return;
        }
        let mut ended = Ended::default();
        event.record(&mut ended);
        let Summary { operation, table } = summary(ended.text());
        let name = match &table {
            Some(table) => format!("{operation} {table}"),
            None => operation.clone(),
        };
        let mut attributes = vec![
            KeyValue::new("db.system.name", "postgresql"),
            KeyValue::new("db.operation.name", operation),
            KeyValue::new("db.query.summary", name.clone()),
        ];
        attributes.extend(table.map(|table| KeyValue::new("db.collection.name", table)));
        if let Ok(rows) = i64::try_from(ended.rows) {
            attributes.push(KeyValue::new("db.response.returned_rows", rows));
        }
        let end = SystemTime::now();
        let start = end.checked_sub(ended.elapsed).unwrap_or(end);
        let mut span = self
            .tracer
            .span_builder(name)
            .with_kind(SpanKind::Client)
            .with_start_time(start)
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &context);
        span.end_with_timestamp(end);
    }
}

/// The fields of an event.
#[derive(Default)]
struct Ended {
    /// The first words of the statement.
    first_words: String,
    /// The whole statement; empty if those are all.
    statement: String,
    rows: u64,
    elapsed: Duration,
}

impl Ended {
    fn text(&self) -> &str {
        if self.statement.trim().is_empty() {
            &self.first_words
        } else {
            &self.statement
        }
    }
}

impl Visit for Ended {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.first_words),
            "db.statement" => value.clone_into(&mut self.statement),
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "rows_returned" {
            self.rows = value;
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.elapsed = Duration::try_from_secs_f64(value).unwrap_or_default();
        }
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn fmt::Debug) {}
}

/// A statement without its values.
#[derive(Debug, PartialEq, Eq)]
struct Summary {
    /// Its first keyword, in upper case.
    operation: String,
    /// The first table that it names.
    table: Option<String>,
}

fn summary(sql: &str) -> Summary {
    let mut operation = String::new();
    // The words before the parentheses that are open, and the word before this place.
    let (mut open, mut before) = (Vec::new(), String::new());
    let mut table_follows = false;
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("--") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
        } else if is_word(first) {
            let (word, after) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
            let lower = word.to_ascii_lowercase();
            let calls = before == "from" && after.starts_with('(');
            if table_follows && lower != "only" && !calls {
                let table = Some(word.replace('"', ""));
                return Summary { operation, table };
            }
            let reads_or_writes =
                matches!(lower.as_str(), "select" | "insert" | "update" | "delete");
            if operation.is_empty() || operation == "WITH" && reads_or_writes {
                operation = word.to_ascii_uppercase();
            }
            table_follows = match lower.as_str() {
                "from" => open
                    .last()
                    .is_none_or(|of| !WITH_FROM.contains(&String::as_str(of))),
                "into" => true,
                "only" => table_follows,
                // Not `FOR UPDATE`, `FOR NO KEY UPDATE` and `DO UPDATE`.
                "update" => !matches!(before.as_str(), "for" | "key" | "do"),
                _ => false,
            };
            (before, rest) = (lower, after);
        } else {
            match first {
                '(' => open.push(std::mem::take(&mut before)),
                ')' => drop(open.pop()),
                '\'' => {
                    let text = rest.trim_start_matches('\'');
                    let end = text.find('\'').unwrap_or(text.len());
                    rest = text.get(end..).unwrap_or_default();
                }
                _ => {}
            }
            table_follows = false;
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
        rest = rest.trim_start();
    }
    Summary {
        operation,
        table: None,
    }
}

/// Whether a character is part of a keyword or of a name with its schema.
fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_the_operation_and_the_first_table() {
        for (sql, operation, table) in [
            (
                "SELECT a, b FROM tools.daily WHERE c = 'from x'",
                "SELECT",
                Some("tools.daily"),
            ),
            (
                "-- What it answers: from where?\nSELECT 1 FROM \"bff\".\"accounts\"",
                "SELECT",
                Some("bff.accounts"),
            ),
            (
                "INSERT INTO orchestrator.runs (id) SELECT 1 FROM x",
                "INSERT",
                Some("orchestrator.runs"),
            ),
            (
                "UPDATE orchestrator.runs SET a = $1",
                "UPDATE",
                Some("orchestrator.runs"),
            ),
            (
                "DELETE FROM ONLY bff.sessions",
                "DELETE",
                Some("bff.sessions"),
            ),
            (
                "SELECT extract(epoch FROM r.at) FROM tools.readings r FOR UPDATE",
                "SELECT",
                Some("tools.readings"),
            ),
            (
                "SELECT u FROM unnest($1::text[]) AS u JOIN x ON true",
                "SELECT",
                None,
            ),
            (
                "SELECT u FROM (SELECT 1 FROM a.b) AS u",
                "SELECT",
                Some("a.b"),
            ),
            (
                "WITH due AS (UPDATE a.jobs SET x = 1 RETURNING *) SELECT 1 FROM due",
                "UPDATE",
                Some("a.jobs"),
            ),
            ("SELECT 'it''s from here' AS \"from\"", "SELECT", None),
            ("SELECT 'open", "SELECT", None),
            ("BEGIN", "BEGIN", None),
            ("", "", None),
        ] {
            let expected = Summary {
                operation: operation.to_owned(),
                table: table.map(ToOwned::to_owned),
            };
            assert_eq!(summary(sql), expected, "{sql}");
        }
    }
}
