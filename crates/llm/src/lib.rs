//! Chat and embedding models of several providers behind one interface.
//!
//! [`ChatModel`] answers a [`ChatRequest`] with a stream of [`ChatEvent`]s. A provider's module under `providers` only translates: it
//! builds the request and reads the stream. What all providers need is around them, once: time-outs, retries, a limit on calls under
//! way, a circuit breaker, fallbacks, telemetry.

mod chat;
mod embed;
mod error;
mod message;
mod providers;
mod usage;
mod wire;

pub use chat::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, Completion, FinishReason, Finished, ModelId,
    ResponseFormat, Tool, ToolChoice, collect,
};
pub use embed::{Embedder, EmbeddingKind};
pub use error::{Error, ErrorKind};
pub use message::{
    Arguments, AssistantMessage, Message, Opaque, ProviderKind, ToolCall, ToolOutput,
};
pub use usage::Usage;
