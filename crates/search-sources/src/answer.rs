//! The answer of an engine.

use contracts::tools::search::Total;
use serde_json::{Map, Value};

/// The rows of a query, and what is to be said of them.
pub(crate) struct SourceResult {
    pub(crate) rows: Vec<Map<String, Value>>,
    pub(crate) total: Total,
    pub(crate) took_ms: u64,
    /// A sentence about the missing part of the answer.
    pub(crate) partial: Option<String>,
}
