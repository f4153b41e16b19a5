//! What an engine brought.

use contracts::tools::search::Total;
use serde_json::{Map, Value};

/// The rows of a query, and what is to be said of them.
pub(crate) struct Answer {
    pub(crate) rows: Vec<Map<String, Value>>,
    pub(crate) total: Total,
    pub(crate) took_ms: u64,
    /// What is missing, as a sentence.
    pub(crate) partial: Option<String>,
}
