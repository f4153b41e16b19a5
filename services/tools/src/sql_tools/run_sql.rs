//! `run_sql`: the guard, the estimate, the query, each with its own outcome.

use contracts::tools::sql::{ResultColumn, RunSqlArguments, SqlCut, SqlOutcome, SqlRun, ValueKind};
use contracts::tools::{ToolEnvelope, ToolStatus};
use service_kit::identity::Identity;
use targets::{Checked, Cut, Finding, Rows, Target, TargetError};

use super::{
    SqlTools, asker, busy, count, findings, message_of, person_of, words_for_person, words_of,
};
use crate::error::Error;
use crate::metrics::read_rows;

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: RunSqlArguments,
) -> Result<ToolEnvelope<SqlRun>, Error> {
    let tenant = &caller.tenant;
    let target = tools.target(tenant, arguments.target.as_deref()).await?;
    let limits = target.limits().with_max_rows(arguments.max_rows.into());
    let mut looked_again = false;
    loop {
        let catalogue = match target.catalogue().await {
            Ok(catalogue) => catalogue,
            Err(error) => return Ok(outcome_of(target.name(), None, &error)),
        };
        let checked = match target.check(&arguments.sql, tenant, limits.max_rows).await {
            Ok(Ok(checked)) => checked,
            Ok(Err(found)) => return Ok(refused(&target, found).await),
            Err(error) => return Ok(outcome_of(target.name(), None, &error)),
        };
        let error = match target.run_for(&asker(caller), &checked, &limits).await {
            Ok(rows) => {
                let message = too_large(&rows, limits.max_bytes);
                return Ok(ToolEnvelope {
                    message,
                    ..ToolEnvelope::ok(with_rows(target.name(), checked, rows))
                });
            }
            Err(
                ref error @ TargetError::Busy {
                    crowd, retry_after, ..
                },
            ) => return Err(busy(error.to_string(), crowd, retry_after)),
            Err(error) => error,
        };
        // The tables changed since they were read: what the statement means is checked by what they
        // are now.
        let is_changed = match &error {
            _ if looked_again => false,
            // The statement does not have this name: the rules are out of date, whenever they
            // were read last.
            TargetError::UnknownName { of_rules: true, .. } => target.refresh().await.is_ok(),
            TargetError::UnknownName { .. } => target.look_again(&catalogue).await.is_some(),
            _ => false,
        };
        if is_changed {
            looked_again = true;
            continue;
        }
        return Ok(outcome_of(target.name(), Some(checked), &error));
    }
}

async fn refused(target: &Target, found: Vec<Finding>) -> ToolEnvelope<SqlRun> {
    let catalogue = match target.catalogue().await {
        Ok(catalogue) => catalogue,
        Err(error) => return outcome_of(target.name(), None, &error),
    };
    let findings = findings(target.name(), &catalogue, found);
    let message = words_of(&findings);
    let run = SqlRun {
        person: words_for_person(&findings),
        findings,
        ..without_rows(target.name(), SqlOutcome::Refused, None)
    };
    failed(message, run)
}

/// What to say of a result that is larger than it may be: fewer rows alone may not help.
fn too_large(rows: &Rows, limit: u64) -> Option<String> {
    match rows.cut? {
        Cut::Rows => None,
        Cut::Bytes => Some(format!(
            "The result was cut after {} rows: with the next one it would be larger than {limit} bytes. Ask for fewer columns, or for a part of long ones, as LEFT(…, 200).",
            rows.rows.len()
        )),
        Cut::Lists => Some(
            "A list that GROUP_CONCAT or a JSON aggregate makes was cut, because it is longer than it may be: it does not have all of its values. Put fewer or shorter values into one list, or ask for them row by row.".to_owned(),
        ),
    }
}

fn cut(cut: Cut) -> SqlCut {
    match cut {
        Cut::Rows => SqlCut::Rows,
        Cut::Bytes => SqlCut::Bytes,
        Cut::Lists => SqlCut::Lists,
    }
}

/// The columns of a result in the contract's form.
pub(crate) fn result_columns(columns: Vec<targets::ResultColumn>) -> Vec<ResultColumn> {
    let column = |column: targets::ResultColumn| ResultColumn {
        name: column.name,
        kind: kind(column.kind),
    };
    columns.into_iter().map(column).collect()
}

fn with_rows(target: &str, checked: Checked, rows: Rows) -> SqlRun {
    read_rows(rows.rows.len());
    SqlRun {
        columns: result_columns(rows.columns),
        row_count: count(rows.rows.len()),
        rows: rows.rows,
        truncated: rows.truncated,
        truncated_by: rows.cut.map(cut),
        elapsed_ms: rows.elapsed.as_secs_f64() * 1e3,
        estimated_rows: rows.estimated_rows,
        ..without_rows(target, SqlOutcome::Rows, Some(checked))
    }
}

/// The result of a query that the database did not answer.
fn outcome_of(target: &str, checked: Option<Checked>, error: &TargetError) -> ToolEnvelope<SqlRun> {
    let outcome = match error {
        TargetError::Rejected { .. } | TargetError::UnknownName { .. } => SqlOutcome::Rejected,
        TargetError::TooExpensive { .. } | TargetError::Stopped { .. } => SqlOutcome::TooExpensive,
        TargetError::TimedOut { .. } => SqlOutcome::TimedOut,
        // Whatever the query, it is the target that has to be looked after.
        TargetError::Unavailable { .. }
        | TargetError::Busy { .. }
        | TargetError::Policy { .. }
        | TargetError::Role { .. }
        | TargetError::Internal { .. } => SqlOutcome::Unavailable,
    };
    let estimated_rows = match error {
        TargetError::TooExpensive { estimated, .. } => *estimated,
        _ => None,
    };
    let run = SqlRun {
        estimated_rows,
        person: person_of(target, error),
        ..without_rows(target, outcome, checked)
    };
    failed(message_of(target, error), run)
}

fn failed(message: String, run: SqlRun) -> ToolEnvelope<SqlRun> {
    ToolEnvelope {
        result: Some(run),
        ..ToolEnvelope::without_result(ToolStatus::Error, message)
    }
}

fn without_rows(target: &str, outcome: SqlOutcome, checked: Option<Checked>) -> SqlRun {
    let (sql, tables) = checked.map(|checked| (checked.sql, checked.tables)).unzip();
    SqlRun {
        target: target.to_owned(),
        outcome,
        sql,
        tables: tables.unwrap_or_default(),
        columns: Vec::new(),
        rows: Vec::new(),
        row_count: 0,
        truncated: false,
        truncated_by: None,
        elapsed_ms: 0.0,
        estimated_rows: None,
        findings: Vec::new(),
        person: String::new(),
    }
}

fn kind(kind: targets::ValueKind) -> ValueKind {
    match kind {
        targets::ValueKind::Number => ValueKind::Number,
        targets::ValueKind::Text => ValueKind::Text,
        targets::ValueKind::Boolean => ValueKind::Boolean,
        targets::ValueKind::Date => ValueKind::Date,
        targets::ValueKind::Time => ValueKind::Time,
        targets::ValueKind::DateTime => ValueKind::DateTime,
        targets::ValueKind::Json => ValueKind::Json,
        targets::ValueKind::Binary => ValueKind::Binary,
        targets::ValueKind::Other => ValueKind::Other,
    }
}
