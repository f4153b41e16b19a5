//! `find_join_paths`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{JoinEdge, UnknownTable};
use crate::tools::{Tool, ToolCategory};

/// The tool `find_join_paths`.
#[derive(Debug, Clone, Copy)]
pub struct FindJoinPaths;

impl Tool for FindJoinPaths {
    const NAME: &'static str = "find_join_paths";
    const CATEGORY: ToolCategory = ToolCategory::Database;
    const SUMMARY: &'static str = "How some tables join.";
    const DESCRIPTION: &'static str = "How some tables join: the smallest tree of joins over them, the tables in between, and the shortest path of each pair.";

    type Arguments = FindJoinPathsArguments;
    type Result = JoinPlan;
}

/// A join that the caller proposes, where none is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedJoin {
    /// The table that refers.
    #[schema(min_length = 1, max_length = 200)]
    pub from_table: String,
    /// The column that refers.
    #[schema(min_length = 1, max_length = 200)]
    pub from_column: String,
    /// The table referred to.
    #[schema(min_length = 1, max_length = 200)]
    pub to_table: String,
    /// The column that refers.
    #[schema(min_length = 1, max_length = 200)]
    pub to_column: String,
}

/// Arguments of `find_join_paths`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FindJoinPathsArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// The tables to join, 1 to 20.
    #[schema(min_items = 1, max_items = 20)]
    pub tables: Vec<String>,
    /// Relationships below this confidence are not used. Default: the service's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1)]
    pub min_confidence: Option<f64>,
    /// The question that is to be answered: its words decide between joins that are as good as each
    /// other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16384)]
    pub question: Option<String>,
    /// Joins to use where no other is known, at most 20. One whose columns do not exist, are of
    /// different kinds, or hold different values is left out. Those used are marked as guesses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub proposed: Vec<ProposedJoin>,
    /// Maximum number of joins between two of the tables. Default: 4.
    #[serde(default = "four")]
    #[schema(minimum = 1, maximum = 8, default = 4)]
    pub max_hops: u32,
    /// Maximum number of returned paths, the shortest first. Default: 15.
    #[serde(default = "fifteen")]
    #[schema(minimum = 0, maximum = 200, default = 15)]
    pub max_paths: u32,
}

fn four() -> u32 {
    4
}

fn fifteen() -> u32 {
    15
}

/// Result of `find_join_paths`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JoinPlan {
    /// The target asked.
    pub target: String,
    /// Every table of the plan: those asked for, then bridges.
    pub tables: Vec<String>,
    /// Tables that were not asked for and connect those that were.
    pub bridges: Vec<String>,
    /// Names that are not tables.
    pub unknown: Vec<UnknownTable>,
    /// The joins of the tree over all tables, in an order in which each joins a table that is there
    /// already.
    pub steps: Vec<PlannedJoin>,
    /// The tables by what can be joined: one group unless something cannot be reached.
    pub groups: Vec<Vec<String>>,
    /// The shortest path between each two tables, shortest first.
    pub paths: Vec<PairPath>,
    /// Every relationship that the plan may use: the steps, their alternatives, and direct
    /// relationships among the tables.
    pub relationships: Vec<JoinEdge>,
}

/// One join of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlannedJoin {
    /// The join taken.
    #[serde(flatten)]
    pub edge: JoinEdge,
    /// Other ways to join the same two tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<JoinEdge>,
    /// The purpose of the join where both tables are joined already. Without it, the join adds a
    /// table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<BeyondTree>,
}

/// The purpose of a join between two tables that are joined already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BeyondTree {
    /// The table of `to_table` once more, under another alias, in another role.
    Role,
    /// One more condition between the two tables.
    Condition,
}

/// The shortest way between two tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PairPath {
    /// From here.
    pub from: String,
    /// To there.
    pub to: String,
    /// Number of joins.
    pub hops: u32,
    /// The product of their confidences.
    pub confidence: f64,
    /// The joins.
    pub joins: Vec<JoinEdge>,
}
