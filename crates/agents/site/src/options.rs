//! What a model may do here.

use std::time::Duration;

/// What a model is used for, and how much it may do in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelOptions {
    /// Whether it says which workflow an unclear message asks for.
    pub routing: bool,
    /// Whether it words the workflows' answers. Free chat is always its own.
    pub narratives: bool,
    /// How often free chat asks it in one turn, the closing call excepted.
    pub max_steps: u32,
    /// Tool calls of one of its answers that are made; it is told that the others were too many.
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
