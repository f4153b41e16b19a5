//! Rows of files of data loggers, for the same checks and batches as those of uploads.

use std::collections::HashMap;
use std::sync::Arc;

use contracts::measurements::IngestReport;
use sqlx::PgPool;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::doubled::DoubledHours;
use super::options::IngestOptions;
use super::reading::{Checked, Checks, RawReading, Reading};
use super::rows::Row;
use super::upload::Upload;
use super::{IngestError, IngestFailure};
use crate::store::LoggerRole;

/// A checked row of a file.
#[derive(Debug)]
pub struct FileRow(Row);

/// Checks the rows of a file.
pub struct FileRows {
    checks: Checks,
}

/// Puts the rows of the hour that happens twice in order, as an upload does, and stores nothing.
pub struct DryRun(DoubledHours);

/// The import that rows belong to: its progress is stored with each batch, while it belongs to this
/// worker.
#[derive(Debug, Clone, Copy)]
pub struct ImportMark {
    /// The import.
    pub import: Uuid,
    /// The worker.
    pub worker: Uuid,
    /// Number of rows that an earlier attempt handled.
    pub done: u64,
}

impl FileRow {
    /// The line of the file.
    pub fn line(&self) -> u64 {
        self.0.number
    }

    /// The reading, nothing if the row has no value, or the reason of the refusal.
    pub fn reading(&self) -> Result<Option<&Reading>, &str> {
        match &self.0.reading {
            Ok(Checked::Reading(reading) | Checked::Twice { reading, .. }) => Ok(Some(reading)),
            Ok(Checked::Empty) => Ok(None),
            Err(reason) => Err(reason),
        }
    }
}

impl FileRows {
    /// The checks of these options.
    pub fn new(options: &IngestOptions) -> Self {
        Self {
            checks: Checks::new(options),
        }
    }

    /// Checks a row.
    pub fn row(&self, row: plant_files::Row) -> FileRow {
        let reading = row.record.and_then(|record| {
            self.checks.apply(RawReading {
                timestamp: record.stamp.text(),
                logger_id: Some(record.logger_id),
                logger_type: None,
                active_power_watts: record.power_w,
                energy_daily_kwh: record.energy_day_kwh,
                irradiance: record.irradiance,
                metadata: Some(record.metadata),
            })
        });
        FileRow(Row {
            number: row.line,
            reading,
        })
    }
}

impl DryRun {
    /// Without rows yet.
    pub fn new(options: &IngestOptions) -> Self {
        Self(DoubledHours::new(options.timezone))
    }

    /// Takes a row; gives those that could be stored now.
    pub fn take(&mut self, row: FileRow, ready: &mut Vec<FileRow>) {
        if self.0.passes(&row.0) {
            ready.push(row);
            return;
        }
        let mut rows = Vec::new();
        self.0.take(row.0, &mut rows);
        ready.extend(rows.into_iter().map(FileRow));
    }

    /// Gives the rows that still wait.
    pub fn finish(&mut self, ready: &mut Vec<FileRow>) {
        let mut rows = Vec::new();
        self.0.finish(&mut rows);
        ready.extend(rows.into_iter().map(FileRow));
    }
}

/// Stores the rows of a file, with the progress of their import. New loggers get these roles.
pub(crate) async fn ingest_file(
    pool: &PgPool,
    tenant: &str,
    options: &IngestOptions,
    roles: Arc<HashMap<String, LoggerRole>>,
    mark: ImportMark,
    mut rows: mpsc::Receiver<Vec<FileRow>>,
) -> Result<IngestReport, IngestFailure> {
    let mut upload = Upload::open(pool, tenant, options).await?;
    upload.belongs_to(mark, roles);
    let stored = async {
        while let Some(batch) = rows.recv().await {
            for row in batch {
                upload.take(row.0).await?;
            }
        }
        upload.finish().await
    };
    let result: Result<(), IngestError> = stored.await;
    match result {
        Ok(()) => Ok(upload.report()),
        Err(error) => Err(upload.failed(error)),
    }
}
