//! An overview of a tenant's data: `GET /api/data-overview` of the tools service. It uses data that
//! are known already; no business data are read for it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::search::IndexDescription;

/// An overview of the caller's tenant's data. Of each kind the first few are named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DataOverview {
    /// Loggers with readings, the ones with the newest first.
    pub loggers: Vec<LoggerGlance>,
    /// Target databases.
    pub targets: Vec<TargetGlance>,
    /// Search sources.
    pub sources: Vec<SourceGlance>,
    /// Documents, the newest first.
    pub documents: Vec<DocumentGlance>,
    /// The names of upstream services.
    pub upstreams: Vec<String>,
}

/// A logger with readings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoggerGlance {
    /// The logger.
    pub logger_id: String,
    /// The site's day of its newest reading.
    pub latest_day: chrono::NaiveDate,
    /// The newest day on which this logger and the first one of the list delivered energy, so that
    /// it can be compared; absent for the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub day_with_first: Option<chrono::NaiveDate>,
}

/// A target database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetGlance {
    /// The name of the target.
    pub name: String,
    /// The operator's description of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Questions that it answers for the caller: confirmed ones, then those that come with it. None
    /// while it is away.
    pub questions: Vec<String>,
}

/// A search source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceGlance {
    /// The name of the source.
    pub name: String,
    /// The operator's description of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its indices. None while it is away.
    pub indices: Vec<IndexDescription>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentGlance {
    /// Its title, or its name where it has none.
    pub title: String,
    /// The heading of a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}
