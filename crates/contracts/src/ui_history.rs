//! The messages of a thread as AI SDK clients hold them: `GET /v1/threads/{thread_id}/ui-messages`.
//!
//! A page that followed a conversation and one that opens it here have the same messages: the same
//! ids, the same parts in the same order.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::chat::UiUsage;
use crate::run::Source;
use crate::threads::{MessageRole, MessageStatus};

/// A page of messages, the oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UiMessageList {
    /// The thread.
    pub thread_id: String,
    /// The messages; an AI SDK chat takes them as they are.
    pub messages: Vec<UiMessage>,
    /// Whether there are more in the direction that was asked for (towards older ones without
    /// `after`).
    pub has_more: bool,
    /// What `before` has to be for the page before this one; `null` when there are no messages.
    pub first_seq: Option<i64>,
    /// What `after` has to be for the page after this one; `null` when there are no messages.
    pub last_seq: Option<i64>,
}

/// A message: the AI SDK's `UIMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UiMessage {
    /// The id of the message. An answer has the id from the first chunk of its stream.
    pub id: String,
    /// Who wrote it.
    pub role: MessageRole,
    /// The metadata: all data of its stream, and how it is stored.
    pub metadata: UiMessageMetadata,
    /// The parts of the message, in order.
    pub parts: Vec<UiMessagePart>,
}

/// The metadata of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiMessageMetadata {
    /// The thread; of answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The run that wrote it; of answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Which path worded it; of answers that came to an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// What its models read and wrote; absent when none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UiUsage>,
    /// `true` when it is not all there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// The codes of the warnings that its run gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The reason why there is no answer, or only a part of it: the error of the stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<UiMessageError>,
    /// The status of the message, as in `GET /v1/threads/{thread_id}/messages`.
    pub status: MessageStatus,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
}

/// Why there is no answer, or not all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UiMessageError {
    /// For programs.
    pub code: String,
    /// For people.
    pub text: String,
}

/// A part of a message. `type` says which members there are:
///
/// * `text`: `text`, `state`.
/// * `step-start`: none.
/// * `tool-NAME`, a call of the tool NAME: `toolCallId`, `state` (`input-available`,
///   `output-available` or `output-error`), `input`, `output` or `errorText`, and
///   `providerExecuted` unless a person answers the call.
/// * `data-NAME` (`data-flow`, `data-plan`, `data-rows`, `data-warning`): `data`, and `id` where a
///   later part took the place of an earlier one.
/// * `source-document`: `sourceId`, `mediaType`, `title`, `filename`. `source-url`: `sourceId`,
///   `url`, `title`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiMessagePart {
    /// The type of the part.
    #[serde(rename = "type")]
    #[schema(example = "text")]
    pub kind: String,
    /// The words of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `done` of a text; how far a call is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The call's arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
    /// The call's result, any JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub output: Option<Value>,
    /// Why the call has no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
    /// `true` when the server answers the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_executed: Option<bool>,
    /// The id of a data part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The data of a data part, any JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub data: Option<Value>,
    /// The id of a source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// The URL of a source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What kind of document a source is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// A source in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The document's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
}
