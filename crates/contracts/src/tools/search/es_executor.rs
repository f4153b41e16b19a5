//! `es_executor`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::QueryExecution;
use crate::tools::{Tool, ToolCategory};

/// The tool `es_executor`.
#[derive(Debug, Clone, Copy)]
pub struct EsExecutor;

impl Tool for EsExecutor {
    const NAME: &'static str = "es_executor";
    const CATEGORY: ToolCategory = ToolCategory::Search;
    const SUMMARY: &'static str = "Checks a search query and runs it. Unless it ran, the status is `error` and the result says why.";
    const DESCRIPTION: &'static str = "Checks an Elasticsearch query and runs it within limits; answers with rows and their total.";

    type Arguments = EsExecutorArguments;
    type Result = QueryExecution;
}

/// Arguments of `es_executor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EsExecutorArguments {
    /// The source. Default: the tenant's first that is asked this way and has the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
    /// The index, one that the source lists; no pattern.
    #[schema(min_length = 1, max_length = 255)]
    pub index: String,
    /// The body of the search. What the source has no use for is refused, not ignored.
    #[schema(value_type = Object)]
    pub query: Value,
}
