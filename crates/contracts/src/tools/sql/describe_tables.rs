//! `describe_tables`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{JoinEdge, SqlDialect};
use crate::tools::{Tool, ToolCategory};

/// The tool `describe_tables`.
#[derive(Debug, Clone, Copy)]
pub struct DescribeTables;

impl Tool for DescribeTables {
    const NAME: &'static str = "describe_tables";
    const CATEGORY: ToolCategory = ToolCategory::Database;
    const SUMMARY: &'static str = "Columns, keys and sample rows of some tables.";
    const DESCRIPTION: &'static str =
        "Columns, types, keys and relationships of some tables, with sample rows on request.";

    type Arguments = DescribeTablesArguments;
    type Result = TableDescriptions;
}

/// Arguments of `describe_tables`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DescribeTablesArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// The tables, 1 to 50.
    #[schema(min_items = 1, max_items = 50)]
    pub tables: Vec<String>,
    /// Maximum number of columns of each. Keys are kept first. Default: 50.
    #[serde(default = "fifty")]
    #[schema(minimum = 1, maximum = 1000, default = 50)]
    pub max_columns: u32,
    /// Sample rows of each, of the tenant's own. Default: none.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 5, default = 0)]
    pub sample_rows: u32,
}

fn fifty() -> u32 {
    50
}

/// Result of `describe_tables`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TableDescriptions {
    /// The target asked.
    pub target: String,
    /// How it writes SQL.
    pub dialect: SqlDialect,
    /// The tables that are there, in the order asked.
    pub tables: Vec<TableDescription>,
    /// Names that are not tables.
    pub unknown: Vec<UnknownTable>,
    /// The relationships among the tables described.
    pub relationships: Vec<JoinEdge>,
}

/// A table with its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TableDescription {
    /// The name of the target.
    pub name: String,
    /// The database's own comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A remark that belongs into each answer about its rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Its columns, in the table's order.
    pub columns: Vec<ColumnDescription>,
    /// Number of columns that were left out.
    pub omitted_columns: u32,
    /// Sample rows, long values cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub samples: Vec<Map<String, Value>>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ColumnDescription {
    /// The name of the target.
    pub name: String,
    /// Its type, as the database writes it.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether its values are unique, by primary key or otherwise.
    pub unique: bool,
    /// The database's own comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A remark that belongs into each answer about its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// A name that is not a table of the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnknownTable {
    /// As it was asked for.
    pub name: String,
    /// The nearest names there are.
    pub suggestions: Vec<String>,
}
