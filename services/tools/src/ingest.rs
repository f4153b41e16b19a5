//! Ingestion: uploads of readings into the table `measurements`.
//!
//! An upload streams: bytes are cut into rows ([`Format`]), rows are checked, and good ones
//! gathered into batches that go to PostgreSQL by COPY and from there, by upsert, into the table,
//! together with the daily figures they change. Memory is bounded by one batch, whatever the
//! upload's size.
//!
//! **A batch is a transaction, an upload is not.** What was stored before a failure stays stored,
//! so that a file of gigabytes makes progress; every batch is whole, with its daily figures; and as
//! a reading of the same logger and instant is replaced, sending the file again heals what is
//! missing and changes nothing else. An error says how many rows were stored before it
//! ([`IngestFailure`]).
//!
//! **Rows are refused one by one**, with their number and a reason; the first hundred are listed.
//! Only what makes the rest unreadable ends the upload: broken JSON between two elements, a body
//! that breaks off. A row without any value is counted and not an error; a quote that is not closed
//! costs its own row.
//!
//! Of two rows of the same logger and instant the later wins, also within one upload; the earlier
//! one counts as stored, the later one as a replacement.

pub mod config;
pub mod copy;
pub mod sites;

mod batch;
mod csv;
mod dialect;
mod doubled;
mod error;
mod file;
mod json;
mod loggers;
mod numbers;
mod options;
mod plant;
mod reading;
mod records;
mod rows;
pub mod session;
mod stamp;
mod store;
mod upload;

use contracts::measurements::IngestReport;
use sqlx::PgPool;
use tokio::io::{AsyncRead, AsyncReadExt};

pub use error::{IngestError, IngestFailure};
pub use file::{Source, file};
pub use options::{Field, Format, IngestOptions};
pub use plant::{DryRun, FileRow, FileRows, ImportMark};
pub use reading::Reading;

pub(crate) use options::zone;
pub(crate) use plant::ingest_file;
pub(crate) use reading::check_logger_id;
pub(crate) use store::settle;

use rows::RowParser;
use upload::Upload;

/// Number of bytes that are read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// The progress of an upload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read, uncompressed.
    pub bytes: u64,
    /// Rows read, the refused ones included.
    pub rows: u64,
    /// Rows stored.
    pub stored: u64,
}

/// Stores the readings that `reader` gives. Bytes must be uncompressed ([`gunzip`] does that).
pub async fn ingest(
    pool: &PgPool,
    tenant: &str,
    options: &IngestOptions,
    reader: impl AsyncRead + Send + Unpin,
) -> Result<IngestReport, IngestFailure> {
    ingest_watched(pool, tenant, options, reader, |_| ()).await
}

/// [`ingest`], reporting to `progress` after each chunk.
pub async fn ingest_watched(
    pool: &PgPool,
    tenant: &str,
    options: &IngestOptions,
    mut reader: impl AsyncRead + Send + Unpin,
    mut progress: impl FnMut(Progress) + Send,
) -> Result<IngestReport, IngestFailure> {
    let mut upload = Upload::open(pool, tenant, options).await?;
    match read(
        &mut upload,
        RowParser::new(options),
        &mut reader,
        &mut progress,
    )
    .await
    {
        Ok(()) => Ok(upload.report()),
        Err(error) => Err(upload.failed(error)),
    }
}

/// Stores readings that are there already, through the same checks of loggers and sites, the same
/// batches and figures.
pub async fn ingest_readings(
    pool: &PgPool,
    tenant: &str,
    options: &IngestOptions,
    readings: impl Iterator<Item = Reading> + Send,
) -> Result<IngestReport, IngestFailure> {
    let mut upload = Upload::open(pool, tenant, options).await?;
    match store_all(&mut upload, readings).await {
        Ok(()) => Ok(upload.report()),
        Err(error) => Err(upload.failed(error)),
    }
}

/// Reads gzip, also of several members.
pub fn gunzip<'a>(
    reader: impl AsyncRead + Send + Unpin + 'a,
) -> Box<dyn AsyncRead + Send + Unpin + 'a> {
    let buffered = tokio::io::BufReader::with_capacity(CHUNK_BYTES, reader);
    let mut decoder = async_compression::tokio::bufread::GzipDecoder::new(buffered);
    decoder.multiple_members(true);
    Box::new(decoder)
}

async fn read(
    upload: &mut Upload<'_>,
    mut parser: RowParser,
    reader: &mut (impl AsyncRead + Send + Unpin),
    progress: &mut (impl FnMut(Progress) + Send),
) -> Result<(), IngestError> {
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    let mut rows = Vec::new();
    let mut bytes = 0;
    loop {
        chunk.clear();
        let count = reader
            .take(CHUNK_BYTES as u64)
            .read_buf(&mut chunk)
            .await
            .map_err(IngestError::Body)?;
        let parsed = if count == 0 {
            parser.finish(&mut rows)
        } else {
            parser.feed(&chunk, &mut rows)
        };
        upload.read_as(parser.read_as());
        // Rows before a fault count.
        for row in rows.drain(..) {
            upload.take(row).await?;
        }
        if let Err(broken) = parsed {
            upload.finish().await?;
            return Err(broken.into());
        }
        bytes += count as u64;
        progress(upload.progress(bytes));
        if count == 0 {
            return upload.finish().await;
        }
    }
}

async fn store_all(
    upload: &mut Upload<'_>,
    readings: impl Iterator<Item = Reading> + Send,
) -> Result<(), IngestError> {
    for (number, reading) in (1..).zip(readings) {
        upload
            .take(rows::Row {
                number,
                reading: Ok(reading::Checked::Reading(reading)),
            })
            .await?;
    }
    upload.finish().await
}
