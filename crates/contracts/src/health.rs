//! Liveness and readiness, the same for each service.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether a service can work, and what keeps it from working.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// `ready` or `unavailable`.
    pub status: ReadinessStatus,
    /// The service.
    #[schema(example = "tools")]
    pub service: String,
    /// Each thing the service needs.
    pub checks: Vec<ReadinessCheck>,
}

/// The overall state of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadinessStatus {
    /// Every check passed.
    Ready,
    /// At least one check failed.
    Unavailable,
}

/// One thing that a service needs.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReadinessCheck {
    /// The name of the check.
    #[schema(example = "database")]
    pub name: String,
    /// Whether it is there.
    pub ok: bool,
    /// A detail: its version, or the reason why it is unavailable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
