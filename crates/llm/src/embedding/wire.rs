//! The providers' embedding interfaces.

use http::{HeaderMap, StatusCode};
use http_client::HttpClient;
use reqwest::RequestBuilder;

use crate::providers::gemini::GeminiEmbeddings;
use crate::providers::ollama::OllamaEmbeddings;
use crate::providers::openai::OpenAiEmbeddings;
use crate::{EmbeddingKind, Error, ModelId};

/// A provider's embeddings: a translation, without any I/O of its own.
#[derive(Debug)]
pub(crate) enum EmbeddingWire {
    OpenAi(OpenAiEmbeddings),
    Gemini(GeminiEmbeddings),
    Ollama(OllamaEmbeddings),
}

impl EmbeddingWire {
    /// The request for the vectors of some texts.
    pub(crate) fn request(
        &self,
        client: &HttpClient,
        texts: &[String],
        kind: EmbeddingKind,
    ) -> RequestBuilder {
        match self {
            Self::OpenAi(wire) => wire.request(client, texts),
            Self::Gemini(wire) => wire.request(client, texts, kind),
            Self::Ollama(wire) => wire.request(client, texts),
        }
    }

    /// Reads the vectors, in the order of the texts.
    pub(crate) fn read(&self, body: &str, texts: usize) -> Result<Vec<Vec<f32>>, Error> {
        match self {
            Self::OpenAi(wire) => wire.read(body, texts),
            Self::Gemini(wire) => wire.read(body, texts),
            Self::Ollama(wire) => wire.read(body, texts),
        }
    }

    /// What an answer with an error status means.
    pub(crate) fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        match self {
            Self::OpenAi(wire) => wire.refusal(status, headers, body),
            Self::Gemini(wire) => wire.refusal(status, headers, body),
            Self::Ollama(wire) => wire.refusal(status, headers, body),
        }
    }

    /// The most texts of a request.
    pub(crate) fn batch(&self) -> usize {
        match self {
            Self::OpenAi(wire) => wire.batch(),
            Self::Gemini(wire) => wire.batch(),
            Self::Ollama(wire) => wire.batch(),
        }
    }

    /// Who answers.
    pub(crate) fn id(&self) -> ModelId {
        match self {
            Self::OpenAi(wire) => wire.id(),
            Self::Gemini(wire) => wire.id(),
            Self::Ollama(wire) => wire.id(),
        }
    }

    /// The length that was asked for.
    pub(crate) fn dimensions(&self) -> Option<usize> {
        match self {
            Self::OpenAi(wire) => wire.dimensions(),
            Self::Gemini(wire) => wire.dimensions(),
            Self::Ollama(wire) => wire.dimensions(),
        }
    }
}
