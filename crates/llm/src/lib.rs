//! Chat and embedding models of several providers behind one interface.
//!
//! [`ChatModel`] answers a [`ChatRequest`] with a stream of [`ChatEvent`]s. A provider is a record;
//! it names its wire, which builds the request and reads the stream. Time-outs, retries, the limit
//! on calls in progress, the circuit breaker, fallbacks and telemetry are the same for all
//! providers.
//!
//! A new provider needs an entry in a table or in the configuration: see
//! `docs/adding-a-provider.md`.
//!
//! [`Models::from_config`] builds the models from the section `[llm]`:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use llm::{ChatRequest, LlmConfig, Message, Models};
//!
//! let config = LlmConfig::default();
//! let Some(models) = Models::from_config(&config, http_client::external_http_client()?)? else {
//!     return Ok(()); // no provider: rules only
//! };
//! let answer = models
//!     .chat()
//!     .complete(ChatRequest {
//!         messages: [Message::user("Good morning")].into(),
//!         ..ChatRequest::default()
//!     })
//!     .await?;
//! assert!(!answer.message.text.is_empty());
//! # Ok(())
//! # }
//! ```

pub mod config;

mod chat;
mod embed;
mod error;
mod message;
mod usage;

mod model_options;
mod models;
mod provider;

mod circuit;
mod embedding;
mod fallback;
mod limits;
mod meter;
mod resilient;
mod retry;
mod telemetry;
mod transport;

mod framing;
#[cfg(test)]
mod recordings;
#[cfg(test)]
mod testing;
mod wire;
mod written;

pub use chat::{
    AnswerSize, ChatEvent, ChatModel, ChatRequest, ChatStream, Completion, FinishReason, Finished,
    ModelId, ResponseFormat, Tool, ToolChoice, collect,
};
pub use config::LlmConfig;
pub use embed::{Embedder, EmbeddingKind};
pub use error::{Error, ErrorKind};
pub use fallback::Fallback;
pub use message::{Arguments, AssistantMessage, Message, Opaque, ToolCall, ToolOutput};
pub use meter::{ModelUsage, UsageMeter};
pub use model_options::ModelOptions;
pub use models::{Models, embedder};
pub use provider::ProviderName;
pub use usage::Usage;
