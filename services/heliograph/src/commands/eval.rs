//! `heliograph eval`.

use std::path::Path;

use sql_eval::{Dialect, Files};

use super::eval_retrieval;
use crate::cli::{EvalCommand, EvalSql, SqlDialect};
use crate::terminal;

/// Measures, and tells what came of it.
pub(super) async fn run(folder: Option<&Path>, command: EvalCommand) -> anyhow::Result<()> {
    match command {
        EvalCommand::Sql(options) => sql(options).await,
        EvalCommand::Retrieval(options) => eval_retrieval::run(folder, options).await,
    }
}

async fn sql(options: EvalSql) -> anyhow::Result<()> {
    let files = Files {
        schemas: options.schemas,
        cases: options.cases,
        mutants: options.mutants,
        dialect: match options.dialect {
            SqlDialect::Mysql => Dialect::MySql,
            SqlDialect::Postgresql => Dialect::PostgreSql,
        },
    };
    let report = tokio::task::spawn_blocking(move || sql_eval::evaluate(&files)).await??;
    if options.json {
        terminal::say(serde_json::to_string_pretty(&report.summary())?);
    } else {
        terminal::write(&report.to_string());
    }
    if options.verbose > 0 {
        terminal::write_note(&report.details(options.verbose));
    }
    Ok(())
}
