//! A call of a chat model: the request and the events of its answer.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::Value;
use tokio::time::Instant;

use crate::{AssistantMessage, Error, Message, Opaque, ProviderName, ToolCall, Usage};

/// A chat model of some provider.
///
/// Dropping the stream closes the request behind it.
#[async_trait]
pub trait ChatModel: Send + Sync + 'static {
    /// Streams the answer. The request is checked and sent when the stream is first polled. An
    /// error is the last item of the stream; without one the last item is [`ChatEvent::Finished`].
    fn stream(&self, request: ChatRequest) -> ChatStream;

    /// Waits for the whole answer.
    async fn complete(&self, request: ChatRequest) -> Result<Completion, Error> {
        collect(self.stream(request)).await
    }

    /// The model, for logs and telemetry.
    fn id(&self) -> ModelId;
}

/// The events of an answer.
pub type ChatStream = BoxStream<'static, Result<ChatEvent, Error>>;

/// A provider and one of its models, displayed as `openai/gpt-4o`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelId {
    /// The provider.
    pub provider: ProviderName,
    /// The name of the model at the provider.
    pub model: Arc<str>,
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// A request to a chat model.
#[derive(Debug, Clone, Default)]
pub struct ChatRequest {
    /// The system prompt.
    pub system: Option<Arc<str>>,
    /// The conversation. Shared, because a tool loop sends it several times.
    pub messages: Arc<[Message]>,
    /// The tools that the model may call.
    pub tools: Arc<[Tool]>,
    /// Which tools the model must call.
    pub tool_choice: ToolChoice,
    /// The shape of the answer. Cannot be combined with tools.
    pub response: ResponseFormat,
    /// 0 to 1; `None` leaves it to the provider.
    pub temperature: Option<f32>,
    /// Maximum number of tokens in the answer; `None` takes the configured limit.
    pub max_output_tokens: Option<u32>,
    /// The kind of answer, for which limits and reasoning are configured.
    pub size: AnswerSize,
    /// When the answer has to have begun, over all attempts and fallbacks. `None` leaves it to the
    /// configured time-outs of each attempt.
    pub begin_by: Option<Instant>,
}

/// The kind of answer that a request needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerSize {
    /// An answer for people, or a text of any length.
    #[default]
    Full,
    /// A few words: a classification. Limits are small, and reasoning is as little as the provider
    /// lets it be.
    Brief,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// `[a-zA-Z0-9_-]{1,64}`.
    pub name: String,
    /// A description of the tool, for the model.
    pub description: String,
    /// JSON Schema of the arguments: an object; references within the schema are allowed. Each wire
    /// converts it to its own dialect.
    pub parameters: Value,
}

/// Whether a model calls tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No call.
    None,
    /// At least one call.
    Required,
    /// A call of this tool.
    Named(String),
}

/// The shape of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ResponseFormat {
    /// Text.
    #[default]
    Text,
    /// JSON of this schema. The caller still checks the answer: not every provider enforces the
    /// schema.
    Json {
        /// `[a-zA-Z0-9_-]{1,64}`.
        name: String,
        /// JSON Schema.
        schema: Value,
    },
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatEvent {
    /// The next part of the text, never empty.
    Text(String),
    /// The next part of the model's reasoning, which is not part of the answer; never empty.
    Reasoning(String),
    /// A complete tool call.
    Call(ToolCall),
    /// The end of the answer.
    Finished(Finished),
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Why the answer ended.
    pub reason: FinishReason,
    /// The tokens that the provider reports.
    pub usage: Usage,
    /// The model that answered, as the provider names it.
    pub model: Option<String>,
    /// Data for the assistant message, see [`AssistantMessage::opaque`].
    pub opaque: Option<Opaque>,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// The answer is complete.
    Stop,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// The limit of tokens was reached. The last tool call may be cut off; it then has
    /// [`Arguments::Broken`](crate::Arguments::Broken).
    Length,
    /// A content filter of the provider withheld the rest.
    ContentFilter,
    /// The model refused to answer.
    Refusal,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The text and the tool calls.
    pub message: AssistantMessage,
    /// Why the answer ended.
    pub reason: FinishReason,
    /// The tokens that the provider reports.
    pub usage: Usage,
    /// The model that answered, as the provider names it.
    pub model: Option<String>,
}

/// Collects a streamed answer.
pub async fn collect(mut stream: ChatStream) -> Result<Completion, Error> {
    let mut message = AssistantMessage::default();
    while let Some(event) = stream.next().await {
        match event? {
            ChatEvent::Text(text) => message.text.push_str(&text),
            ChatEvent::Reasoning(_) => {}
            ChatEvent::Call(call) => message.calls.push(call),
            ChatEvent::Finished(finished) => {
                message.opaque = finished.opaque;
                return Ok(Completion {
                    message,
                    reason: finished.reason,
                    usage: finished.usage,
                    model: finished.model,
                });
            }
        }
    }
    Err(Error::truncated())
}
