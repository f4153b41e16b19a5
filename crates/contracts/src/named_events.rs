//! The named-events dialect of the climate advisor: `POST /v1/messages`. Each type here is the data
//! of the SSE event of its name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::agent_events::AgentEvent;
use crate::chat::UiMessageStreamEvent;
use crate::run::RunEvent;
use crate::threads::{AssistantName, IfNotExists, Multitask, ToolRecord};
use crate::todo::Plan;

/// The body of `POST /v1/messages`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PostMessage {
    /// Accepted for compatibility; must be the identity's subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The message, 1 to 16,384 bytes.
    #[schema(
        min_length = 1,
        max_length = 16384,
        pattern = "\\S",
        example = "Which climate actions fit our city?"
    )]
    pub content: String,
    /// The thread; absent: a new one, whose id is in `done` and in the header `x-thread-id`.
    #[serde(default, alias = "threadId", skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9_.:-]+$")]
    pub thread_id: Option<String>,
    /// The treatment of an unknown thread.
    #[serde(default)]
    pub if_not_exists: IfNotExists,
    /// Kept with a new thread.
    #[serde(
        default,
        alias = "inventoryId",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 200)]
    pub inventory_id: Option<String>,
    /// Merged into the thread's context. Credentials in it are used for this run and neither stored
    /// there nor returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub context: Option<Value>,
    /// Wishes for this run.
    #[serde(default)]
    pub options: MessageOptions,
    /// The assistant; absent: that of the thread, otherwise the dialect's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<AssistantName>)]
    pub assistant: Option<String>,
    /// What to do when the thread is answering another message.
    #[serde(default)]
    pub multitask_strategy: Multitask,
}

/// Wishes for one run. Unknown members are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MessageOptions {
    /// A configured model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    pub temperature: Option<f32>,
    /// Maximum number of tokens that the model may write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_tokens: Option<u32>,
}

/// The data of one event. The SSE event's name says what they are: `NamedEventFrame` has both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum NamedEvent<'a> {
    /// `tool_result`, when a tool ends, and when it begins (`status` is `executing` then).
    ToolResult(ToolResultEvent<'a>),
    /// `tool_use`: a tool begins. The original name for the same fact as `tool_result` with
    /// `executing`.
    ToolUse(ToolUseEvent<'a>),
    /// `message`: more text.
    Message(MessageEvent<'a>),
    /// `done`: the end, always.
    Done(DoneEvent<'a>),
    /// `warning`: something that the reader should know.
    Warning(WarningEvent<'a>),
    /// `plan`: the plan that is worked on, as it is now; a later one of the same id takes its
    /// place.
    Plan(Plan),
    /// `error`: the run failed; `done` with `ok: false` follows.
    Error(ErrorEvent<'a>),
}

/// One SSE event with its name (`event`) and its `data`, as clients of event streams hand them out.
/// Every event has an id, counted within the run; `done` is the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum NamedEventFrame<'a> {
    /// More text.
    Message(MessageEvent<'a>),
    /// A tool begins. The original name for the same fact as `tool_result` with `executing`.
    ToolUse(ToolUseEvent<'a>),
    /// A tool ends, or begins (`status` is `executing` then).
    ToolResult(ToolResultEvent<'a>),
    /// Something that the reader should know.
    Warning(WarningEvent<'a>),
    /// The plan that is worked on, as it is now; a later one of the same id takes its place.
    Plan(Plan),
    /// The run failed; `done` with `ok: false` follows.
    Error(ErrorEvent<'a>),
    /// The end, always.
    Done(DoneEvent<'a>),
}

/// The data of one event of a run, in the dialect that is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum RunStreamEvent<'a> {
    /// Of the UI message stream.
    UiMessages(UiMessageStreamEvent<'a>),
    /// Of agent events.
    AgentEvents(AgentEvent<'a>),
    /// Of named events.
    NamedEvents(NamedEvent<'a>),
    /// The events as they are.
    RunEvents(RunEvent),
}

/// `message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageEvent<'a> {
    /// Counts the `message` events of the run, from 0.
    pub index: u64,
    /// What to append, never empty.
    pub content: Cow<'a, str>,
}

/// `tool_use`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolUseEvent<'a> {
    /// The call.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// The arguments of the call.
    #[schema(value_type = Object)]
    pub arguments: Cow<'a, Value>,
}

/// `tool_result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolResultEvent<'a> {
    /// The call.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// The progress of the call.
    pub status: ToolProgress,
    /// Its arguments, when it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub arguments: Option<Cow<'a, Value>>,
    /// The result as text, at most 200 characters of it, when it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The whole result, when it ends and is not too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub result_json: Option<Cow<'a, Value>>,
}

/// The progress of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolProgress {
    /// It runs; of `request_user_selection`: a person is asked.
    Executing,
    /// It did what it was asked.
    Success,
    /// It failed; the result says why.
    Error,
}

/// `warning`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WarningEvent<'a> {
    /// For people.
    pub message: Cow<'a, str>,
    /// The thread.
    pub thread_id: Cow<'a, str>,
    /// For programs.
    pub code: Cow<'a, str>,
}

/// `error`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorEvent<'a> {
    /// For people; holds no internals.
    pub message: Cow<'a, str>,
    /// For programs.
    pub error_code: Cow<'a, str>,
}

/// `done`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DoneEvent<'a> {
    /// Whether there was an answer, and all of it.
    pub ok: bool,
    /// The request, as in `x-request-id`.
    pub request_id: Cow<'a, str>,
    /// Whether the answer is stored in the thread.
    pub history_saved: bool,
    /// The thread.
    pub thread_id: Cow<'a, str>,
    /// The run.
    pub run_id: Cow<'a, str>,
    /// The calls of the run, large results left out; `null` when there were none.
    pub tools_used: Option<Vec<ToolRecord>>,
    /// Why there was no answer, or not all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'a, str>>,
    /// `true` when there is an answer that is not all there: it was stopped, or its model did not
    /// come to an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// The codes of the warnings that the run gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
