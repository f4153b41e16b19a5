//! The tools over search sources: what can be asked, building a query, running it.
//!
//! A source is an Elasticsearch or OpenSearch cluster, a GraphQL endpoint, or a schema of a
//! PostgreSQL database that answers both kinds of query. Its *indices* hold records with typed
//! *fields*; nothing else of it can be named. Queries are typed ([`QueryStructure`]) and rendered
//! by `query_builder`; `es_executor` and `graphql_executor` take the rendered form, read it back,
//! and check it again before anything is sent: scripts, runtime fields, regular expressions,
//! leading wildcards, indices and fields that are not the source's, and mutations are refused.
//!
//! Days are those of the source's zone and inclusive at both ends; a query has them as `gte` and
//! `lt` with the zone.

mod es_executor;
mod graphql_executor;
mod list_sources;
mod query_builder;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub use es_executor::*;
pub use graphql_executor::*;
pub use list_sources::*;
pub use query_builder::*;

/// The tools over search sources, in the order in which
/// they are listed: the constant of the name, the module in the tools service, the type.
#[macro_export]
macro_rules! search_tools {
    ($with:ident $($extra:tt)?) => {
        $with! {
            $($extra)?
            LIST_SOURCES list_sources $crate::tools::search::ListSources,
            ENTITY_RESOLUTION entity_resolution $crate::tools::meanings::EntityResolutionTool,
            FIELD_MAPPING field_mapping $crate::tools::meanings::FieldMappingTool,
            QUERY_BUILDER query_builder $crate::tools::search::QueryBuilder,
            ES_EXECUTOR es_executor $crate::tools::search::EsExecutor,
            GRAPHQL_EXECUTOR graphql_executor $crate::tools::search::GraphqlExecutor,
        }
    };
}

/// The names of these tools.
pub mod names {
    crate::search_tools!(tool_names);
}

/// How a source is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryType {
    /// The query DSL of Elasticsearch and OpenSearch, the part of it that is allowed.
    Elasticsearch,
    /// A GraphQL query.
    Graphql,
}

/// The kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A schema of a PostgreSQL database.
    Postgresql,
    /// Elasticsearch or OpenSearch.
    Elasticsearch,
    /// A GraphQL endpoint.
    Graphql,
}

/// Something that is wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueryProblem {
    /// The place, as a JSON pointer into the query or the structure.
    pub pointer: String,
    /// For programs: `unknown_index`, `unknown_field`, `wrong_type`, `not_allowed` (scripts,
    /// runtime fields, patterns), `unsupported`, `too_large`, `invalid`, `mutation`, `too_deep`,
    /// `too_expensive`.
    pub code: String,
    /// For people and models.
    pub message: String,
    /// Probably intended names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

/// Result of `es_executor` and `graphql_executor`. Unless the outcome is `ok` the status is `error`
/// and there is no run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryExecution {
    /// How it went.
    pub outcome: QueryOutcome,
    /// The result of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<QueryRun>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<QueryProblem>,
}

/// How a query went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryOutcome {
    /// It ran. That nothing fits is an answer too.
    Ok,
    /// It may not be run; the source was not asked.
    Refused,
    /// The source is away.
    Unavailable,
    /// It took too long.
    TimedOut,
    /// The source did not accept it, or answered something that cannot be read.
    Failed,
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryRun {
    /// The source asked.
    pub source: String,
    /// The kind of the source.
    pub served_by: SourceKind,
    /// How it was asked.
    pub query_type: QueryType,
    /// The index; of GraphQL where one root field was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The columns of the rows, in order.
    pub columns: Vec<ResultColumn>,
    /// The records, or the groups of an aggregation, as flat objects.
    #[schema(value_type = Vec<Object>)]
    pub rows: Vec<Map<String, Value>>,
    /// Number of records that fit, whatever the limit.
    pub total: Total,
    /// Whether the rows are groups.
    pub aggregated: bool,
    /// Time that the source took, ms.
    pub took_ms: u64,
    /// Not everything was looked at, or not every group is here; the sentence says what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// When it was run.
    pub executed_at: DateTime<Utc>,
    /// The query, in a sentence.
    pub summary: String,
    /// The typed query; absent for GraphQL that `query_builder` would not write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<QueryStructure>,
}

/// Number of records that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Total {
    /// The number.
    pub value: u64,
    /// Whether it is that or more.
    pub relation: TotalRelation,
}

/// Whether a total is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TotalRelation {
    /// Exact.
    Eq,
    /// The value or more.
    Gte,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResultColumn {
    /// The member of each row.
    pub name: String,
    /// What people call it.
    pub label: String,
    /// The type of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_type: Option<FieldType>,
    /// The unit of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// How the rows of a query are had again: what an executor was given, and a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HowToRetrieve {
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The source.
    pub source: String,
    /// How it is asked.
    pub query_type: QueryType,
    /// The index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub index: Option<String>,
    /// The query, as the executor accepts it.
    #[schema(value_type = Object)]
    pub query: Value,
}
