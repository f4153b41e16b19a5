//! A call of a chat model: what is asked, what comes back.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::Value;

use crate::{AssistantMessage, Error, Message, Opaque, ProviderName, ToolCall, Usage};

/// A chat model of some provider.
///
/// Dropping the stream closes the request behind it.
#[async_trait]
pub trait ChatModel: Send + Sync + 'static {
    /// Asks, and streams the answer. The request is checked and sent when the stream is first polled; errors are items, and the last ones.
    /// A stream that ended well has [`ChatEvent::Finished`] as its last item.
    fn stream(&self, request: ChatRequest) -> ChatStream;

    /// Asks, and waits for the whole answer. Providers whose API has a call for that may use it.
    async fn complete(&self, request: ChatRequest) -> Result<Completion, Error> {
        collect(self.stream(request)).await
    }

    /// Who answers, for logs and telemetry.
    fn id(&self) -> ModelId;
}

/// An answer as it comes.
pub type ChatStream = BoxStream<'static, Result<ChatEvent, Error>>;

/// Names a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelId {
    /// The provider.
    pub provider: ProviderName,
    /// The model's name at the provider; any.
    pub model: Arc<str>,
}

/// `openai/gpt-4o`.
impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// What a model is asked.
#[derive(Debug, Clone, Default)]
pub struct ChatRequest {
    /// Instructions before everything else.
    pub system: Option<Arc<str>>,
    /// The conversation. Shared, because a tool loop sends a growing one several times.
    pub messages: Arc<[Message]>,
    /// The tools that it may call.
    pub tools: Arc<[Tool]>,
    /// Whether and what it has to call.
    pub tool_choice: ToolChoice,
    /// The shape that the answer must have. Not together with tools.
    pub response: ResponseFormat,
    /// 0 to 1; `None` leaves it to the provider.
    pub temperature: Option<f32>,
    /// The most tokens to write; `None` takes the configured limit.
    pub max_output_tokens: Option<u32>,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// `[a-zA-Z0-9_-]{1,64}`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments: an object, references within itself allowed. Each provider gets it in its own dialect.
    pub parameters: Value,
}

/// Whether a model calls tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it sees fit.
    #[default]
    Auto,
    /// Not at all.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// The shape of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ResponseFormat {
    /// Prose.
    #[default]
    Text,
    /// JSON of this schema. What comes back still has to be checked: some providers only try.
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
    /// More text, never empty.
    Text(String),
    /// More of the model's thoughts, which are not part of the answer; never empty.
    Reasoning(String),
    /// A complete call.
    Call(ToolCall),
    /// The end.
    Finished(Finished),
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Why.
    pub reason: FinishReason,
    /// What it cost, as far as the provider said.
    pub usage: Usage,
    /// The model that answered, as the provider named it.
    pub model: Option<String>,
    /// What must go back with the assistant message, see [`AssistantMessage::opaque`].
    pub opaque: Option<Opaque>,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// It is complete.
    Stop,
    /// It waits for the results of its calls.
    ToolCalls,
    /// The limit of tokens was reached; the last call, if any, may be cut off and then has broken arguments.
    Length,
    /// The provider held the rest back.
    ContentFilter,
    /// The model refused.
    Refusal,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// What it said and asked for.
    pub message: AssistantMessage,
    /// Why it ended.
    pub reason: FinishReason,
    /// What it cost.
    pub usage: Usage,
    /// The model that answered, as the provider named it.
    pub model: Option<String>,
}

/// Gathers a streamed answer.
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
