//! Why an upload was not read to its end.

use std::io;

use contracts::measurements::IngestReport;

use super::rows::Broken;

/// What ended an upload.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The tenant has no site of that id.
    #[error("there is no site {site:?}")]
    UnknownSite {
        /// The id.
        site: String,
        /// The tenant's sites.
        available: Vec<String>,
    },
    /// A new logger came, and no site was named for it.
    #[error("{}", site_needed(logger_id, available))]
    SiteNeeded {
        /// The new logger.
        logger_id: String,
        /// The tenant's sites.
        available: Vec<String>,
    },
    /// A column that the options name is not in the file.
    #[error("{0}")]
    UnknownColumn(String),
    /// The bytes cannot be read from here on.
    #[error("{}", unreadable(*row, reason))]
    Unreadable {
        /// The row at fault, counted from 1; 0 when it is the head of the file.
        row: u64,
        /// The fault.
        reason: String,
    },
    /// The bytes did not come: the client went away, the compression is broken, the file cannot be
    /// read.
    #[error("the body cannot be read to its end: {0}")]
    Body(io::Error),
    /// The import of the rows was cancelled, or another worker continues it.
    #[error("the import was cancelled, or another worker continues it")]
    Lost,
    /// The database refused or is away.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// What ended an upload, and what had been stored before.
#[derive(Debug, thiserror::Error)]
#[error("the upload was not read to its end; {} rows of it are stored and stay", self.stored())]
pub struct IngestFailure {
    /// What ended it.
    #[source]
    pub error: IngestError,
    /// The result of the rows before. Those that were stored stay stored.
    pub before: IngestReport,
}

impl IngestFailure {
    /// Number of rows that had been stored.
    pub fn stored(&self) -> u64 {
        self.before.accepted + self.before.replaced
    }

    /// What ended it, and that what had been stored stays, in a sentence for the sender.
    pub fn explain(&self) -> String {
        match self.stored() {
            0 => self.error.to_string(),
            stored => format!(
                "{} ({stored} rows before that are stored and stay; sending them again changes nothing)",
                self.error
            ),
        }
    }
}

impl From<IngestError> for IngestFailure {
    fn from(error: IngestError) -> Self {
        Self {
            error,
            before: IngestReport::default(),
        }
    }
}

impl From<Broken> for IngestError {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Body { row, reason } => Self::Unreadable { row, reason },
            Broken::Columns(reason) => Self::UnknownColumn(reason),
        }
    }
}

fn site_needed(logger_id: &str, available: &[String]) -> String {
    if available.is_empty() {
        format!("the logger {logger_id:?} is new, and there is no site that it could join")
    } else {
        format!(
            "the logger {logger_id:?} is new and there are several sites; name the one that it joins with `site`"
        )
    }
}

fn unreadable(row: u64, reason: &str) -> String {
    match row {
        0 => reason.to_owned(),
        row => format!("row {row}: {reason}"),
    }
}
