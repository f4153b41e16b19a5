//! Why a file as a whole cannot be read.

use std::io;

/// Why a file cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// Its content fits no format.
    #[error("{0}")]
    Unknown(String),
    /// It is of this format and broken.
    #[error("line {line}: {reason}")]
    Broken {
        /// The line, counted from 1.
        line: u64,
        /// The fault.
        reason: String,
    },
    /// The same, in a file without lines.
    #[error("{0}")]
    Damaged(String),
    /// Something that the file lacks, such as the id of its device, has to be named.
    #[error("{0}")]
    Needed(String),
    /// It is a file of the logger without readings, such as its configuration.
    #[error("{0}")]
    NotData(String),
    /// None of its rows can be used.
    #[error("no row of the file can be used: {0}")]
    NoRows(String),
    /// The bytes cannot be read.
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The receiver of the rows stopped the reading.
    #[error("the reading was stopped")]
    Stopped,
}

impl FileError {
    /// A fault of a line.
    pub fn at(line: u64, reason: impl Into<String>) -> Self {
        Self::Broken {
            line,
            reason: reason.into(),
        }
    }
}
