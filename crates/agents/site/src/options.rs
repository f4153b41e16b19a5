//! The permissions and limits of a model.

use std::time::Duration;

/// The uses of a model, and its limits in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelOptions {
    /// Whether it says which workflow an unclear message asks for.
    pub routing: bool,
    /// Whether it words the workflows' answers. Free chat is always its own.
    pub narratives: bool,
    /// Maximum number of calls of the model in one turn of free chat, the closing call excepted.
    pub max_steps: u32,
    /// Maximum number of tool calls in one answer that are made; the model gets an error for the
    /// others.
    pub max_calls_per_step: usize,
    /// Tool calls of one turn.
    pub max_calls: usize,
    /// Time that a classification may take.
    pub routing_timeout: Duration,
    /// Time that a narrative may take, from the question to its last word.
    pub narrative_timeout: Duration,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            routing: true,
            narratives: true,
            max_steps: 8,
            max_calls_per_step: 12,
            max_calls: 32,
            routing_timeout: Duration::from_secs(10),
            narrative_timeout: Duration::from_secs(30),
        }
    }
}
