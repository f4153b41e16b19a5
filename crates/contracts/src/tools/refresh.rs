//! Reading a target's catalogue again.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A target's catalogue after it was read again. Only the parts that its policy shows are returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefreshedTarget {
    /// The target database.
    pub target: String,
    /// When it was read.
    pub read_at: DateTime<Utc>,
    /// Number of tables that may be asked.
    pub tables: u32,
    /// Number of relationships join them.
    pub relationships: u32,
    /// Tables that were not there before.
    pub added: Vec<String>,
    /// Tables that are not there any more.
    pub removed: Vec<String>,
    /// Tables with other columns than before.
    pub changed: Vec<ChangedTable>,
}

/// A table with other columns than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedTable {
    /// The name of the table.
    pub name: String,
    /// Columns that were not there before.
    pub added: Vec<String>,
    /// Columns that are not there any more.
    pub removed: Vec<String>,
    /// Columns of another type than before.
    pub retyped: Vec<String>,
}
