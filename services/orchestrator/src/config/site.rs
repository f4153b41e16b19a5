//! `[site]`: what a model may do for the site assistant.

use std::time::Duration;

use agent_site::ModelOptions;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

/// `[site]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteConfig {
    /// Whether a model says what an unclear message asks for.
    pub model_routing: bool,
    /// Whether a model words the answers of the workflows. Free chat is always its own.
    pub model_narratives: bool,
    /// Maximum number of calls of the model in one turn of free chat.
    pub max_steps: u32,
    /// Tool calls of one answer of the model that are made.
    pub max_calls_per_step: usize,
    /// Tool calls of one turn.
    pub max_calls: usize,
    /// Time that a classification may take.
    pub routing_timeout_ms: u64,
    /// Time that a narrative may take, to its last word.
    pub narrative_timeout_ms: u64,
}

impl SiteConfig {
    /// In the assistant's own terms.
    pub fn model_options(&self) -> ModelOptions {
        ModelOptions {
            routing: self.model_routing,
            narratives: self.model_narratives,
            max_steps: self.max_steps,
            max_calls_per_step: self.max_calls_per_step,
            max_calls: self.max_calls,
            routing_timeout: Duration::from_millis(self.routing_timeout_ms),
            narrative_timeout: Duration::from_millis(self.narrative_timeout_ms),
        }
    }
}

impl Default for SiteConfig {
    fn default() -> Self {
        Self {
            model_routing: true,
            model_narratives: true,
            max_steps: 8,
            max_calls_per_step: 12,
            max_calls: 32,
            routing_timeout_ms: 10_000,
            narrative_timeout_ms: 30_000,
        }
    }
}

impl Validate for SiteConfig {
    fn validate(&self) -> Result<(), Invalid> {
        if !(1..=100).contains(&self.max_steps) {
            return Err(Invalid::new("max_steps", "must be 1 to 100"));
        }
        positive("max_calls_per_step", self.max_calls_per_step as u64)?;
        positive("max_calls", self.max_calls as u64)?;
        positive("routing_timeout_ms", self.routing_timeout_ms)?;
        positive("narrative_timeout_ms", self.narrative_timeout_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_assistants_own() {
        assert_eq!(
            SiteConfig::default().model_options(),
            ModelOptions::default()
        );
    }
}
