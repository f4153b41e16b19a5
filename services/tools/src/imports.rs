//! Imports of files: upload, preview, job.
//!
//! An upload is stored in chunks (`file`), recognised and read once without storing a reading
//! (`preview`): what a user confirms is what the job stores. The job (`job`) reads the file again
//! and sends its rows through [`crate::ingest`], the same checks and batches as for
//! `POST /api/measurements`.
//!
//! **A file is read in a process of its own**, within limits (`reading`), which sends its rows
//! (`sent`).
//!
//! **A row is stored once.** Each batch and the progress of its import are one transaction. A job
//! whose process ended is continued by another one at the row behind the last batch. A batch that
//! belongs to a job of another worker, or to a cancelled one, is not stored.
//!
//! **The same file with the same options is the same import**, by its hash.

mod file;
mod job;
mod options;
mod preview;
mod reading;
mod sent;
mod store;

pub use file::CHUNK_BYTES;
pub(crate) use file::StoreError;
pub(crate) use job::ingest_options;
pub use job::{Jobs, run_next};
pub(crate) use options::Options;
pub(crate) use preview::{Preview, Refused, Request as PreviewRequest, read as read_preview};
pub(crate) use reading::JOB;
pub(crate) use store::{Imports, Stored};

use std::fmt::Write as _;

use plant_files::{Format, Role};

use crate::store::LoggerRole;

/// The role of a device in the catalogue.
fn role(role: Role) -> LoggerRole {
    match role {
        Role::Inverter => LoggerRole::Inverter,
        Role::Meter => LoggerRole::Meter,
        Role::Weather => LoggerRole::Weather,
    }
}

/// The type of the loggers of a file.
fn logger_type(format: Format) -> Option<String> {
    (!format.is_table()).then(|| format.name().to_owned())
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
