//! Token usage.

use serde::{Deserialize, Serialize};

/// Token counts of one call or of several, as providers report them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, including those from a cache.
    pub input_tokens: u64,
    /// The input tokens that the provider read from its cache.
    pub cached_input_tokens: u64,
    /// Output tokens, including reasoning.
    pub output_tokens: u64,
    /// The output tokens of reasoning.
    pub reasoning_tokens: u64,
    /// The cost in millionths of the currency of `[llm.prices]`; 0 where the model has no price.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cost_micros: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.cached_input_tokens = self
            .cached_input_tokens
            .saturating_add(more.cached_input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(more.reasoning_tokens);
        self.cost_micros = self.cost_micros.saturating_add(more.cost_micros);
    }
}
