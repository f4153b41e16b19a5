//! Errors of loading a graph and of queries on it.

use std::path::PathBuf;

/// Why a graph was not loaded, or why a query on it failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading the file failed.
    #[error("cannot read the join graph {path}")]
    Read {
        /// The path of the graph file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text is not a join graph. The message has the line and the column.
    #[error("not a join graph: {0}")]
    Malformed(#[source] serde_json::Error),
    /// The file has a format version that this program does not support.
    #[error("join graph version {0} is not supported; this program reads version 1")]
    Version(u64),
    /// Two tables differ only in case.
    #[error("tables '{0}' and '{1}' differ only in case")]
    SameTable(String, String),
    /// A confidence is not between 0 and 1.
    #[error(
        "confidence {confidence} of relationship {index} ({relationship}) is not between 0 and 1"
    )]
    Confidence {
        /// The position in the file, from 0.
        index: usize,
        /// The relationship, written as a join condition.
        relationship: String,
        /// The value in the file.
        confidence: f64,
    },
    /// The threshold is not between 0 and 1.
    #[error("confidence threshold {0} is not between 0 and 1")]
    Threshold(f64),
    /// The graph does not have the table.
    #[error("table '{name}' is not in the join graph{}", nearest.as_ref().map(|near| format!("; did you mean '{near}'?")).unwrap_or_default())]
    UnknownTable {
        /// The name in the request.
        name: String,
        /// A table with a similar name, if there is one.
        nearest: Option<String>,
    },
}
