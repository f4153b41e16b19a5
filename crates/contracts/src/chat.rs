//! The UI message stream dialect: `POST /ai/chat`.
//!
//! Chunks carry only the fields that every released AI SDK client since 5.0.104 knows, never `null`
//! and only `data-*` types of this project, because those clients refuse a whole message over
//! one unknown chunk.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::run::{FinishReason, Source, Usage, is_zero};
use crate::threads::{AssistantName, Multitask, TimeZone};
use crate::todo::Plan;

/// The response header that names the protocol.
pub const UI_MESSAGE_STREAM_HEADER: &str = "x-vercel-ai-ui-message-stream";

/// The body of `POST /ai/chat`: what AI SDK clients, assistant-ui and the solar chat's own front
/// end send. Unknown members are ignored, as those clients add their own.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({ "messages": [{ "role": "user", "content": "How is the site doing today?" }] }))]
pub struct ChatRequest {
    /// The chat's id as AI SDK clients send it; `threadId` wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9_.:-]+$")]
    pub id: Option<String>,
    /// The thread to continue: 1 to 128 of `A-Z a-z 0-9 _ - . :`. Absent: a new thread, whose id is
    /// in the stream's first chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9_.:-]+$")]
    pub thread_id: Option<String>,
    /// The whole conversation or its last message; only the last message counts, the server owns
    /// the history. It has to be the user's, with text, or the assistant's with the answer to a
    /// selection in it.
    #[schema(min_items = 1)]
    pub messages: Vec<ChatMessage>,
    /// `submit-message` or `regenerate-message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The message that a submission continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// IANA zone of the person, for greetings and schedules; dates are always the site's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TimeZone>, example = "Europe/Zurich")]
    pub timezone: Option<String>,
    /// The assistant; absent: that of the thread, otherwise the dialect's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<AssistantName>)]
    pub assistant: Option<String>,
    /// What to do when the thread is answering another message.
    #[serde(default, rename = "multitask_strategy")]
    pub multitask_strategy: Multitask,
    /// Merged into the thread's context, an object. Credentials in it are handed to the tools
    /// service, kept there encrypted, and neither stored here nor returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub context: Option<Value>,
}

/// One message as a client sends it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    /// The message's id, chosen by the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who wrote it.
    pub role: ChatRole,
    /// Plain text, or a list of `{type: "text", text}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// The AI SDK's parts: text, tool calls with their state, data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub parts: Option<Vec<Value>>,
}

/// The writer of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// Ignored: clients do not instruct the assistant.
    System,
    /// The person.
    #[default]
    User,
    /// The assistant; counts only where it carries the answer to a pending selection.
    Assistant,
}

