//! The tools that tasks may name.

use contracts::tools::{
    analysis::names as analysis,
    meanings::names as meanings,
    search::{QueryType, names as search},
    vectors::names as vectors,
};

/// Completion, or an object, by the turn's model.
pub(crate) const LLM_TOOL: &str = "llm_tool";
/// Results in words.
pub(crate) const LLM_SUMMARY: &str = "llm_summary";
/// An earlier query with its results.
pub(crate) const RETRIEVE_QUERY_METADATA: &str = "retrieve_query_metadata";
/// Merges the results of two queries.
pub(crate) const MERGE_RESULTS: &str = "merge_results";

/// A tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// Whether it may ask the person. A task may only lower it.
    pub(crate) can_clarify: bool,
    /// The purpose of the tool, for a model that plans.
    pub(crate) about: &'static str,
}

/// Every tool, in the order of a usual list.
pub(crate) const TOOLS: [Tool; 14] = [
    tool(
        search::LIST_SOURCES,
        false,
        "lists what can be asked, and its fields",
    ),
    tool(
        meanings::ENTITY_RESOLUTION,
        true,
        "finds which things the names in the request mean",
    ),
    tool(
        meanings::FIELD_MAPPING,
        true,
        "finds which fields hold what is asked for",
    ),
    tool(
        search::QUERY_BUILDER,
        true,
        "builds a query of what was found",
    ),
    tool(search::ES_EXECUTOR, false, "runs an Elasticsearch query"),
    tool(search::GRAPHQL_EXECUTOR, false, "runs a GraphQL query"),
    tool(
        MERGE_RESULTS,
        false,
        "merges the results of an Elasticsearch and a GraphQL query",
    ),
    tool(
        RETRIEVE_QUERY_METADATA,
        false,
        "finds an earlier query with its results",
    ),
    tool(
        analysis::STATS_ANALYSIS,
        false,
        "statistics over earlier results",
    ),
    tool(
        analysis::PATTERN_RECOGNITION,
        false,
        "anomalies, seasons and changes in earlier results",
    ),
    tool(
        vectors::EMBEDDING_TOOL,
        false,
        "makes a vector of the request",
    ),
    tool(
        vectors::VECTORDB_TOOL,
        false,
        "finds documents like the request",
    ),
    tool(
        LLM_TOOL,
        false,
        "words about what was found, by a language model",
    ),
    tool(LLM_SUMMARY, false, "sums up the results, as the last task"),
];

const fn tool(name: &'static str, can_clarify: bool, about: &'static str) -> Tool {
    Tool {
        name,
        can_clarify,
        about,
    }
}

/// The tool of this name, or of one of its other names, which may say how the source is asked.
pub(crate) fn find(name: &str) -> Option<(&'static Tool, Option<QueryType>)> {
    let (name, query_type) = match name {
        "llm" => (LLM_TOOL, None),
        "embedding" => (vectors::EMBEDDING_TOOL, None),
        "vector_search" => (vectors::VECTORDB_TOOL, None),
        "es_query_builder" => (search::QUERY_BUILDER, Some(QueryType::Elasticsearch)),
        "graphql_query_builder" => (search::QUERY_BUILDER, Some(QueryType::Graphql)),
        search::ES_EXECUTOR => (name, Some(QueryType::Elasticsearch)),
        search::GRAPHQL_EXECUTOR => (name, Some(QueryType::Graphql)),
        name => (name, None),
    };
    let tool = TOOLS.iter().find(|tool| tool.name == name)?;
    Some((tool, query_type))
}
