//! Storing one batch: loggers, readings and daily figures in one transaction.
//!
//! Everything is locked in one order, so that uploads wait for each other and never in a circle:
//! first new loggers are made, by id, then all loggers of the batch are locked, by key. Under these
//! locks no other upload stores readings of these loggers, which makes the count of replaced
//! readings exact.

use sqlx::error::DatabaseError;
use sqlx::{Connection as _, PgConnection, PgPool};
use uuid::Uuid;

use super::IngestError;
use super::batch::{Entry, Ordered};
use super::copy::{CopyBuffer, Values};
use super::loggers::Loggers;
use super::session::{Session, allow_ten_minutes};
use crate::catalog::{self, LoggerEntry};
use crate::rollup::{self, Touched};

/// Number of bytes that are sent to the server at once.
const SEND_BYTES: usize = 256 * 1024;
/// Number of attempts to store a batch that the server ended in favour of another transaction.
const ATTEMPTS: u32 = 4;

/// The progress of an import, stored with a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) import: Uuid,
    pub(super) worker: Uuid,
    /// Number of rows that were handled with this batch.
    pub(super) done: u64,
    /// Rows that were refused or empty since the batch before.
    pub(super) refused: u64,
    pub(super) empty: u64,
}

/// Why a batch was not stored.
enum Failure {
    Database(sqlx::Error),
    /// The import was cancelled, or belongs to another worker.
    Lost,
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// The result of a batch.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Readings that took the place of stored ones.
    pub(super) replaced: u64,
    /// The loggers that had no key before, by their place in the list.
    pub(super) resolved: Vec<(usize, LoggerEntry)>,
}

/// Stores a batch whole or not at all. A user who drops the future drops the batch.
pub(super) async fn store(
    pool: &PgPool,
    loggers: &Loggers,
    batch: &Ordered,
    mark: Option<&Mark>,
) -> Result<Outcome, IngestError> {
    let mut attempt = 1;
    loop {
        let mut session = Session::open(pool).await?;
        match store_once(&mut session, loggers, batch, mark).await {
            Ok(outcome) => {
                session.finish();
                return Ok(outcome);
            }
            Err(Failure::Lost) => return Err(IngestError::Lost),
            Err(Failure::Database(error)) if attempt < ATTEMPTS && is_conflict(&error) => {
                tracing::debug!(
                    attempt,
                    "a batch met another transaction and is tried again"
                );
                attempt += 1;
            }
            Err(Failure::Database(error)) => return Err(error.into()),
        }
    }
}

