//! An upload in progress: rows come in, batches go out.

use std::collections::HashMap;
use std::sync::Arc;

use contracts::measurements::{CsvDialect, IngestReport, Refusal};
use sqlx::PgPool;

use super::batch::{Batch, Entry};
use super::doubled::DoubledHours;
use super::loggers::Loggers;
use super::options::IngestOptions;
use super::plant::ImportMark;
use super::reading::Checked;
use super::rows::Row;
use super::store::Mark;
use super::{IngestError, IngestFailure, Progress, store};
use crate::store::LoggerRole;

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
    /// The import that the rows belong to.
    import: Option<ImportMark>,
    /// Number of rows that are in the batch or before it, none of them held back.
    complete: u64,
    /// Rows that were refused or empty before the last batch.
    marked: (u64, u64),
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
            import: None,
            complete: 0,
            marked: (0, 0),
        })
    }

    /// Stores the progress of an import with each batch, and gives new loggers these roles.
    pub(super) fn belongs_to(
        &mut self,
        import: ImportMark,
        roles: Arc<HashMap<String, LoggerRole>>,
    ) {
        self.import = Some(import);
        self.loggers.give_roles(roles);
    }

    /// Takes a row; one of a doubled hour waits for the logger's next row.
    pub(super) async fn take(&mut self, row: Row) -> Result<(), IngestError> {
        self.rows += 1;
        if self.doubled.passes(&row) {
            self.complete = self.rows;
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
        let mark = self.mark();
        let outcome = store::store(self.pool, &self.loggers, &batch, mark.as_ref()).await?;
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
        self.complete = self.rows;
        self.flush().await?;
        let keys = self.loggers.stored_keys();
        if keys.is_empty() {
            return Ok(());
        }
        store::settle(self.pool, &keys).await
    }

    /// The progress of the import with the batch that is about to be stored.
    fn mark(&mut self) -> Option<Mark> {
        let import = self.import?;
        let (refused, empty) = (self.report.refused, self.report.empty);
        let before = std::mem::replace(&mut self.marked, (refused, empty));
        Some(Mark {
            import: import.import,
            worker: import.worker,
            done: import.done + self.complete,
            refused: refused - before.0,
            empty: empty - before.1,
        })
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