/// One chunk of the UI message stream, one SSE `data:` line each; after the last comes `[DONE]`.
/// Borrows from its event, because every client of a run gets its own chunks of the
/// same events.
// The schema does not follow `rename_all_fields`: a variant with members of two words needs
// `rename_all` of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub enum UiMessageChunk<'a> {
    /// The message begins.
    #[serde(rename_all = "camelCase")]
    Start {
        /// Its id, kept by the server.
        message_id: Cow<'a, str>,
        /// The thread and run it belongs to.
        message_metadata: StartMetadata<'a>,
    },
    /// A step begins.
    StartStep,
    /// A step ends.
    FinishStep,
    /// A text part begins.
    TextStart {
        /// The part.
        id: Cow<'a, str>,
    },
    /// More text.
    TextDelta {
        /// The part.
        id: Cow<'a, str>,
        /// What to append.
        delta: Cow<'a, str>,
    },
    /// The text part ends.
    TextEnd {
        /// The part.
        id: Cow<'a, str>,
    },
    /// A tool call with its whole input.
    #[serde(rename_all = "camelCase")]
    ToolInputAvailable {
        /// The call.
        tool_call_id: Cow<'a, str>,
        /// The tool.
        tool_name: Cow<'a, str>,
        /// The arguments of the call.
        #[schema(value_type = Object)]
        input: Cow<'a, Value>,
        /// `true` when the server answers the call; absent on `request_user_selection`, which the
        /// person answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_executed: Option<bool>,
    },
    /// The call's result.
    #[serde(rename_all = "camelCase")]
    ToolOutputAvailable {
        /// The call.
        tool_call_id: Cow<'a, str>,
        /// The result of the tool.
        #[schema(value_type = Object)]
        output: Cow<'a, Value>,
        /// Always `true`: only server calls have results in a stream.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_executed: Option<bool>,
    },
    /// The router's decision.
    DataFlow {
        /// Always `flow`: a later decision replaces it.
        id: Cow<'a, str>,
        /// The decision.
        data: FlowData<'a>,
    },
    /// A passing hint, not kept by clients.
    DataStatus {
        /// The hint.
        data: StatusData<'a>,
        /// Always `true`.
        transient: bool,
    },
    /// Something the reader should know.
    DataWarning {
        /// The warning.
        data: WarningData<'a>,
    },
    /// The data behind the text that follows: rows of a database, sources of documents.
    DataRows {
        /// A list of objects.
        #[schema(value_type = Vec<Object>)]
        data: Cow<'a, Value>,
    },
    /// The plan that is worked on; a later part of the same id replaces it.
    DataPlan {
        /// The plan.
        id: Cow<'a, str>,
        /// As it is now.
        data: Cow<'a, Plan>,
    },
    /// A place in a document that the text before it cites.
    #[serde(rename_all = "camelCase")]
    SourceDocument {
        /// The source, unique in the message.
        source_id: Cow<'a, str>,
        /// What kind of document it is.
        #[schema(example = "application/pdf")]
        media_type: Cow<'a, str>,
        /// The place in it, in words: its name, the headings above, the page.
        title: Cow<'a, str>,
        /// The name of the file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filename: Option<Cow<'a, str>>,
    },
    /// A place on the web that the text before it cites.
    #[serde(rename_all = "camelCase")]
    SourceUrl {
        /// The source, unique in the message.
        source_id: Cow<'a, str>,
        /// The position.
        url: Cow<'a, str>,
        /// The place in it, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<Cow<'a, str>>,
    },
    /// The stream failed; what was shown stays.
    #[serde(rename_all = "camelCase")]
    Error {
        /// For people.
        error_text: Cow<'a, str>,
    },
    /// The message is complete.
    #[serde(rename_all = "camelCase")]
    Finish {
        /// `stop`; `tool-calls` while a selection is pending, `length` when the model reached its
        /// limit, `other` when the run was stopped or the model stopped in the middle.
        finish_reason: UiFinishReason,
        /// How the answer came about.
        message_metadata: FinishMetadata,
    },
}

/// What one SSE event of the UI message stream holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum UiMessageStreamEvent<'a> {
    /// A chunk.
    Chunk(UiMessageChunk<'a>),
    /// Behind the last chunk, not as JSON but as it is: `[DONE]`.
    End(UiMessageStreamEnd),
}

/// The end of a UI message stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum UiMessageStreamEnd {
    /// Nothing follows.
    #[serde(rename = "[DONE]")]
    Done,
}

/// The metadata of a message's start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartMetadata<'a> {
    /// The thread.
    pub thread_id: Cow<'a, str>,
    /// The run.
    pub run_id: Cow<'a, str>,
}

/// The metadata of a message's end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FinishMetadata {
    /// Which path worded the answer.
    pub source: Source,
    /// The tokens that the run's models read and wrote; absent when no model was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UiUsage>,
    /// `true` when the answer is not all there: it was stopped, or its model did not come to an
    /// end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// The codes of the warnings that the run gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Token counts as AI SDK clients spell them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Both.
    pub total_tokens: u64,
    /// The tokens read that came from the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_input_tokens: u64,
    /// The tokens written that are thoughts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

impl From<Usage> for UiUsage {
    fn from(usage: Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            total_tokens: usage.total_tokens(),
            cached_input_tokens: usage.cached_input_tokens,
            reasoning_tokens: usage.reasoning_tokens,
        }
    }
}

/// A router's decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FlowData<'a> {
    /// The flow.
    #[schema(example = "health_check")]
    pub flow: Cow<'a, str>,
    /// 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub confidence: f64,
    /// Who decided.
    pub source: Source,
}

/// A hint for a waiting person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatusData<'a> {
    /// The hint.
    pub text: Cow<'a, str>,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WarningData<'a> {
    /// For programs.
    pub code: Cow<'a, str>,
    /// For people.
    pub text: Cow<'a, str>,
}

/// Finish reasons as AI SDK clients spell them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UiFinishReason {
    /// The answer is complete.
    Stop,
    /// A selection is pending.
    ToolCalls,
    /// The model reached the limit of what it may write.
    Length,
    /// The answer was stopped, or its model stopped in the middle.
    Other,
}

impl From<FinishReason> for UiFinishReason {
    fn from(reason: FinishReason) -> Self {
        match reason {
            FinishReason::Stop => Self::Stop,
            FinishReason::ToolCalls => Self::ToolCalls,
            FinishReason::Length => Self::Length,
            FinishReason::Incomplete | FinishReason::Cancelled => Self::Other,
        }
    }
}
