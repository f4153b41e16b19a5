//! `list_tables`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SqlDialect;
use crate::tools::{Tool, ToolCategory};

/// The tool `list_tables`.
#[derive(Debug, Clone, Copy)]
pub struct ListTables;

impl Tool for ListTables {
    const NAME: &'static str = "list_tables";
    const CATEGORY: ToolCategory = ToolCategory::Database;
    const SUMMARY: &'static str = "The tables of a target database.";
    const DESCRIPTION: &'static str = "Lists the tables of the business database; with a question, those that fit it best come first.";

    type Arguments = ListTablesArguments;
    type Result = TableList;
}

/// Arguments of `list_tables`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTablesArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// Tables that fit this question come first, with a score; otherwise they come by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 16384)]
    pub question: Option<String>,
    /// Maximum number of tables. Default: 250.
    #[serde(default = "two_hundred_and_fifty")]
    #[schema(minimum = 1, maximum = 5000, default = 250)]
    pub limit: u32,
}

fn two_hundred_and_fifty() -> u32 {
    250
}

/// Result of `list_tables`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TableList {
    /// The target asked.
    pub target: String,
    /// How it writes SQL.
    pub dialect: SqlDialect,
    /// Every target of the tenant.
    pub targets: Vec<TargetSummary>,
    /// Number of tables that may be used.
    pub total: u32,
    /// The listed tables.
    pub tables: Vec<TableSummary>,
}

/// A target database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetSummary {
    /// The name of the target.
    pub name: String,
    /// How it writes SQL.
    pub dialect: SqlDialect,
    /// The operator's description of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Why it cannot be asked, as it was found when it was last looked at: its database is away or
    /// refuses the login, the role may do more than read, or no table is to be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A table that may be used, by its logical name: a protected table is read through its secure
/// view, which queries do not name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TableSummary {
    /// The name of the target.
    pub name: String,
    /// The database's own comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Number of columns that it has.
    pub columns: u32,
    /// The names of its columns, the first 60.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub column_names: Vec<String>,
    /// Number of relationships of the table.
    pub relationships: u32,
    /// Whether it is read through a secure view.
    pub secure: bool,
    /// The relevance to the question, 0 to 1; only with `question`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}
