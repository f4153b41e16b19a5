//! `[delegation]`: for which upstream tokens in requests are.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

/// `[delegation]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelegationConfig {
    /// The upstream of the tools service that a token in a request's context is handed over for.
    /// Absent: such tokens are dropped.
    pub upstream: Option<String>,
    /// Time limit for the handover of a credential; then the run begins without it.
    pub timeout_ms: u64,
}

impl Default for DelegationConfig {
    fn default() -> Self {
        Self {
            upstream: None,
            timeout_ms: 5_000,
        }
    }
}

impl DelegationConfig {
    /// `timeout_ms`.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

impl Validate for DelegationConfig {
    fn validate(&self) -> Result<(), Invalid> {
        if self.upstream.as_deref() == Some("") {
            return Err(Invalid::new("upstream", "must not be empty"));
        }
        positive("timeout_ms", self.timeout_ms)
    }
}
