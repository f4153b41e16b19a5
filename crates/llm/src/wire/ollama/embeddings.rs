//! `/api/embed`.

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use serde::Deserialize;
use serde_json::json;

use super::{endpoint, errors, headers};
use crate::provider::{ModelContext, ModelSetup};
use crate::wire::EmbeddingWire;
use crate::{EmbeddingKind, Error, ErrorKind, ModelId};

/// Maximum number of texts in a request, so that a small machine answers before the time-out.
const MAX_TEXTS: usize = 32;

/// An embedding model on an Ollama server.
#[derive(Debug)]
pub(super) struct OllamaEmbeddings {
    context: Arc<ModelContext>,
    url: Url,
    headers: HeaderMap,
    keep_alive: Option<String>,
    dimensions: Option<usize>,
}

impl OllamaEmbeddings {
    /// `dimensions` shortens the vectors where the model can; `None` leaves them as long as they
    /// are. Refuses an address or a key that cannot be sent.
    pub(super) fn new(model: &ModelSetup, dimensions: Option<usize>) -> Result<Self, Error> {
        Ok(Self {
            url: endpoint(model, "embed")?,
            headers: headers(model)?,
            context: model.context.clone(),
            keep_alive: model.options.keep_alive.clone(),
            dimensions,
        })
    }
}

impl EmbeddingWire for OllamaEmbeddings {
    fn request(&self, client: &HttpClient, texts: &[String], _: EmbeddingKind) -> RequestBuilder {
        let mut body = json!({"model": self.context.id.model, "input": texts});
        if let Some(keep_alive) = &self.keep_alive {
            body["keep_alive"] = super::request::keep_alive(keep_alive);
        }
        if let Some(dimensions) = self.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .json(&body)
    }

    fn read(&self, body: &str, texts: usize) -> Result<Vec<Vec<f32>>, Error> {
        #[derive(Deserialize)]
        struct EmbeddingsResponse {
            embeddings: Vec<Vec<f32>>,
        }
        let unreadable = |why: String| {
            Error::new(ErrorKind::Unreadable)
                .with_detail(format!("vectors of {:?}: {why}", self.context.id.model))
        };
        let answer: EmbeddingsResponse = serde_json::from_str(body)
            .map_err(|error| unreadable(format!("{:?} error", error.classify())))?;
        match answer.embeddings.len() {
            count if count == texts => Ok(answer.embeddings),
            count => Err(unreadable(format!("{count} for {texts} texts"))),
        }
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        errors::refusal(&self.context, status, headers, body)
    }

    fn batch(&self) -> usize {
        MAX_TEXTS
    }

    fn id(&self) -> ModelId {
        self.context.id.clone()
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }
}

#[cfg(test)]
mod tests;
