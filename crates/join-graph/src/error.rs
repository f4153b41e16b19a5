//! What can go wrong when a graph is loaded or asked.

use std::path::PathBuf;

/// Why a graph was not loaded, or a question about it not answered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be read.
    #[error("cannot read the join graph {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not a join graph; the message has line and column.
    #[error("not a join graph: {0}")]
    Malformed(#[source] serde_json::Error),
    /// The file was written for another version of the format.
    #[error("join graph version {0} is not supported; this program reads version 1")]
    Version(u64),
    /// Two tables differ by nothing but their case.
    #[error("tables '{0}' and '{1}' differ only in case")]
    SameTable(String, String),
    /// A confidence is not a share.
    #[error(
        "confidence {confidence} of relationship {index} ({relationship}) is not between 0 and 1"
    )]
    Confidence {
        /// Its position in the file, from 0.
        index: usize,
        /// The relationship, as a join condition.
        relationship: String,
        /// What was found.
        confidence: f64,
    },
    /// The threshold is not a share.
    #[error("confidence threshold {0} is not between 0 and 1")]
    Threshold(f64),
    /// A table that the graph does not have.
    #[error("table '{name}' is not in the join graph{}", nearest.as_ref().map(|near| format!("; did you mean '{near}'?")).unwrap_or_default())]
    UnknownTable {
        /// As asked.
        name: String,
        /// A table of a similar name, if there is one.
        nearest: Option<String>,
    },
}
