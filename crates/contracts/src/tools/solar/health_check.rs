//! `health_check`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::{Tool, ToolCategory};

/// The tool `health_check`.
#[derive(Debug, Clone, Copy)]
pub struct HealthCheck;

impl Tool for HealthCheck {
    const NAME: &'static str = "health_check";
    const CATEGORY: ToolCategory = ToolCategory::Service;
    const SUMMARY: &'static str = "Whether the service and its database work.";
    const DESCRIPTION: &'static str = "Whether the tools service and its database work.";

    type Arguments = HealthCheckArguments;
    type Result = HealthReport;
}

/// Arguments of `health_check`: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthCheckArguments {}

/// Result of `health_check`, also the `details` of `GET /api/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthReport {
    /// Always `health_check`.
    #[serde(rename = "type")]
    #[schema(example = "health_check")]
    pub kind: String,
    /// The state in a word.
    pub status: ServiceHealth,
    /// `healthy`, or what is wrong in words for a user.
    pub database: String,
    /// The database's connections.
    pub pool_stats: Option<PoolStats>,
}

/// The state of a service in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ServiceHealth {
    Healthy,
    Degraded,
}

/// Connections to the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PoolStats {
    /// Connections open.
    pub pool_size: u32,
    /// Of them idle.
    pub checked_in: u32,
    /// Of them in use.
    pub checked_out: u32,
    /// Connections beyond the configured number; always 0, the pool is bounded.
    pub overflow: u32,
}

/// `GET /api/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiHealth {
    /// The state in a word.
    pub status: ServiceHealth,
    /// Always `solar-analyst-http`, the name that existing clients look for.
    #[schema(example = "solar-analyst-http")]
    pub service: String,
    /// The findings.
    pub details: HealthReport,
}
