//! Threads, their messages and runs: `/v1/threads`, `/v1/runs`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::run::{Source, Usage};

/// The body of `POST /v1/threads`. Everything may be absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CreateThread {
    /// Accepted for compatibility; must be the identity's subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The thread's id, 1 to 128 of `A-Z a-z 0-9 _ - . :`, unique within its owner; absent: a new
    /// UUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9_.:-]+$")]
    pub thread_id: Option<String>,
    /// The treatment of an existing thread.
    #[serde(default)]
    pub if_exists: IfExists,
    /// The assistant that answers in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<AssistantName>)]
    pub assistant: Option<String>,
    /// Its title; absent: made from the first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub title: Option<String>,
    /// The inventory that the thread is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub inventory_id: Option<String>,
    /// For the assistant. What looks like a credential in it, by its name or its shape and at any
    /// depth, is neither stored here nor returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub context: Option<Value>,
    /// For the client; the assistant does not see it. What looks like a credential in it is neither
    /// stored nor returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}

/// An assistant. Names are texts in requests; others than these are refused with the list of those
/// that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssistantName {
    /// Questions about the solar site.
    Site,
    /// Questions to databases and documents.
    Data,
    /// Advice on climate actions.
    Advisor,
    /// Searches, plans and analyses of records.
    Analyst,
}

/// An IANA time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TimeZone(pub String);

impl PartialSchema for TimeZone {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The name of an IANA time zone."))
            .examples(["Europe/Zurich"])
            .pattern(Some(zone_pattern()))
            .into()
    }
}

impl ToSchema for TimeZone {}

/// Matches the names of all zones and nothing else: a list of them would be an enum of six hundred
/// values in every generated client.
fn zone_pattern() -> String {
    let names = chrono_tz::TZ_VARIANTS
        .iter()
        .map(|zone| zone.name().replace('+', "\\+"));
    format!("^({})$", names.collect::<Vec<_>>().join("|"))
}

/// The treatment of an existing thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IfExists {
    /// A conflict, 409.
    #[default]
    Raise,
    /// The thread is answered as it is, 200.
    DoNothing,
}

/// The treatment of a missing thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IfNotExists {
    /// 404.
    #[default]
    Reject,
    /// It is made.
    Create,
}

/// What to do with a message to a thread that is answering another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Multitask {
    /// 409.
    #[default]
    Reject,
    /// It is answered when those before it are.
    Enqueue,
}

/// The body of `PATCH /v1/threads/{thread_id}`. What is absent stays; `null` clears a title or an
/// inventory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateThread {
    /// The title of the thread.
    #[serde(default, with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, max_length = 200)]
    pub title: Option<Option<String>>,
    /// The inventory that the thread is about.
    #[serde(default, with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, max_length = 200)]
    pub inventory_id: Option<Option<String>>,
    /// Merged member by member; `null` removes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// Merged member by member; `null` removes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}

/// Distinguishes a member that is `null` from one that is absent.
mod present {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(
        clippy::option_option,
        reason = "absent, null and a value are three things"
    )]
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Option<String>>, D::Error> {
        Option::deserialize(deserializer).map(Some)
    }

    #[expect(
        clippy::option_option,
        clippy::ref_option,
        reason = "serde gives the field as it is"
    )]
    pub(super) fn serialize<S: Serializer>(
        value: &Option<Option<String>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value
            .as_ref()
            .and_then(Option::as_ref)
            .serialize(serializer)
    }
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Thread {
    /// The id of the thread.
    pub thread_id: String,
    /// The assistant that answers in it.
    pub assistant: String,
    /// Its title; `null` before the first message.
    pub title: Option<String>,
    /// The inventory that it is about.
    pub inventory_id: Option<String>,
    /// The context for the assistant, without credentials.
    #[schema(value_type = Object)]
    pub context: Value,
    /// The client's own.
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
    /// Whether it can take a message.
    pub status: ThreadStatus,
    /// The run that answers in it now.
    pub active_run_id: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When something was last said in it.
    pub last_updated: DateTime<Utc>,
}

/// The status of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadStatus {
    /// Nothing: it takes a message.
    Idle,
    /// A run answers in it.
    Busy,
    /// It waits for the person: a question is open.
    Interrupted,
}

/// A page of threads, the most recently used first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThreadList {
    /// The threads.
    pub threads: Vec<Thread>,
    /// What `cursor` has to be for the next page; `null` on the last.
    pub next_cursor: Option<String>,
}

/// The query of `GET /v1/threads`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
pub struct ListThreads {
    /// 1 to 100; 20 when absent.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(default)]
    #[param(min_length = 48, max_length = 48, pattern = "^[0-6][0-9a-f]{47}$")]
    pub cursor: Option<String>,
    /// Only threads of this assistant.
    #[serde(default)]
    pub assistant: Option<String>,
    /// Only threads whose title holds this, whatever the case.
    #[serde(default)]
    pub title: Option<String>,
    /// Only threads about this inventory.
    #[serde(default)]
    pub inventory_id: Option<String>,
    /// Accepted for compatibility; must be the identity's subject.
    #[serde(default)]
    pub user_id: Option<String>,
}

