//! The rows of a table that a person uploaded, without a limit on their number.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use contracts::targets::RowsFormat;
use contracts::tools::sql::ResultColumn;
use service_kit::identity::Identity;
use service_kit::problem::ApiError;
use targets::{Asker, Part, Target, TargetError};
use tokio::sync::mpsc::{self, Receiver};
use tokio_util::task::AbortOnDropHandle;

use super::workbook::{Book, BookError};
use super::{csv_lines, refused};
use crate::sql_tools::{asker, busy, message_of, result_columns};

/// Time for all rows to be taken.
const TIME: Duration = Duration::from_mins(10);
/// Parts that wait for a slow receiver.
const WAITING: usize = 4;

/// The rows that are on their way.
struct Rows {
    columns: Vec<ResultColumn>,
    /// The first rows; none if there are none.
    first: Option<Part>,
    parts: Receiver<Part>,
    /// `None` after its end.
    running: Option<AbortOnDropHandle<Result<(), TargetError>>>,
}

/// The body of a file with all rows of a query.
pub(super) async fn export(
    caller: &Identity,
    target: Arc<Target>,
    sql: String,
    format: RowsFormat,
) -> Result<Body, ApiError> {
    let rows = start(asker(caller), target, sql).await?;
    match format {
        RowsFormat::Csv => Ok(csv(rows)),
        RowsFormat::Xlsx => workbook(rows).await,
    }
}

/// Runs a query up to its first rows, so that what is wrong with it is known before the file
/// begins.
async fn start(asker: Asker, target: Arc<Target>, sql: String) -> Result<Rows, ApiError> {
    let checked = target.check_whole(&sql, &asker.tenant).await;
    let checked = checked.map_err(|error| failed(&target, &error))?;
    let checked = checked.map_err(|found| {
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        refused(found.join(" "))
    })?;
    let (sender, mut parts) = mpsc::channel(WAITING);
    let asked = Arc::clone(&target);
    let running = tokio::spawn(async move {
        let sent = asked.send_for(&asker, &checked, TIME, sender).await;
        sent.map(drop)
    });
    let mut running = Some(AbortOnDropHandle::new(running));
    let columns = parts.recv().await;
    let first = parts.recv().await;
    if first.is_none()
        && let Some(ended) = running.take()
    {
        let ended = ended.await.map_err(ApiError::internal)?;
        ended.map_err(|error| failed(&target, &error))?;
    }
    let columns = match columns {
        Some(Part::Columns(columns)) => columns,
        _ => Vec::new(),
    };
    Ok(Rows {
        columns: result_columns(columns),
        first,
        parts,
        running,
    })
}

fn failed(target: &Target, error: &TargetError) -> ApiError {
    match error {
        TargetError::Busy {
            crowd, retry_after, ..
        } => busy(error.to_string(), *crowd, *retry_after).into(),
        _ => refused(message_of(target.name(), error)),
    }
}

impl Rows {
    /// The next part as lines. `None` at the end; a query that failed is an error, so that the
    /// receiver does not take the file for whole.
    async fn lines(&mut self) -> Option<Result<String, std::io::Error>> {
        let part = match self.first.take() {
            Some(first) => Some(first),
            None => self.parts.recv().await,
        };
        if let Some(part) = part {
            let mut text = String::new();
            if let Part::Rows(rows) = part {
                csv_lines::rows(&self.columns, &rows, &mut text);
            }
            return Some(Ok(text));
        }
        match self.running.take()?.await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(Err(std::io::Error::other(error))),
            Err(error) => Some(Err(std::io::Error::other(error))),
        }
    }
}

fn csv(rows: Rows) -> Body {
    let header = csv_lines::header(&rows.columns);
    let first = futures::stream::iter([Ok(Bytes::from(header))]);
    let rest = futures::stream::unfold(Some(rows), |rows| async move {
        let mut rows = rows?;
        match rows.lines().await? {
            Ok(text) => Some((Ok(Bytes::from(text)), Some(rows))),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "an export broke off"
                );
                Some((Err(error), None))
            }
        }
    });
    Body::from_stream(futures::StreamExt::chain(first, rest))
}

/// A workbook is made as a whole before it is sent.
async fn workbook(rows: Rows) -> Result<Body, ApiError> {
    let Rows {
        columns,
        first,
        mut parts,
        running,
    } = rows;
    let made = tokio::task::spawn_blocking(move || {
        let mut book = Book::new(columns)?;
        let mut next = first;
        while let Some(Part::Rows(rows)) = next {
            book.add(&rows)?;
            next = parts.blocking_recv();
        }
        book.finish(false)
    });
    let made = made.await.map_err(ApiError::internal)?;
    let bytes = made.map_err(|error| match error {
        BookError::TooLarge(_) => refused(error.to_string()),
        BookError::Written(error) => ApiError::internal(error),
    })?;
    if let Some(running) = running {
        let ended = running.await.map_err(ApiError::internal)?;
        ended.map_err(ApiError::internal)?;
    }
    Ok(Body::from(bytes))
}
