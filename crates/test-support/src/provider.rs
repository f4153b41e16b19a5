//! A scripted model provider: a real HTTP server on a free port that speaks a provider's interface
//! as its recordings show it, and refuses what the real one refuses, in the real one's words.
//!
//! What the model does is said in no provider's words, so one [`Script`] serves all of them. What a
//! script sees of a request is the same for all of them too: [`Seen`].
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! use serde_json::json;
//! use test_support::provider::{Call, Dialect, ModelServer, Script, Turn};
//!
//! let script = Script::new()
//!     .then(Turn::calls([Call::new("list_loggers", json!({}))]))
//!     .then(Turn::text("There are five."));
//! let server = ModelServer::start(Dialect::Anthropic, script).await?;
//! // Ask at `server.base_url()` with `server.key()`, then:
//! server.assert_accepted();
//! assert_eq!(server.seen().len(), 2);
//! # Ok(())
//! # }
//! ```

mod anthropic;
mod checks;
mod embeddings;
mod gate;
mod gemini;
mod http;
mod ollama;
mod openai;
mod refusal;
mod reply;
mod script;
mod seen;
mod server;
mod turn;

pub use gate::Gate;
pub use refusal::Refusal;
pub use script::Script;
pub use seen::{Choice, Operation, Seen, SeenCall, SeenMessage, SeenTool};
pub use server::{Counts, ModelServer};
pub use turn::{Call, Turn};

/// The interface that is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `POST /v1/chat/completions`, `/v1/embeddings`.
    OpenAi,
    /// `POST /api/v1/chat/completions`: comments between events, a finish reason sent twice, its
    /// own errors.
    OpenRouter,
    /// `POST /v1/messages`.
    Anthropic,
    /// `POST /v1beta/models/MODEL:streamGenerateContent`, `:generateContent`, `:embedContent`,
    /// `:batchEmbedContents`.
    Gemini,
    /// `POST /api/chat`, `/api/embed`.
    Ollama,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::OpenAi,
        Self::OpenRouter,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
    ];

    /// As configurations spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// What follows the server's address in the base URL that the provider's own clients are given.
    fn base_path(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1",
            Self::OpenRouter => "/api/v1",
            Self::Gemini => "/v1beta",
            Self::Anthropic | Self::Ollama => "",
        }
    }
}

#[cfg(test)]
mod tests;
