//! `graphql_executor`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::QueryExecution;
use crate::tools::{Tool, ToolCategory};

/// The tool `graphql_executor`.
#[derive(Debug, Clone, Copy)]
pub struct GraphqlExecutor;

impl Tool for GraphqlExecutor {
    const NAME: &'static str = "graphql_executor";
    const CATEGORY: ToolCategory = ToolCategory::Search;
    const SUMMARY: &'static str = "Checks a GraphQL query and runs it. Unless it ran, the status is `error` and the result says why.";
    const DESCRIPTION: &'static str =
        "Checks a GraphQL query (no mutations) and runs it within limits; answers with rows.";

    type Arguments = GraphqlExecutorArguments;
    type Result = QueryExecution;
}

/// Arguments of `graphql_executor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphqlExecutorArguments {
    /// The source. Default: the tenant's first that is asked this way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
    /// A document with one operation, a query.
    pub query: GraphqlQuery,
}

/// A GraphQL request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphqlQuery {
    /// The document.
    #[schema(min_length = 1, max_length = 65536)]
    pub query: String,
    /// The variables of the query.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub variables: Map<String, Value>,
}
