//! The rows of a query as a file.

mod workbook;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use contracts::targets::{ExportRows, RowsFormat};
use contracts::tools::sql::{ResultColumn, RunSqlArguments, SqlRun, ValueKind};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use serde_json::Value;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Path, Query};

use super::{READ, unknown};
use crate::state;

/// The header of an export that a limit cut.
const TRUNCATED: &str = "x-truncated";

pub(in crate::routes) async fn export(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
    Query(query): Query<ExportRows>,
) -> Result<Response, ApiError> {
    caller.require_scope(READ)?;
    if query.sql.trim().is_empty() || query.sql.chars().count() > 20_000 {
        return Err(ApiError::invalid_field(
            "/sql",
            "must have 1 to 20000 characters",
        ));
    }
    let target = state.added.find(Some(&name), &caller.tenant).await;
    let target = target.ok_or_else(unknown)?;
    let rows = u32::try_from(target.limits().max_rows).unwrap_or(u32::MAX);
    let arguments = RunSqlArguments {
        target: Some(name.clone()),
        sql: query.sql,
        max_rows: rows,
    };
    let answer = state.sql.rows(&caller, arguments).await?;
    let why = answer.message.unwrap_or_default();
    let run = answer
        .result
        .filter(|_| answer.status == contracts::tools::ToolStatus::Ok);
    let Some(run) = run else {
        return Err(ApiError::invalid_field("/sql", why.clone()).with_detail(why));
    };
    let truncated = run.truncated;
    let (bytes, kind, ending) = match query.format {
        RowsFormat::Csv => (csv(&run), "text/csv; charset=utf-8", "csv"),
        RowsFormat::Xlsx => {
            let made = tokio::task::spawn_blocking(move || workbook::workbook(&run)).await;
            let made = made.map_err(ApiError::internal)?;
            (
                made.map_err(ApiError::internal)?,
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                "xlsx",
            )
        }
    };
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if truncated {
        headers.insert(TRUNCATED, HeaderValue::from_static("true"));
    }
    // The name of a target needs no quoting.
    let file = format!("attachment; filename=\"{name}.{ending}\"");
    if let Ok(file) = HeaderValue::try_from(file) {
        headers.insert(CONTENT_DISPOSITION, file);
    }
    Ok(response)
}

/// The rows with a header, as RFC 4180 has it. A mark at the start makes Excel read UTF-8.
fn csv(run: &SqlRun) -> Vec<u8> {
    let mut text = String::from("\u{feff}");
    let labels: Vec<String> = run
        .columns
        .iter()
        .map(|column| inert(&column.name))
        .collect();
    line(&labels, &mut text);
    for row in &run.rows {
        let cells: Vec<String> = run
            .columns
            .iter()
            .map(|column| cell(column, row.get(&column.name)))
            .collect();
        line(&cells, &mut text);
    }
    text.into_bytes()
}

fn line(cells: &[String], text: &mut String) {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        if cell.contains([',', '"', '\n', '\r']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(cell);
        }
    }
    text.push_str("\r\n");
}

fn cell(column: &ResultColumn, value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) if column.kind == ValueKind::Number => text.clone(),
        Some(Value::String(text)) => inert(text),
        Some(other) => other.to_string(),
    }
}

/// A text that no spreadsheet takes for a formula: values of a database are not programs.
fn inert(text: &str) -> String {
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins && text.parse::<f64>().is_err() {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_no_formula_and_a_number_stays_one() {
        assert_eq!(inert("=cmd()"), "'=cmd()");
        assert_eq!(inert("-1.5"), "-1.5");
        assert_eq!(inert("- x"), "'- x");
        assert_eq!(inert("plain"), "plain");
        let mut text = String::new();
        line(
            &["a,b".to_owned(), "say \"x\"".to_owned(), String::new()],
            &mut text,
        );
        assert_eq!(text, "\"a,b\",\"say \"\"x\"\"\",\r\n");
    }
}
