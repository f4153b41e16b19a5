//! Execution accuracy: the configured model writes statements, and a target executes them and the
//! correct ones.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, bail};
use llm::{ChatModel, ChatRequest, Message, Models};
use orchestrator::program::Orchestrator;
use serde_json::Value;
use sql_eval::execution::{self, Accuracy, EvalQuestion};
use targets::{Catalogue, Target, TargetConfig, TargetError};

use crate::cli::EvalSql;
use crate::stack::load;
use crate::terminal;

/// Maximum number of rows of a compared result.
const MOST_ROWS: u64 = 10_000;
/// The tenant of the questions. The target is open to all tenants.
const TENANT: &str = "eval";

/// Asks the questions of one database at `url`.
pub(super) async fn measure(
    folder: Option<&Path>,
    url: &str,
    options: &EvalSql,
) -> anyhow::Result<Accuracy> {
    let config = load::<Orchestrator>(folder)?;
    let models = Models::from_config(&config.llm, service_kit::external_http_client()?)?
        .context("execution accuracy needs a model: set llm.provider of the orchestrator")?;
    let target = Target::new(TargetConfig {
        // The operator passed this address for a measurement.
        allow_writing_role: true,
        ..TargetConfig::new("eval", url)
    })?;
    let catalogue = target.catalogue().await?;
    let schema = described(&catalogue);
    let questions = chosen(options)?;
    let mut accuracy = Accuracy::default();
    for question in questions.iter().take(options.questions) {
        ask(&*models.chat(), &target, &schema, question, &mut accuracy).await?;
    }
    Ok(accuracy)
}

fn chosen(options: &EvalSql) -> anyhow::Result<Vec<EvalQuestion>> {
    let mut by_database = execution::questions(&options.cases)?;
    let db = match &options.target_db {
        Some(db) => db.clone(),
        None if by_database.len() > 1 => {
            let names: Vec<_> = by_database.keys().take(5).cloned().collect();
            bail!(
                "the cases have several databases ({}, …); choose one with --target-db",
                names.join(", ")
            )
        }
        None => by_database.keys().next().cloned().unwrap_or_default(),
    };
    by_database
        .remove(&db)
        .with_context(|| format!("the file has no questions about the database '{db}'"))
}

/// The tables with their columns and types, and the joins.
fn described(catalogue: &Catalogue) -> String {
    let mut text = String::new();
    for table in catalogue.tables.values() {
        let columns: Vec<_> = table
            .columns
            .iter()
            .map(|column| format!("{} {}", column.name, column.data_type))
            .collect();
        _ = writeln!(text, "{}({})", table.name, columns.join(", "));
    }
    for relationship in catalogue.graph.relationships() {
        _ = writeln!(text, "{relationship}");
    }
    text
}

async fn ask(
    model: &dyn ChatModel,
    target: &Target,
    schema: &str,
    question: &EvalQuestion,
    accuracy: &mut Accuracy,
) -> anyhow::Result<()> {
    let Outcome::Rows(correct) = run(target, &question.sql).await? else {
        accuracy.left_out += 1;
        return Ok(());
    };
    accuracy.questions += 1;
    let dialect = match target.dialect() {
        targets::Dialect::MySql => "MySQL",
        targets::Dialect::PostgreSql => "PostgreSQL",
    };
    let prompt = execution::prompt(dialect, schema, &question.question);
    let answer = model
        .complete(ChatRequest {
            messages: [Message::user(prompt)].into(),
            temperature: Some(0.0),
            ..ChatRequest::default()
        })
        .await;
    let text = match answer {
        Ok(answer) if !answer.message.text.trim().is_empty() => answer.message.text,
        Ok(_) => String::new(),
        Err(error) => {
            terminal::note(format!("{}: {error}", question.id));
            String::new()
        }
    };
    if text.is_empty() {
        accuracy.unanswered += 1;
        return Ok(());
    }
    match run(target, execution::statement(&text)).await? {
        Outcome::Rows(result) => {
            let ordered = execution::is_ordered(&question.sql);
            let verdict = execution::compare(&correct, &result, ordered);
            accuracy.exact += usize::from(verdict.exact);
            accuracy.subset += usize::from(verdict.subset);
        }
        Outcome::Refused => accuracy.refused += 1,
        Outcome::Failed => accuracy.failed += 1,
    }
    Ok(())
}

enum Outcome {
    Rows(Vec<Vec<Value>>),
    /// Rejected by the guard.
    Refused,
    /// Rejected by the database.
    Failed,
}

/// Checks and runs a statement. If the database is not reachable, the evaluation ends, because that
/// does not depend on the statement.
async fn run(target: &Target, sql: &str) -> Result<Outcome, TargetError> {
    let Ok(checked) = target.check(sql, TENANT, MOST_ROWS).await? else {
        return Ok(Outcome::Refused);
    };
    match target
        .run(&checked, &target.limits().with_max_rows(MOST_ROWS))
        .await
    {
        Ok(rows) => Ok(Outcome::Rows(
            rows.rows
                .into_iter()
                .map(|row| row.into_iter().map(|(_, value)| value).collect())
                .collect(),
        )),
        Err(error @ TargetError::Unavailable { .. }) => Err(error),
        Err(_) => Ok(Outcome::Failed),
    }
}
