//! The contexts of the BI agent (see docs/compatibility.md): the intent, its meaning, the query,
//! the results.

use std::collections::BTreeMap;

use contracts::{
    todo::QueryMetadata,
    tools::{
        meanings::ResolvedEntity,
        search::{QueryProblem, QueryType, TimeRange},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The intent of a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntentContext {
    /// The relation of the message to the current work.
    pub route: IntentRoute,
    /// The kind of the request.
    pub kind: IntentKind,
    /// The amount of a retrieval.
    pub retrieval: Option<RetrievalKind>,
    /// 0 to 1.
    pub confidence: f64,
    /// Whether there was a list to continue with.
    pub todo_list_valid: bool,
    /// The named things, by type.
    pub entities: BTreeMap<String, Vec<String>>,
    /// Words that ask for a computation.
    pub aggregation_keywords: Vec<String>,
    /// The days.
    pub time_range: Option<TimeRange>,
    /// The unclear parts: `entity:Miami`.
    pub requires_clarification: Vec<String>,
    /// The request, complete in itself.
    pub rewritten_question: Option<String>,
}

/// The relation of a message to the current work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentRoute {
    /// It asks for something else.
    #[default]
    NewRequest,
    /// It changes what was asked for.
    Modification,
    /// It answers the open question, and only that.
    ExactAnswer,
    /// It needs the work to continue.
    Continue,
}

/// The kind of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentKind {
    /// Records or figures.
    #[default]
    DataRetrieval,
    /// An analysis of earlier results.
    Analysis,
    /// An earlier query, changed.
    EditQuery,
}

impl IntentKind {
    /// As it is written in events and entries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DataRetrieval => "data_retrieval",
            Self::Analysis => "analysis",
            Self::EditQuery => "edit_query",
        }
    }
}

/// The amount of a retrieval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetrievalKind {
    /// One thing.
    SingleEntity,
    /// Several.
    MultiEntity,
    /// A computation over many.
    Aggregation,
}

/// The meaning of the request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolutionContext {
    /// What names nothing that is known.
    pub unresolved: Vec<String>,
    /// The resolved things, by type.
    pub resolved: BTreeMap<String, Vec<ResolvedEntity>>,
    /// What can be several things.
    pub ambiguous: Vec<String>,
    /// The field of each term and of each thing.
    pub field_mappings: BTreeMap<String, String>,
}

/// How it is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueryContext {
    /// Whether it is an earlier query, changed.
    pub query_mode: QueryMode,
    /// How the source is asked.
    pub query_type: Option<QueryType>,
    /// The search.
    pub es_query: Option<Value>,
    /// The GraphQL request.
    pub graphql_query: Option<Value>,
    /// The query that was changed.
    pub previous_query: Option<Value>,
    /// Number of records that fit, at the time it was built.
    pub estimated_records: Option<u64>,
    /// Why there is none.
    pub validation_errors: Vec<QueryProblem>,
    /// A person should be asked first.
    pub needs_approval: bool,
    /// The person's answer.
    pub user_approved: Option<bool>,
}

/// Whether a query is new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryMode {
    /// It is.
    #[default]
    CreateNew,
    /// It changes an earlier one.
    EditExisting,
}

/// The results of the query. The rows are not kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExecutionContext {
    /// Number of records that fit.
    pub record_count: Option<u64>,
    /// Time that the sources took.
    pub execution_time_ms: u64,
    /// The sources asked.
    pub data_sources_used: Vec<String>,
    /// The metadata of the query.
    pub query_metadata: Option<QueryMetadata>,
}

/// The phase of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The intent is determined.
    #[default]
    Intent,
    /// It is said completely.
    Reiteration,
    /// It is planned.
    Planning,
    /// The meaning is determined.
    Resolution,
    /// The query is made.
    Query,
    /// It is run.
    Execution,
    /// Results are analysed.
    Analysis,
    /// The person is asked.
    Clarification,
    /// It is answered.
    Response,
    /// It failed.
    Error,
}
