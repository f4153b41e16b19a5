//! `heliograph eval`.

mod accuracy;

use std::path::Path;

use anyhow::bail;
use sql_eval::{Dialect, Files};

use super::eval_retrieval;
use crate::cli::{EvalCommand, EvalSql, SqlDialect};
use crate::terminal;

/// Maximum number of reasons that are listed if nothing was measured.
const REASONS: usize = 3;

/// Runs an evaluation and prints its report.
pub(super) async fn run(folder: Option<&Path>, command: EvalCommand) -> anyhow::Result<()> {
    match command {
        EvalCommand::Sql(options) => sql(folder, options).await,
        EvalCommand::Retrieval(options) => eval_retrieval::run(folder, options).await,
    }
}

async fn sql(folder: Option<&Path>, options: EvalSql) -> anyhow::Result<()> {
    let files = Files {
        schemas: options.schemas.clone(),
        cases: options.cases.clone(),
        mutants: options.mutants.clone(),
        dialect: match options.dialect {
            SqlDialect::Mysql => Dialect::MySql,
            SqlDialect::Postgresql => Dialect::PostgreSql,
        },
    };
    let report = tokio::task::spawn_blocking(move || sql_eval::evaluate(&files)).await??;
    let accuracy = match &options.target_url {
        Some(url) => Some(accuracy::measure(folder, url, &options).await?),
        None => None,
    };
    if options.json {
        let mut summary = serde_json::to_value(report.summary())?;
        if let Some(accuracy) = accuracy {
            summary["execution"] = serde_json::to_value(accuracy)?;
        }
        terminal::say(serde_json::to_string_pretty(&summary)?);
    } else {
        terminal::write(&report.to_string());
        if let Some(accuracy) = accuracy {
            terminal::write(&accuracy.to_string());
        }
    }
    if options.verbose > 0 {
        terminal::write_note(&report.details(options.verbose));
    }
    if report.checks.statements == 0 {
        let reasons: Vec<String> = report
            .skipped
            .iter()
            .take(REASONS)
            .map(|line| format!("{} line {}: {}", line.file, line.line, line.reason))
            .collect();
        bail!(
            "no query was measured; {} unusable lines: {}",
            report.skipped.len(),
            reasons.join("; ")
        );
    }
    Ok(())
}
