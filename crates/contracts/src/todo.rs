//! The analyst's memory of a thread, and its public form: TODO lists, an entry per attempt, the
//! metadata of queries.
//!
//! The names are the BI agent's.

use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::tools::clarification::{Clarification, ClarificationAnswer};
use crate::tools::search::{HowToRetrieve, QueryStructure, QueryType};

/// A plan: tasks in order, and a pointer to the one that is next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TodoList {
    /// The list, unique in its thread.
    pub id: String,
    /// Whether it is still worked on.
    pub state: TodoListState,
    /// The tasks by their keys, in order.
    pub tasks: IndexMap<String, TodoTask>,
    /// The task that is next: after a success the one behind it, after a question or an error the
    /// same.
    pub current_task_key: Option<String>,
    /// Number of tasks that are complete.
    pub completed_tasks: u32,
    /// Number of tasks.
    pub total_tasks: u32,
    /// The user input that it was made for, counted from 1.
    pub created_at_turn: u32,
    /// The run that made it.
    pub run_id: String,
    /// Which sources the plan asks.
    pub query_strategy: QueryStrategy,
    /// Why those.
    pub strategy_reason: String,
    /// The person's words.
    pub original_request: String,
    /// The same, complete in itself.
    pub rewritten_request: String,
    /// The plan waits for, or has, the person's approval; absent when it needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
}

/// Whether a list is still worked on. Lists that are not are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoListState {
    /// It is.
    Active,
    /// Every task is complete.
    Complete,
    /// The person changed the request, and another list took its place.
    Superseded,
    /// The person gave it up, or asked for something else.
    Aborted,
}

/// Which sources a plan asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryStrategy {
    /// A search: many records, aggregations.
    Elasticsearch,
    /// A GraphQL query: one thing and what belongs to it.
    Graphql,
    /// Both, merged.
    Hybrid,
    /// None: results that are there already are analysed.
    Analysis,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TodoTask {
    /// A description of the task.
    pub description: String,
    /// The tool that does it.
    pub tool: String,
    /// The parameters of the tool beside the results of earlier tasks.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Object)]
    pub params: Value,
    /// Whether it may ask the person.
    pub can_clarify: bool,
    /// The status of the task.
    pub status: TaskStatus,
    /// The result, for later tasks. Rows are not in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub result: Option<Value>,
    /// Number of times that it was tried.
    pub attempts: u32,
    /// The questions of the task, with their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clarifications: Vec<AskedClarification>,
}

/// The status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum TaskStatus {
    Pending,
    InProgress,
    Complete,
    ClarificationNeeded,
    Error,
    Cancelled,
}

/// A question that a task asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskedClarification {
    /// The question, unique in its thread; also the id of the picker's call.
    pub id: String,
    /// The question.
    #[serde(flatten)]
    pub clarification: Clarification,
    /// The answers; empty while the question is open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<ClarificationAnswer>,
    /// The time of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<DateTime<Utc>>,
}

/// A list as it is shown while it is worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Plan {
    /// The id of the list: a later plan with the same id replaces this one.
    pub id: String,
    /// Whether it is still worked on.
    pub state: TodoListState,
    /// The request, complete in itself.
    pub request: String,
    /// Which sources the plan asks.
    pub query_strategy: QueryStrategy,
    /// Why those.
    pub strategy_reason: String,
    /// The task that is next.
    pub current_task_key: Option<String>,
    /// The tasks in order.
    pub tasks: Vec<PlanTask>,
}

/// A task as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanTask {
    /// The key of the task.
    pub key: String,
    /// A description of the task.
    pub description: String,
    /// The tool that does it.
    pub tool: String,
    /// The status of the task.
    pub status: TaskStatus,
}

impl TodoList {
    /// As it is shown.
    pub fn plan(&self) -> Plan {
        let tasks = self.tasks.iter().map(|(key, task)| PlanTask {
            key: key.clone(),
            description: task.description.clone(),
            tool: task.tool.clone(),
            status: task.status,
        });
        Plan {
            id: self.id.clone(),
            state: self.state,
            request: self.rewritten_request.clone(),
            query_strategy: self.query_strategy,
            strategy_reason: self.strategy_reason.clone(),
            current_task_key: self.current_task_key.clone(),
            tasks: tasks.collect(),
        }
    }
}

/// One attempt at a task, as it is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MemoryEntry {
    /// Strictly increasing in its thread, from 1.
    pub turn_id: u32,
    /// The user input that it belongs to, counted from 1.
    pub turn: u32,
    /// The list.
    pub list_id: String,
    /// The task.
    pub todo_key: String,
    /// A description of the task.
    pub todo_description: String,
    /// How the attempt went.
    pub status: EntryStatus,
    /// The person's message in this turn.
    pub user_input: String,
    /// The action, in a sentence.
    pub agent_action: String,
    /// The tools called.
    pub tools_called: Vec<String>,
    /// The queries executed.
    #[schema(value_type = Vec<Object>)]
    pub queries_executed: Vec<Value>,
    /// The `turn_id` of the metadata that this attempt wrote: its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_metadata: Option<u32>,
    /// The question that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarification_asked: Option<String>,
    /// The list after the attempt, without what its tasks found.
    #[schema(value_type = Object)]
    pub active_todo_list_snapshot: Value,
    /// The intent of the turn.
    pub intent_detected: String,
    /// The request, complete in itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten_question: Option<String>,
    /// The run.
    pub run_id: String,
    /// When the attempt began.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub completed_at: DateTime<Utc>,
    /// What models read and wrote for it, tokens.
    pub tokens_used: u64,
}

/// How an attempt went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum EntryStatus {
    Complete,
    ClarificationNeeded,
    Error,
}

/// The facts about a query that was executed: written once, never changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryMetadata {
    /// The entry that wrote it: its address within the thread.
    pub turn_id: u32,
    /// How the source was asked.
    pub query_type: QueryType,
    /// The source.
    pub data_source: String,
    /// The query, as the executor was given it.
    #[schema(value_type = Object)]
    pub query: Value,
    /// The typed query; absent for GraphQL that `query_builder` would not write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_structure: Option<QueryStructure>,
    /// The request that it answered.
    pub request: String,
    /// The result, in a few words: `142 shipments found`.
    pub summary: String,
    /// How the rows are had again.
    pub how_to_retrieve: HowToRetrieve,
    /// Number of records that fit, whatever the limit.
    pub record_count: u64,
    /// When it was executed.
    pub executed_at: DateTime<Utc>,
}
