//! `run_sql`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{ResultColumn, SqlFinding};
use crate::tools::{Tool, ToolCategory};

/// The tool `run_sql`.
#[derive(Debug, Clone, Copy)]
pub struct RunSql;

impl Tool for RunSql {
    const NAME: &'static str = "run_sql";
    const CATEGORY: ToolCategory = ToolCategory::Database;
    const SUMMARY: &'static str = "Checks a query and runs it.";
    const DESCRIPTION: &'static str =
        "Checks one read-only query and runs it within limits; answers with rows.";

    type Arguments = RunSqlArguments;
    type Result = SqlRun;
}

/// Arguments of `run_sql`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunSqlArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// One query in the target's dialect, with logical table names.
    #[schema(min_length = 1, max_length = 50000)]
    pub sql: String,
    /// Maximum number of rows, below the service's own limit. Default: 100.
    #[serde(default = "hundred")]
    #[schema(minimum = 1, maximum = 10000, default = 100)]
    pub max_rows: u32,
}

fn hundred() -> u32 {
    100
}

/// Result of `run_sql`. With the envelope's status `ok` the outcome is `rows`; with `error` it is
/// one of the others, and the envelope's message says why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SqlRun {
    /// The target asked.
    pub target: String,
    /// The result of it.
    pub outcome: SqlOutcome,
    /// What ran, or would have: with secure views, row filters and limit in it. Absent when it was
    /// refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The tables it read, by their logical names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
    /// The columns of the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ResultColumn>,
    /// The rows, as objects by column name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub rows: Vec<Map<String, Value>>,
    /// Number of rows that are here.
    pub row_count: u32,
    /// Whether there were more: a limit cut them.
    pub truncated: bool,
    /// The limit that cut the result; absent if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated_by: Option<SqlCut>,
    /// Time that the database took, ms.
    pub elapsed_ms: f64,
    /// Number of rows that the database expected to read; absent where it does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_rows: Option<f64>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<SqlFinding>,
    /// The reason why there are no rows, for the person who asked: the envelope's message is for
    /// the writer of the query. Empty with rows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub person: String,
}

/// A limit that cut a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SqlCut {
    /// The limit on rows: there are more rows.
    Rows,
    /// The limit on bytes: the next row would not have fitted.
    Bytes,
    /// The limit on the text of an aggregate: a list in the result does not have all of its values.
    Lists,
}

/// The result of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SqlOutcome {
    /// It ran; there may be no rows.
    Rows,
    /// The guard refused it: see the findings. Another query may do.
    Refused,
    /// The database did not accept it: see the message. Another query may do.
    Rejected,
    /// The database expects to read more than is allowed. A narrower query may do.
    TooExpensive,
    /// It took longer than it may. A narrower query may do.
    TimedOut,
    /// The database cannot be reached, or refuses the connection. No other query helps.
    Unavailable,
}
