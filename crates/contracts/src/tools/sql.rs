//! The tools over target databases: what is there, how it joins, whether a query may run, and
//! running it.
//!
//! Rows are objects in the query's column order. Decimals that a double cannot hold exactly are
//! strings; dates and times are ISO 8601 without a zone unless the column has one; bytes are
//! base64.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::questions::QuestionPeriod;

/// The names of these tools.
pub mod names {
    /// The tables of a target database.
    pub const LIST_TABLES: &str = "list_tables";
    /// Columns, keys and sample rows of some tables.
    pub const DESCRIBE_TABLES: &str = "describe_tables";
    /// How some tables join.
    pub const FIND_JOIN_PATHS: &str = "find_join_paths";
    /// Whether a query may run, and what is wrong with it.
    pub const CHECK_SQL: &str = "check_sql";
    /// Checks a query and runs it.
    pub const RUN_SQL: &str = "run_sql";
    /// Confirmed questions that resemble one.
    pub const FIND_PAST_QUESTIONS: &str = "find_past_questions";
    /// Keeps a question with the query that answered it.
    pub const CONFIRM_QUESTION: &str = "confirm_question";
    /// Withdraws a confirmed question.
    pub const FORGET_QUESTION: &str = "forget_question";
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
    /// The name of the table.
    pub name: String,
    /// The database's own comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Number of columns that it has.
    pub columns: u32,
    /// Number of relationships of the table.
    pub relationships: u32,
    /// Whether it is read through a secure view.
    pub secure: bool,
    /// The relevance to the question, 0 to 1; only with `question`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
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
    /// The name of the table.
    pub name: String,
    /// The database's own comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
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
    /// The name of the column.
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
}

/// A name that is not a table of the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnknownTable {
    /// As it was asked for.
    pub name: String,
    /// The nearest names there are.
    pub suggestions: Vec<String>,
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
    /// The column referred to.
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

/// Arguments of `find_past_questions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FindPastQuestionsArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// The question.
    #[schema(min_length = 1, max_length = 16384)]
    pub question: String,
    /// Maximum number of answers. Default: 5.
    #[serde(default = "five")]
    #[schema(minimum = 1, maximum = 20, default = 5)]
    pub limit: u32,
}

fn five() -> u32 {
    5
}

/// Result of `find_past_questions`, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PastQuestions {
    /// The target asked.
    pub target: String,
    /// Whether meaning was compared (an embedding model) or words only.
    pub by_meaning: bool,
    /// The questions that resemble it.
    pub matches: Vec<PastQuestion>,
}

/// A question that was answered by a query which a person confirmed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PastQuestion {
    /// The id of the question.
    pub id: String,
    /// As it was asked.
    pub question: String,
    /// The query, with logical table names.
    pub sql: String,
    /// The tables it reads.
    pub tables: Vec<String>,
    /// How alike, 0 to 1.
    pub score: f64,
    /// Whether it is the same question but for case, punctuation and filler: its query answers
    /// both.
    pub same: bool,
    /// When it was confirmed.
    pub confirmed_at: DateTime<Utc>,
    /// The owner of the question.
    #[serde(default)]
    pub source: QuestionSource,
    /// Who confirmed it; absent when the name is not known, and for those that come with the
    /// database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<String>,
    /// Who released it for the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_by: Option<String>,
    /// When it was released; absent for one that only its owner uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_at: Option<DateTime<Utc>>,
    /// Who changed it after it was confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_by: Option<String>,
    /// When it was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<DateTime<Utc>>,
    /// The periods that it names, with the days that its query reads for them today.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<QuestionPeriod>,
}

/// The owner of a confirmed question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionSource {
    /// It comes with the database: its operator put it there.
    #[default]
    Operator,
    /// The caller's own.
    Own,
    /// A colleague's, released for the tenant.
    Colleague,
}

/// Arguments of `confirm_question`. Needs the scope `questions:write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmQuestionArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// The question.
    #[schema(min_length = 1, max_length = 2000)]
    pub question: String,
    /// The query that answers it, with logical table names. It has to pass `check_sql` and to read
    /// a table. Where the question names a period by its distance from today ("last week"), the
    /// query's days have to be bounds of it: they follow the calendar from then on.
    #[schema(min_length = 1, max_length = 50000)]
    pub sql: String,
    /// When the query was written: what "last week" meant then. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub written_at: Option<DateTime<Utc>>,
}

/// Result of `confirm_question`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfirmedQuestion {
    /// The id of the question.
    pub id: String,
    /// False when the caller had confirmed the same question before; it has the new query now.
    pub created: bool,
    /// The words for periods in the question that the query follows from now on.
    #[serde(default)]
    pub periods: Vec<String>,
    /// The question of these words that is released for the tenant, which stays as it is; `null`
    /// when there is none.
    #[serde(default)]
    pub standing: Option<StandingQuestion>,
}

/// A question that is released for the tenant, beside the caller's own of the same words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StandingQuestion {
    /// The id of the question.
    pub id: String,
    /// Whether the caller confirmed it.
    pub own: bool,
    /// Who confirmed it; `null` when the name is not known.
    pub confirmed_by: Option<String>,
}
