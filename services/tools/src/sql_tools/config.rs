//! `[sql]` of the configuration.

use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

/// `[sql]`: the tools over target databases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlConfig {
    /// A confirmed question that is less like the one asked is not shown, 0 to 1.
    pub past_questions_min_score: f64,
    /// Maximum number of a tenant's confirmed questions that are compared, the newest ones.
    pub past_questions_compared: u32,
}

impl Default for SqlConfig {
    fn default() -> Self {
        Self {
            past_questions_min_score: 0.35,
            past_questions_compared: 2_000,
        }
    }
}

impl Validate for SqlConfig {
    fn validate(&self) -> Result<(), Invalid> {
        if !(0.0..=1.0).contains(&self.past_questions_min_score) {
            return Err(Invalid::new(
                "past_questions_min_score",
                "must be between 0 and 1",
            ));
        }
        positive(
            "past_questions_compared",
            self.past_questions_compared.into(),
        )
    }
}
