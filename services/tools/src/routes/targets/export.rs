//! The rows of a query as a file.
//!
//! A table that a person uploaded leaves whole: its rows are sent as they come in. Of a database
//! the limits of the target hold, and the name of the file and a header say where they cut the
//! rows.

mod csv_lines;
mod whole;
mod workbook;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use contracts::targets::{ExportRows, RowsFormat, TargetKind};
use contracts::tools::sql::RunSqlArguments;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Path, Query};

use super::{READ, WORDS, not_fixed};
use crate::error::database;
use crate::state;
use workbook::Book;

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
    let target = target.ok_or_else(|| WORDS.unknown())?;
    let stored = state.added.get(&caller.tenant, &name).await;
    let stored = stored.map_err(database)?;
    let is_uploaded = stored.is_some_and(|stored| stored.kind == TargetKind::Spreadsheet);
    if is_uploaded && not_fixed(&state, &caller, &name).is_ok() {
        let body = whole::export(&caller, Arc::clone(&target), query.sql, query.format);
        let body = Box::pin(body).await?;
        return Ok(file(body, query.format, &name));
    }
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
        return Err(refused(why));
    };
    let cut = run.truncated.then_some(run.rows.len());
    let bytes = match query.format {
        RowsFormat::Csv => {
            let mut text = csv_lines::header(&run.columns);
            csv_lines::rows(&run.columns, &run.rows, &mut text);
            text.into_bytes()
        }
        RowsFormat::Xlsx => {
            let made = tokio::task::spawn_blocking(move || {
                let mut book = Book::new(run.columns)?;
                book.add(&run.rows)?;
                book.finish(run.truncated)
            });
            let made = made.await.map_err(ApiError::internal)?;
            made.map_err(ApiError::internal)?
        }
    };
    let Some(rows) = cut else {
        return Ok(file(Body::from(bytes), query.format, &name));
    };
    // A person who takes the file from a browser sees its name.
    let named = format!("{name}-first-{rows}-rows");
    let mut response = file(Body::from(bytes), query.format, &named);
    let headers = response.headers_mut();
    headers.insert(TRUNCATED, HeaderValue::from_static("true"));
    Ok(response)
}

fn refused(why: String) -> ApiError {
    ApiError::invalid_field("/sql", why.clone()).with_detail(why)
}

/// A file to be kept, of this name. The name of a target needs no quoting.
fn file(body: Body, format: RowsFormat, name: &str) -> Response {
    let (kind, ending) = match format {
        RowsFormat::Csv => ("text/csv; charset=utf-8", "csv"),
        RowsFormat::Xlsx => (
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "xlsx",
        ),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let file = format!("attachment; filename=\"{name}.{ending}\"");
    if let Ok(file) = HeaderValue::try_from(file) {
        headers.insert(CONTENT_DISPOSITION, file);
    }
    response
}
