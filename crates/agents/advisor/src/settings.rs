//! The limits of one turn of the advisor.

use agent_kit::{
    InvalidSetting, Settings, ToolLimits,
    settings::{positive, within},
};
use contracts::tools::knowledge::names;
use serde::{Deserialize, Serialize};

/// `[advisor]`: limits of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdvisorSettings {
    /// Number of times that the model is asked in one turn, the closing question excepted.
    pub max_steps: u32,
    /// Maximum number of tool calls in one answer that are made; the model gets an error for the
    /// others.
    pub max_calls_per_step: usize,
    /// Tool calls of one turn.
    pub max_calls: usize,
    /// Maximum number of bytes of one result for a model.
    pub max_result_bytes: usize,
    /// The tool that searches documents.
    pub knowledge_tool: String,
    /// Quotations in an answer without a model.
    pub quotes: usize,
}

impl AdvisorSettings {
    pub(crate) fn tool_limits(&self) -> ToolLimits {
        ToolLimits {
            max_steps: self.max_steps,
            max_calls_per_step: self.max_calls_per_step,
            max_calls: self.max_calls,
        }
    }
}

impl Default for AdvisorSettings {
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

impl Settings for AdvisorSettings {
    fn validate(&self) -> Result<(), InvalidSetting> {
        within("max_steps", u64::from(self.max_steps), 1..=100)?;
        positive("max_calls_per_step", self.max_calls_per_step as u64)?;
        positive("max_calls", self.max_calls as u64)?;
        within(
            "max_result_bytes",
            self.max_result_bytes as u64,
            1_000..=1_000_000,
        )?;
        within("quotes", self.quotes as u64, 1..=20)?;
        let known = [names::CLIMATE_VECTOR_SEARCH, names::KNOWLEDGE_SEARCH];
        if !known.contains(&self.knowledge_tool.as_str()) {
            let reason = format!("must be one of {}", known.join(", "));
            return Err(InvalidSetting::new("knowledge_tool", reason));
        }
        Ok(())
    }
}
