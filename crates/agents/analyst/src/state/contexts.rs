//! The contexts of the BI agent: what is wanted, what is intended, how it is asked, what it
//! brought.

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

/// What is wanted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntentContext {
    /// What the message is to the work available.
    pub route: IntentRoute,
    /// What is asked for.
    pub kind: IntentKind,
    /// How much is asked for, of a retrieval.
    pub retrieval: Option<RetrievalKind>,
    /// 0 to 1.
    pub confidence: f64,
    /// Whether there was a list to continue with.
    pub todo_list_valid: bool,
    /// What is named, by its type.
    pub entities: BTreeMap<String, Vec<String>>,
    /// Words that ask for a computation.
    pub aggregation_keywords: Vec<String>,
    /// The days.
    pub time_range: Option<TimeRange>,
    /// What is unclear: `entity:Miami`.
    pub requires_clarification: Vec<String>,
    /// The request, complete in itself.
    pub rewritten_question: Option<String>,
}

/// What a message is to the work available.
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

/// What is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentKind {
    /// Records or figures.
    #[default]
    DataRetrieval,
    /// What earlier results tell.
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

/// Amount that a retrieval asks for.
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

/// What is intended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolutionContext {
    /// What names nothing that is known.
    pub unresolved: Vec<String>,
    /// What is certain, by its type.
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
    /// What the person said.
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

/// What it brought. The rows are not kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExecutionContext {
    /// Number of records that fit.
    pub record_count: Option<u64>,
    /// Time that the sources took.
    pub execution_time_ms: u64,
    /// The sources asked.
    pub data_sources_used: Vec<String>,
    /// What is known of the query.
    pub query_metadata: Option<QueryMetadata>,
}

/// How far a turn came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// What is wanted is found out.
    #[default]
    Intent,
    /// It is said completely.
    Reiteration,
    /// It is planned.
    Planning,
    /// What is intended is found out.
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
