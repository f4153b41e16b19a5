//! An upload under way: rows come in, batches go out.

use contracts::measurements::{IngestReport, Refusal};
use sqlx::PgPool;

use super::batch::{Batch, Entry};
use super::loggers::Loggers;
use super::options::IngestOptions;
use super::rows::Row;
use super::{IngestError, IngestFailure, Progress, store};

/// How many refused rows are listed.
const MAX_REFUSALS: usize = 100;

/// An upload under way.
pub(super) struct Upload<'a> {
    pool: &'a PgPool,
    loggers: Loggers,
    batch: Batch,
    report: IngestReport,
    rows: u64,
}

impl<'a> Upload<'a> {
    pub(super) async fn open(
        pool: &'a PgPool,
        tenant: &str,
        options: &IngestOptions,
    ) -> Result<Self, IngestFailure> {
        let mut conn = pool.acquire().await.map_err(IngestError::from)?;
        let loggers = Loggers::load(&mut conn, tenant, options.site.as_deref()).await?;
        Ok(Self {
            pool,
            loggers,
            batch: Batch::new(),
            report: IngestReport::default(),
            rows: 0,
        })
    }

    /// Takes a row into the batch, or into the list of refusals; stores the batch when it is full.
    pub(super) async fn take(&mut self, row: Row) -> Result<(), IngestError> {
        self.rows += 1;
        match row.reading {
            Ok(reading) => {
                let logger_type = reading.logger_type.as_deref();
                match self.loggers.place(&reading.logger_id, logger_type)? {
                    Ok(place) => self.batch.push(Entry::new(place, reading)),
                    Err(reason) => self.refuse(row.number, reason),
                }
            }
            Err(reason) => self.refuse(row.number, reason),
        }
        if self.batch.is_full() {
            self.flush().await?;
        }
        Ok(())
    }

    /// Stores what waits.
    pub(super) async fn flush(&mut self) -> Result<(), IngestError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = self.batch.take();
        let outcome = store::store(self.pool, &self.loggers, &batch).await?;
        let superseded = batch.superseded.len() as u64;
        self.report.accepted += batch.entries.len() as u64 - outcome.replaced;
        self.report.replaced += outcome.replaced + superseded;
        self.loggers.record(&batch, &outcome);
        Ok(())
    }

    /// Stores what waits, and brings the figures of everything that was stored up to date.
    pub(super) async fn finish(&mut self) -> Result<(), IngestError> {
        self.flush().await?;
        let keys = self.loggers.stored_keys();
        if keys.is_empty() {
            return Ok(());
        }
        store::settle(self.pool, &keys).await
    }

    pub(super) fn progress(&self, bytes: u64) -> Progress {
        Progress {
            bytes,
            rows: self.rows,
            stored: self.report.accepted + self.report.replaced,
        }
    }

    pub(super) fn report(self) -> IngestReport {
        IngestReport {
            loggers: self.loggers.report(),
            ..self.report
        }
    }

    pub(super) fn failed(self, error: IngestError) -> IngestFailure {
        IngestFailure {
            error,
            before: self.report(),
        }
    }

    fn refuse(&mut self, row: u64, reason: String) {
        self.report.refused += 1;
        if self.report.refusals.len() < MAX_REFUSALS {
            self.report.refusals.push(Refusal { row, reason });
        }
    }
}
