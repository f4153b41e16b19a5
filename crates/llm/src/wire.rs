//! Wires: the protocols of providers.
//!
//! A wire translates, without any I/O of its own. [`WIRES`] lists all of them; the provider's
//! record says which one it speaks.

mod anthropic;
mod call_ids;
mod checks;
mod endpoint;
mod gemini;
mod history;
mod ollama;
mod openai;
mod refusal;
#[cfg(test)]
pub(crate) mod testing;
mod turns;

use std::fmt;

use http::{HeaderMap, StatusCode};
use http_client::HttpClient;
use reqwest::RequestBuilder;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::ProviderConfig;
use crate::provider::ModelSetup;
use crate::{ChatEvent, ChatRequest, EmbeddingKind, Error, ModelId};

pub(crate) use call_ids::CallIds;
use endpoint::Endpoint;

pub(crate) use anthropic::WIRE as ANTHROPIC_MESSAGES;
pub use anthropic::{StructuredOutput, Thinking};
pub(crate) use gemini::WIRE as GEMINI;
pub use gemini::{ForeignCalls, SchemaDialect};
pub(crate) use ollama::WIRE as OLLAMA;
pub(crate) use openai::{
    CHAT as OPENAI_CHAT, COMPATIBLE as OPENAI_COMPATIBLE, RESPONSES as OPENAI_RESPONSES,
    ROUTER as OPENROUTER,
};

/// All wires.
const WIRES: [WireApi; 7] = [
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    OPENAI_COMPATIBLE,
    OPENROUTER,
    ANTHROPIC_MESSAGES,
    GEMINI,
    OLLAMA,
];

/// A wire, by the name that configuration gives it.
#[derive(Clone, Copy)]
pub struct WireApi(&'static WireSpec);

/// The properties of a wire.
pub(crate) struct WireSpec {
    pub(crate) name: &'static str,
    /// The address of servers of this wire when configuration gives none.
    pub(crate) base_url: Option<&'static str>,
    pub(crate) requires_key: bool,
    /// The keys of a provider's record that this wire reads, besides those that all wires read.
    pub(crate) keys: &'static [&'static str],
    /// The `keys` that apply to embeddings.
    pub(crate) embedding_keys: &'static [&'static str],
    /// The values of these keys, and of others that the wire has a default for.
    pub(crate) defaults: fn() -> ProviderConfig,
    pub(crate) chat: fn(&ModelSetup) -> Result<Box<dyn ChatWire>, Error>,
    pub(crate) embeddings: Option<EmbeddingsOf>,
}

/// Sets up an embedding model whose vectors have this length, where the model leaves a choice.
pub(crate) type EmbeddingsOf =
    fn(&ModelSetup, Option<usize>) -> Result<Box<dyn EmbeddingWire>, Error>;

impl WireApi {
    pub(crate) const fn new(spec: &'static WireSpec) -> Self {
        Self(spec)
    }

    /// As configuration spells it.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    pub(crate) fn base_url(self) -> Option<&'static str> {
        self.0.base_url
    }

    pub(crate) fn requires_key(self) -> bool {
        self.0.requires_key
    }

    pub(crate) fn keys(self, embeddings_only: bool) -> &'static [&'static str] {
        if embeddings_only {
            self.0.embedding_keys
        } else {
            self.0.keys
        }
    }

    pub(crate) fn defaults(self) -> ProviderConfig {
        (self.0.defaults)()
    }

    pub(crate) fn has_embeddings(self) -> bool {
        self.0.embeddings.is_some()
    }

    pub(crate) fn chat(self, model: &ModelSetup) -> Result<Box<dyn ChatWire>, Error> {
        (self.0.chat)(model)
    }

    /// `None` when the wire has no embeddings.
    pub(crate) fn embeddings(
        self,
        model: &ModelSetup,
        dimensions: Option<usize>,
    ) -> Option<Result<Box<dyn EmbeddingWire>, Error>> {
        self.0
            .embeddings
            .map(|embeddings| embeddings(model, dimensions))
    }
}

impl PartialEq for WireApi {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for WireApi {}

impl fmt::Debug for WireApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for WireApi {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for WireApi {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = WIRES.into_iter().find(|wire| wire.name() == name.trim());
        found.ok_or_else(|| {
            let known = names();
            serde::de::Error::custom(format!("{name:?} is not a wire; the wires are {known}"))
        })
    }
}

/// The names of all wires.
pub(crate) fn names() -> String {
    WIRES.map(WireApi::name).join(", ")
}

/// Whether a key of a provider's record belongs to some wires only.
pub(crate) fn is_key_of_a_wire(key: &str) -> bool {
    WIRES.iter().any(|wire| wire.keys(false).contains(&key))
}

/// A chat model behind a wire.
pub(crate) trait ChatWire: fmt::Debug + Send + Sync + 'static {
    fn endpoint(&self) -> &Endpoint;

    /// The request for a streamed answer, with credentials. Rejects what the provider is known to
    /// reject.
    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error>;

    /// How the body of an answer is split into messages.
    fn framing(&self) -> Framing;

    /// A reader for one answer.
    fn decoder(&self) -> Box<dyn Decoder>;

    /// The error for a response with an error status. `body` is its beginning.
    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        self.endpoint().refusal(status, headers, body)
    }

    fn id(&self) -> ModelId {
        self.endpoint().context.id.clone()
    }

    /// Whether the model may reason before it answers this, so that thoughts count against the
    /// limit of tokens.
    fn may_think(&self, request: &ChatRequest) -> bool;
}

/// An embedding model behind a wire.
pub(crate) trait EmbeddingWire: fmt::Debug + Send + Sync + 'static {
    fn endpoint(&self) -> &Endpoint;

    /// The request for the vectors of some texts.
    fn request(&self, client: &HttpClient, texts: &[String], kind: EmbeddingKind)
    -> RequestBuilder;

    /// Reads the vectors, in the order of the texts.
    fn read(&self, body: &str, texts: usize) -> Result<Vec<Vec<f32>>, Error>;

    /// The error for a response with an error status.
    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        self.endpoint().refusal(status, headers, body)
    }

    /// Maximum number of texts in a request.
    fn batch(&self) -> usize;

    fn id(&self) -> ModelId {
        self.endpoint().context.id.clone()
    }

    /// The configured length of the vectors.
    fn dimensions(&self) -> Option<usize>;
}

/// How a body is split into messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events; each is one message.
    Events,
    /// One JSON value per line.
    Lines,
}

/// Reads one answer, message by message. Keeps incomplete parts; never loses text.
pub(crate) trait Decoder: Send {
    /// Reads a message: the data of an event, or a line. `event` is the name of the event,
    /// `message` if it has none.
    fn message(&mut self, event: &str, data: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error>;

    /// The body ended. Adds [`ChatEvent::Finished`] if the provider ends streams so, otherwise
    /// fails with [`ErrorKind::Truncated`](crate::ErrorKind::Truncated). `stray` is the beginning
    /// of the text outside of messages, where some providers put an error.
    fn end(&mut self, stray: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error>;

    /// Whether [`ChatEvent::Finished`] was returned.
    fn is_finished(&self) -> bool;
}