/// The query of `GET /v1/threads/{thread_id}/messages`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
pub struct ListMessages {
    /// 1 to 100; 50 when absent. Without `before` and `after` these are the newest.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// Only messages with a smaller `seq`, the newest of them.
    #[serde(default)]
    pub before: Option<i64>,
    /// Only messages with a larger `seq`, the oldest of them.
    #[serde(default)]
    pub after: Option<i64>,
    /// Accepted for compatibility; must be the identity's subject.
    #[serde(default)]
    pub user_id: Option<String>,
}

/// A page of messages, the oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MessageList {
    /// The thread.
    pub thread_id: String,
    /// The messages.
    pub messages: Vec<StoredMessage>,
    /// Whether there are more in the direction that was asked for (towards older ones without
    /// `after`).
    pub has_more: bool,
}

/// A message as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StoredMessage {
    /// Its id; that of an answer is the message id of the run's stream.
    pub message_id: String,
    /// Orders the messages of a thread.
    pub seq: i64,
    /// Who wrote it.
    pub role: MessageRole,
    /// The words of the message.
    pub text: String,
    /// Whether it is all there.
    pub status: MessageStatus,
    /// The calls made for it; `null` when there were none.
    pub tools_used: Option<Vec<ToolRecord>>,
    /// Which path worded it; `null` for what people write.
    pub source: Option<Source>,
    /// The run it belongs to.
    pub run_id: Option<String>,
    /// The codes of the warnings that its run gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// The person.
    User,
    /// The assistant.
    Assistant,
    /// The system.
    System,
}

/// Whether a message is all there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    /// It is.
    Complete,
    /// It was stopped; this is what there was.
    Partial,
    /// The run failed; this is what there was.
    Failed,
}

/// One call of a tool, as it is kept with the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolRecord {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The result of it.
    pub status: ToolRecordStatus,
    /// The arguments of the call.
    #[schema(value_type = Object)]
    pub arguments: Value,
    /// Its result; absent while there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub result: Option<Value>,
}

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolRecordStatus {
    /// It did what it was asked.
    Success,
    /// It failed; the result says why.
    Error,
    /// A person is asked and has not answered yet.
    Pending,
    /// The run ended before it did.
    Cancelled,
}

/// The answer of `GET /v1/threads/{thread_id}/state`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThreadState {
    /// The thread.
    pub thread_id: String,
    /// The assistant that answers in it.
    pub assistant: String,
    /// Whether it can take a message.
    pub status: ThreadStatus,
    /// The run that answers in it now.
    pub active_run_id: Option<String>,
    /// The assistant's memory, in its own shape; `null` before the first answer.
    ///
    /// Of the analyst: `active_todo_list` (or `null`) with `current_task_key`, `todo_lists` (the
    /// newest 10, newest first, the active one among them), `entries` (the newest 50, oldest
    /// first), `query_metadata` (the newest 20, oldest first, without rows),
    /// `pending_clarification` (the question that is open, or `null`) and `pending_approval`. What
    /// is larger than 8 KiB in them, a task's result or a query, is `{"omitted_bytes": n}`.
    #[schema(value_type = Option<Object>)]
    pub values: Option<Value>,
}

/// A run: the answer to one message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// The run.
    pub run_id: String,
    /// The thread of the run.
    pub thread_id: String,
    /// The message that it writes.
    pub message_id: String,
    /// Who answers.
    pub assistant: String,
    /// The status of the run.
    pub status: RunStatus,
    /// Counts its beginnings: more than 1 after a process died under it.
    pub attempt: u32,
    /// Why it failed.
    pub error: Option<String>,
    /// What its models read and wrote.
    pub usage: Option<Usage>,
    /// When it was accepted.
    pub created_at: DateTime<Utc>,
    /// When it began.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It waits for the runs before it.
    Queued,
    /// It is being answered.
    Running,
    /// It ended with an answer.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was stopped.
    Cancelled,
    /// Its process died and it could not continue.
    Interrupted,
}

impl RunStatus {
    /// Whether it is over.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// The query of `GET /v1/runs/{run_id}/events`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
pub struct FollowRun {
    /// Absent: the dialect that the run was asked in.
    #[serde(default)]
    pub dialect: Option<Dialect>,
    /// Events up to this id are left out, as with the header `Last-Event-ID`, which wins.
    #[serde(default)]
    pub after: Option<u64>,
}

/// The query of `POST /v1/messages`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
pub struct PostedIn {
    /// The dialect of the answer; absent: `named_events`.
    #[serde(default)]
    pub dialect: Option<Dialect>,
}

/// A dialect of streams.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// The UI message stream: `POST /ai/chat`.
    UiMessages,
    /// Agent events: `POST /internal/chat/stream`.
    AgentEvents,
    /// Named events: `POST /v1/messages`.
    NamedEvents,
    /// The events of the run as they are: unnamed SSE events, each a `RunEvent`. What encodes runs
    /// for the protocols of other systems reads this one.
    RunEvents,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 4] = [
        Self::UiMessages,
        Self::AgentEvents,
        Self::NamedEvents,
        Self::RunEvents,
    ];

    /// The dialect of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.as_str() == name)
    }

    /// As configuration and storage spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UiMessages => "ui_messages",
            Self::AgentEvents => "agent_events",
            Self::NamedEvents => "named_events",
            Self::RunEvents => "run_events",
        }
    }
    /// The media type of its streams.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::UiMessages | Self::AgentEvents | Self::NamedEvents | Self::RunEvents => {
                "text/event-stream"
            }
        }
    }
}