/// Brings the long-run figures of an upload's loggers up to date, after its last batch: large
/// batches leave that to the end, as it is the same work however many there are.
pub(crate) async fn settle(pool: &PgPool, logger_keys: &[i32]) -> Result<(), IngestError> {
    let mut attempt = 1;
    loop {
        let mut session = Session::open(pool).await?;
        match settle_once(&mut session, logger_keys).await {
            Ok(()) => {
                session.finish();
                return Ok(());
            }
            Err(error) if attempt < ATTEMPTS && is_conflict(&error) => attempt += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

async fn settle_once(conn: &mut PgConnection, logger_keys: &[i32]) -> Result<(), sqlx::Error> {
    let mut tx = conn.begin().await?;
    // Waiting for another upload of the same loggers counts as running.
    allow_ten_minutes(&mut tx).await?;
    rollup::settle(&mut tx, logger_keys).await?;
    tx.commit().await
}

async fn store_once(
    conn: &mut PgConnection,
    loggers: &Loggers,
    batch: &Ordered,
    mark: Option<&Mark>,
) -> Result<Outcome, Failure> {
    let times = batch.entries.iter().map(|entry| entry.at);
    let (Some(first), Some(last)) = (times.clone().min(), times.max()) else {
        return Ok(Outcome::default());
    };
    catalog::ensure_partitions(conn, first, last).await?;
    let mut tx = conn.begin().await?;
    // Waiting for another upload of the same loggers counts as running.
    allow_ten_minutes(&mut tx).await?;

    let (keys, resolved) = resolve(&mut tx, loggers, batch).await?;
    let touched = touched_by(batch, &keys, |_| true);
    let locked: Vec<i32> = touched.iter().map(|touched| touched.logger_key).collect();
    rollup::lock(&mut tx, &locked).await?;

    sqlx::query_file!("queries/ingest_staging.sql",)
        .execute(&mut *tx)
        .await?;
    copy(&mut tx, batch, &keys).await?;
    let replaced =
        sqlx::query_file_scalar!("queries/ingest_count_stored.sql", &locked, first, last,)
            .fetch_one(&mut *tx)
            .await?;
    sqlx::query_file!("queries/ingest_upsert.sql",)
        .execute(&mut *tx)
        .await?;
    let summed: Vec<Touched> = touched_by(batch, &keys, Entry::sums_intervals);
    sum_intervals(&mut tx, &summed).await?;
    rollup::refresh_many(&mut tx, &touched).await?;
    if let Some(mark) = mark {
        let replaced = replaced.unsigned_abs();
        let accepted = batch.entries.len() as u64 - replaced;
        let replaced = replaced + batch.superseded.len() as u64;
        keep_progress(&mut tx, mark, accepted, replaced).await?;
    }
    tx.commit().await?;
    Ok(Outcome {
        replaced: replaced.unsigned_abs(),
        resolved,
    })
}

/// Stores the progress of an import, if it still belongs to its worker.
async fn keep_progress(
    conn: &mut PgConnection,
    mark: &Mark,
    accepted: u64,
    replaced: u64,
) -> Result<(), Failure> {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let kept = sqlx::query_file!(
        "queries/imports_progress.sql",
        mark.import,
        mark.worker,
        number(mark.done),
        number(accepted),
        number(replaced),
        number(mark.refused),
        number(mark.empty),
    )
    .execute(conn)
    .await?;
    match kept.rows_affected() {
        0 => Err(Failure::Lost),
        _ => Ok(()),
    }
}

/// The key of each logger of the upload's list that the batch has; 0 for the others. New ones are
/// made in the order of their ids.
async fn resolve(
    conn: &mut PgConnection,
    loggers: &Loggers,
    batch: &Ordered,
) -> Result<(Vec<i32>, Vec<(usize, LoggerEntry)>), sqlx::Error> {
    let mut keys = vec![0; loggers.list().len()];
    let mut missing = Vec::new();
    for run in batch.entries.chunk_by(|a, b| a.logger == b.logger) {
        let at = run[0].logger;
        match loggers.list()[at].key {
            Some(key) => keys[at] = key,
            None => missing.push(at),
        }
    }
    missing.sort_by_key(|at| &loggers.list()[*at].id);
    let mut resolved = Vec::with_capacity(missing.len());
    for at in missing {
        let logger = &loggers.list()[at];
        let brand = logger.brand.as_deref();
        // A logger without a key was admitted only because there is a site for it.
        let site_key = loggers.site_key().ok_or(sqlx::Error::RowNotFound)?;
        let entry =
            catalog::find_or_create_logger(conn, loggers.tenant(), site_key, &logger.id, brand)
                .await?;
        if let (true, Some(role)) = (entry.created, loggers.role_of(&logger.id)) {
            sqlx::query!(
                "UPDATE tools.loggers SET role = $2 WHERE logger_key = $1",
                entry.key,
                role.as_str(),
            )
            .execute(&mut *conn)
            .await?;
        }
        keys[at] = entry.key;
        resolved.push((at, entry));
    }
    Ok((keys, resolved))
}

/// The range of the entries that `counts` holds for, by logger.
fn touched_by(batch: &Ordered, keys: &[i32], counts: impl Fn(&Entry) -> bool) -> Vec<Touched> {
    let runs = batch.entries.chunk_by(|a, b| a.logger == b.logger);
    let mut touched: Vec<Touched> = runs
        .filter_map(|run| {
            let mut counted = run.iter().filter(|entry| counts(entry));
            let first = counted.next()?;
            Some(Touched {
                logger_key: keys[first.logger],
                from: first.at,
                to: counted.last().unwrap_or(first).at,
            })
        })
        .collect();
    touched.sort_by_key(|touched| touched.logger_key);
    touched
}

/// Brings registers that are sums of the energy of intervals in the order of time.
async fn sum_intervals(conn: &mut PgConnection, touched: &[Touched]) -> Result<(), sqlx::Error> {
    if touched.is_empty() {
        return Ok(());
    }
    let keys: Vec<i32> = touched.iter().map(|one| one.logger_key).collect();
    let from: Vec<_> = touched.iter().map(|one| one.from).collect();
    let to: Vec<_> = touched.iter().map(|one| one.to).collect();
    sqlx::query_file!("queries/ingest_sum_intervals.sql", &keys, &from, &to)
        .execute(conn)
        .await?;
    Ok(())
}

async fn copy(conn: &mut PgConnection, batch: &Ordered, keys: &[i32]) -> Result<(), sqlx::Error> {
    let mut copy = conn
        .copy_in_raw(include_str!("../../queries/ingest_copy.sql"))
        .await?;
    let mut buffer = CopyBuffer::new();
    for entry in &batch.entries {
        let values = Values {
            active_power_watts: entry.active_power_watts,
            energy_daily_kwh: entry.energy_daily_kwh,
            irradiance: entry.irradiance,
            metadata: entry.metadata.as_deref(),
        };
        buffer.push(keys[entry.logger], entry.at, &values);
        if buffer.waiting() >= SEND_BYTES {
            copy.send(buffer.take()).await?;
        }
    }
    copy.send(buffer.finish()).await?;
    copy.finish().await?;
    Ok(())
}

/// Whether the server ended the transaction for the good of another one: a deadlock or a
/// serialization failure.
fn is_conflict(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    matches!(code.as_deref(), Some("40P01" | "40001"))
}
