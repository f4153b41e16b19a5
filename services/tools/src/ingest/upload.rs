//! An upload in progress: rows come in, batches go out.

use contracts::measurements::{CsvDialect, IngestReport, Refusal};
use sqlx::PgPool;

use super::batch::{Batch, Entry};
use super::doubled::DoubledHours;
use super::loggers::Loggers;
use super::options::IngestOptions;
use super::reading::Checked;
use super::rows::Row;
use super::{IngestError, IngestFailure, Progress, store};

/// Number of refused rows that are listed.
const MAX_REFUSALS: usize = 100;

/// An upload in progress.
pub(super) struct Upload<'a> {
    pool: &'a PgPool,
    loggers: Loggers,
    batch: Batch,
    doubled: DoubledHours,
    /// Rows that were held back and can be stored now; empty between two rows.
    ready: Vec<Row>,
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
            doubled: DoubledHours::new(options.timezone),
            ready: Vec::new(),
            report: IngestReport::default(),
            rows: 0,
        })
    }

    /// Takes a row; one of a doubled hour waits for the logger's next row.
    pub(super) async fn take(&mut self, row: Row) -> Result<(), IngestError> {
        self.rows += 1;
        if self.doubled.passes(&row) {
            return self.place(row).await;
        }
        let mut ready = std::mem::take(&mut self.ready);
        self.doubled.take(row, &mut ready);
        self.place_all(ready).await
    }

    async fn place_all(&mut self, mut ready: Vec<Row>) -> Result<(), IngestError> {
        for row in ready.drain(..) {
            self.place(row).await?;
        }
        self.ready = ready;
        Ok(())
    }

    /// Puts a row into the batch, or into the list of refusals; stores the batch when it is full.
    async fn place(&mut self, row: Row) -> Result<(), IngestError> {
        match row.reading {
            Ok(Checked::Empty) => self.report.empty += 1,
            Ok(Checked::Reading(reading) | Checked::Twice { reading, .. }) => {
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

    /// Stores what waits, and updates the figures of everything that was stored.
    pub(super) async fn finish(&mut self) -> Result<(), IngestError> {
        let mut ready = std::mem::take(&mut self.ready);
        self.doubled.finish(&mut ready);
        self.place_all(ready).await?;
        self.report.doubled_hour = self.doubled.counts();
        self.flush().await?;
        let keys = self.loggers.stored_keys();
        if keys.is_empty() {
            return Ok(());
        }
        store::settle(self.pool, &keys).await
    }

    /// Notes how a CSV is read.
    pub(super) fn read_as(&mut self, dialect: Option<CsvDialect>) {
        self.report.read_as = dialect;
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
