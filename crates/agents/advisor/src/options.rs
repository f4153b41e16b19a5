//! What the advisor may do in one turn.

use contracts::tools::knowledge::names;

/// Limits of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvisorOptions {
    /// How often the model is asked in one turn, the closing call excepted.
    pub max_steps: u32,
    /// Tool calls of one of its answers that are made; it is told that the others were too many.
    pub max_calls_per_step: usize,
    /// Tool calls of one turn.
    pub max_calls: usize,
    /// The most bytes of one result that a model gets.
    pub max_result_bytes: usize,
    /// The name under which documents are searched.
    pub knowledge_tool: String,
    /// Quotations in an answer without a model.
    pub quotes: usize,
}

impl Default for AdvisorOptions {
    fn default() -> Self {
        Self {
            max_steps: 8,
            max_calls_per_step: 8,
            max_calls: 24,
            max_result_bytes: 24_000,
            knowledge_tool: names::CLIMATE_VECTOR_SEARCH.to_owned(),
            quotes: 3,
        }
    }
}
