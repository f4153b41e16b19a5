//! `check_sql`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SqlFinding;
use crate::tools::{Tool, ToolCategory};

/// The tool `check_sql`.
#[derive(Debug, Clone, Copy)]
pub struct CheckSql;

impl Tool for CheckSql {
    const NAME: &'static str = "check_sql";
    const CATEGORY: ToolCategory = ToolCategory::Database;
    const SUMMARY: &'static str = "Whether a query may run, and what is wrong with it.";
    const DESCRIPTION: &'static str = "Whether a query may run, and everything that is wrong with it, with what was probably meant.";

    type Arguments = CheckSqlArguments;
    type Result = SqlCheck;
}

/// Arguments of `check_sql`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSqlArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// One query in the target's dialect, with logical table names.
    #[schema(min_length = 1, max_length = 50000)]
    pub sql: String,
}

/// Result of `check_sql`: also when the query may not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SqlCheck {
    /// The target asked.
    pub target: String,
    /// Whether it may run.
    pub valid: bool,
    /// What would run: with secure views, the tenant's row filters and the row limit in it. There
    /// when it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The tables it reads, by their logical names. There when it may run.
    pub tables: Vec<String>,
    /// Everything that is wrong with it.
    pub findings: Vec<SqlFinding>,
}
