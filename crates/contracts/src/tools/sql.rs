//! The tools over target databases: what is there, how it joins, whether a query may run, and
//! running it.
//!
//! Rows are objects in the query's column order. Decimals that a double cannot hold exactly are
//! strings; dates and times are ISO 8601 without a zone unless the column has one; bytes are
//! base64.

mod check_sql;
mod confirm_question;
mod describe_tables;
mod find_join_paths;
mod find_past_questions;
mod forget_question;
mod list_tables;
mod measure;
mod run_sql;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use check_sql::*;
pub use confirm_question::*;
pub use describe_tables::*;
pub use find_join_paths::*;
pub use find_past_questions::*;
pub use forget_question::*;
pub use list_tables::*;
pub use measure::*;
pub use run_sql::*;

/// The tools over target databases, in the order in which
/// they are listed: the constant of the name, the module in the tools service, the type.
#[macro_export]
macro_rules! sql_tools {
    ($with:ident $($extra:tt)?) => {
        $with! {
            $($extra)?
            LIST_TABLES list_tables $crate::tools::sql::ListTables,
            DESCRIBE_TABLES describe_tables $crate::tools::sql::DescribeTables,
            FIND_JOIN_PATHS find_join_paths $crate::tools::sql::FindJoinPaths,
            CHECK_SQL check_sql $crate::tools::sql::CheckSql,
            RUN_SQL run_sql $crate::tools::sql::RunSql,
            FIND_PAST_QUESTIONS find_past_questions $crate::tools::sql::FindPastQuestions,
            CONFIRM_QUESTION confirm_question $crate::tools::sql::ConfirmQuestion,
            FORGET_QUESTION forget_question $crate::tools::sql::ForgetQuestion,
        }
    };
}

/// The names of these tools.
pub mod names {
    crate::sql_tools!(tool_names);
}

/// How a target database writes SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SqlDialect {
    /// MySQL 8 or MariaDB.
    Mysql,
    /// PostgreSQL.
    Postgresql,
}

/// Two columns that join two tables, as the join graph has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JoinEdge {
    /// The table on one side.
    pub from_table: String,
    /// The column on that side.
    pub from_column: String,
    /// The table on the other side.
    pub to_table: String,
    /// The column on the other side.
    pub to_column: String,
    /// The other pairs of columns of the same composite key, on the same sides: all of them hold
    /// together, with AND.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub and: Vec<ColumnPair>,
    /// `foreign_key`, `business`, `manual`, `heuristic` or `proposed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// 0 to 1.
    pub confidence: f64,
    /// `1:1`, `N:1`, `1:N` or `unknown`.
    pub cardinality: String,
    /// Whether no key declares it: names, data or a model suggest it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
    /// Why it is believed, where it is guessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl JoinEdge {
    /// The condition, with dots between tables and columns: `a.x = b.x AND a.y = b.y`.
    pub fn condition(&self) -> String {
        let pair =
            |from: &str, to: &str| format!("{}.{from} = {}.{to}", self.from_table, self.to_table);
        let mut condition = pair(&self.from_column, &self.to_column);
        for more in &self.and {
            condition.push_str(" AND ");
            condition.push_str(&pair(&more.from_column, &more.to_column));
        }
        condition
    }
}

/// A further pair of columns of a composite key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ColumnPair {
    /// The column of the edge's `from_table`.
    pub from_column: String,
    /// The column of its `to_table`.
    pub to_column: String,
}

/// One thing that is wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SqlFinding {
    /// For programs: `unknown_table`, `unknown_column`, `not_a_read`, …
    pub kind: String,
    /// For the writer of the query, a person or a model: with what was meant where that is known.
    pub message: String,
    /// For the person who asked: what is wrong, without how to write it otherwise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub person: String,
    /// The name in the query that the finding is about, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// The tables that the finding is about, or that have the column which another has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResultColumn {
    /// The label of the column.
    pub name: String,
    /// What its values are.
    #[serde(rename = "type")]
    pub kind: ValueKind,
}

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ValueKind {
    Number,
    Text,
    Boolean,
    Date,
    Time,
    DateTime,
    Json,
    Binary,
    Other,
}

/// Whether a word of a column's name says what amounts are in, beside currencies.
pub fn is_unit_word(word: &str) -> bool {
    matches!(word, "unit" | "units" | "uom" | "einheit")
}

/// Whether a word of a column's name says in which currency amounts are. In German, it ends others:
/// "Belegwährung".
pub fn is_currency_word(word: &str) -> bool {
    const CURRENCIES: [&str; 8] = [
        "currency", "ccy", "währung", "waehrung", "wahrung", "devise", "moneda", "valuta",
    ];
    CURRENCIES.iter().any(|name| word.ends_with(name))
}
