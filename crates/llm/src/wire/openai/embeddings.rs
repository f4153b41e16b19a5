//! `/v1/embeddings`.

use http_client::HttpClient;
use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::json;

use super::endpoint;
use crate::provider::ModelSetup;
use crate::wire::{EmbeddingWire, Endpoint};
use crate::{EmbeddingKind, Error, ErrorKind};

/// Maximum number of texts in a request.
const MAX_TEXTS: usize = 256;

/// An embedding model behind OpenAI's API.
#[derive(Debug)]
pub(super) struct OpenAiEmbeddings {
    endpoint: Endpoint,
    dimensions: Option<usize>,
}

impl OpenAiEmbeddings {
    /// `dimensions` shortens the vectors, which `text-embedding-3` and later can do; `None` leaves
    /// them as long as they are. Refuses an address or a key that cannot be sent.
    pub(super) fn new(model: &ModelSetup, dimensions: Option<usize>) -> Result<Self, Error> {
        Ok(Self {
            endpoint: endpoint(model, "embeddings", "application/json")?,
            dimensions,
        })
    }
}

impl EmbeddingWire for OpenAiEmbeddings {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn request(&self, client: &HttpClient, texts: &[String], _: EmbeddingKind) -> RequestBuilder {
        // The API rejects an empty text; a space has the same meaning.
        let texts: Vec<&str> = texts
            .iter()
            .map(|text| if text.is_empty() { " " } else { text })
            .collect();
        let mut body = json!({
            "model": self.endpoint.context.id.model,
            "input": texts,
            "encoding_format": "float",
        });
        if let Some(dimensions) = self.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        self.endpoint.post(client, &body)
    }

    fn read(&self, body: &str, texts: usize) -> Result<Vec<Vec<f32>>, Error> {
        let unreadable = |why: String| {
            Error::new(ErrorKind::Unreadable).with_detail(format!(
                "vectors of {:?}: {why}",
                self.endpoint.context.id.model
            ))
        };
        let mut answer: EmbeddingsResponse = serde_json::from_str(body)
            .map_err(|error| unreadable(format!("{:?} error", error.classify())))?;
        answer.data.sort_by_key(|vector| vector.index);
        if answer.data.len() != texts {
            return Err(unreadable(format!(
                "{} for {texts} texts",
                answer.data.len()
            )));
        }
        Ok(answer
            .data
            .into_iter()
            .map(|vector| vector.embedding)
            .collect())
    }

    fn batch(&self) -> usize {
        MAX_TEXTS
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

#[cfg(test)]
mod tests;
