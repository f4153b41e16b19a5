//! `/api/embed`.

use http_client::HttpClient;
use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::json;

use super::endpoint;
use crate::provider::ModelSetup;
use crate::wire::{EmbeddingWire, Endpoint};
use crate::{EmbeddingKind, Error, ErrorKind};

/// Maximum number of texts in a request, so that a small machine answers before the time-out.
const MAX_TEXTS: usize = 32;

/// An embedding model on an Ollama server.
#[derive(Debug)]
pub(super) struct OllamaEmbeddings {
    endpoint: Endpoint,
    keep_alive: Option<String>,
    dimensions: Option<usize>,
}

impl OllamaEmbeddings {
    /// `dimensions` shortens the vectors where the model can; `None` leaves them as long as they
    /// are. Refuses an address or a key that cannot be sent.
    pub(super) fn new(model: &ModelSetup, dimensions: Option<usize>) -> Result<Self, Error> {
        Ok(Self {
            endpoint: endpoint(model, "embed")?,
            keep_alive: model.options.keep_alive.clone(),
            dimensions,
        })
    }
}

impl EmbeddingWire for OllamaEmbeddings {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn request(&self, client: &HttpClient, texts: &[String], _: EmbeddingKind) -> RequestBuilder {
        let mut body = json!({"model": self.endpoint.context.id.model, "input": texts});
        if let Some(keep_alive) = &self.keep_alive {
            body["keep_alive"] = super::request::keep_alive(keep_alive);
        }
        if let Some(dimensions) = self.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        self.endpoint.post(client, &body)
    }

    fn read(&self, body: &str, texts: usize) -> Result<Vec<Vec<f32>>, Error> {
        #[derive(Deserialize)]
        struct EmbeddingsResponse {
            embeddings: Vec<Vec<f32>>,
        }
        let unreadable = |why: String| {
            Error::new(ErrorKind::Unreadable).with_detail(format!(
                "vectors of {:?}: {why}",
                self.endpoint.context.id.model
            ))
        };
        let answer: EmbeddingsResponse = serde_json::from_str(body)
            .map_err(|error| unreadable(format!("{:?} error", error.classify())))?;
        match answer.embeddings.len() {
            count if count == texts => Ok(answer.embeddings),
            count => Err(unreadable(format!("{count} for {texts} texts"))),
        }
    }

    fn batch(&self) -> usize {
        MAX_TEXTS
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }
}

#[cfg(test)]
mod tests;
