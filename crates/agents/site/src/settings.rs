//! The settings of the site assistant: its use of a model.

use std::time::Duration;

use agent_kit::{
    InvalidSetting, Settings, ToolLimits,
    settings::{lasting, milliseconds, positive, within},
};
use serde::{Deserialize, Serialize};

/// `[site]`: what a model is used for, and how much it may do in one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteSettings {
    /// Whether it says which workflow an unclear message asks for.
    #[serde(rename = "model_routing")]
    pub routing: bool,
    /// Whether it words the workflows' answers. Free chat is always its own.
    #[serde(rename = "model_narratives")]
    pub narratives: bool,
    /// Questions to it in one turn of free chat, the closing one excepted.
    pub max_steps: u32,
    /// Tool calls of one of its answers that are made; the others are refused as too many.
    pub max_calls_per_step: usize,
    /// Tool calls of one turn.
    pub max_calls: usize,
    /// Time limit of a classification.
    #[serde(rename = "routing_timeout_ms", with = "milliseconds")]
    pub routing_timeout: Duration,
    /// Time limit of a narrative, from the question to its last word.
    #[serde(rename = "narrative_timeout_ms", with = "milliseconds")]
    pub narrative_timeout: Duration,
}

impl SiteSettings {
    pub(crate) fn tool_limits(&self) -> ToolLimits {
        ToolLimits {
            max_steps: self.max_steps,
            max_calls_per_step: self.max_calls_per_step,
            max_calls: self.max_calls,
        }
    }
}

impl Default for SiteSettings {
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

impl Settings for SiteSettings {
    fn validate(&self) -> Result<(), InvalidSetting> {
        within("max_steps", u64::from(self.max_steps), 1..=100)?;
        positive("max_calls_per_step", self.max_calls_per_step as u64)?;
        positive("max_calls", self.max_calls as u64)?;
        lasting("routing_timeout_ms", self.routing_timeout)?;
        lasting("narrative_timeout_ms", self.narrative_timeout)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_read_from_their_section_and_check_themselves() {
        let section = json!({
            "model_routing": false,
            "model_narratives": true,
            "max_steps": 3,
            "max_calls_per_step": 12,
            "max_calls": 32,
            "routing_timeout_ms": 10_000,
            "narrative_timeout_ms": 30_000,
        });
        let settings: SiteSettings = serde_json::from_value(section.clone()).unwrap();
        let expected = SiteSettings {
            routing: false,
            max_steps: 3,
            ..SiteSettings::default()
        };
        assert_eq!(settings, expected);
        assert_eq!(serde_json::to_value(&settings).unwrap(), section);
        let refused = SiteSettings {
            routing_timeout: Duration::ZERO,
            ..settings
        };
        assert_eq!(refused.validate().unwrap_err().key, "routing_timeout_ms");
    }
}
