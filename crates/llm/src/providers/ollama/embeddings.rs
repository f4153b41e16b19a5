//! `/api/embed`.

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use serde::Deserialize;
use serde_json::json;

use super::errors::Origin;
use super::{OllamaSettings, endpoint, headers};
use crate::{Error, ErrorKind, ModelId};

/// The most texts of a request: a small machine should answer before anybody loses patience.
const MAX_TEXTS: usize = 32;

/// An embedding model on an Ollama server. Translates only.
#[derive(Debug)]
pub(crate) struct OllamaEmbeddings {
    origin: Arc<Origin>,
    url: Url,
    headers: HeaderMap,
    keep_alive: Option<String>,
    dimensions: Option<usize>,
}

impl OllamaEmbeddings {
    /// `dimensions` shortens the vectors where the model can; `None` leaves them as long as they are. Refuses an address or a key that
    /// can not be sent.
    pub(crate) fn new(settings: OllamaSettings, dimensions: Option<usize>) -> Result<Self, Error> {
        Ok(Self {
            url: endpoint(&settings.base_url, "embed")?,
            headers: headers(settings.api_key.as_ref())?,
            origin: Arc::new(Origin {
                model: settings.model.into(),
                model_variable: "EMBEDDING_MODEL",
                key: settings.api_key.unwrap_or_default(),
            }),
            keep_alive: settings.keep_alive,
            dimensions,
        })
    }

    /// How many texts go into a request at most.
    #[expect(
        clippy::unused_self,
        reason = "a property of the provider, asked of its value as all others are"
    )]
    pub(crate) fn batch(&self) -> usize {
        MAX_TEXTS
    }

    /// The request for the vectors of some texts.
    pub(crate) fn request(&self, client: &HttpClient, texts: &[String]) -> RequestBuilder {
        let mut body = json!({"model": self.origin.model, "input": texts});
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

    /// Reads the vectors, in the order of the texts.
    pub(crate) fn read(&self, body: &str, texts: usize) -> Result<Vec<Vec<f32>>, Error> {
        #[derive(Deserialize)]
        struct Answer {
            embeddings: Vec<Vec<f32>>,
        }
        let unreadable = |why: String| {
            Error::new(ErrorKind::Unreadable)
                .with_detail(format!("vectors of {:?}: {why}", self.origin.model))
        };
        let answer: Answer = serde_json::from_str(body)
            .map_err(|error| unreadable(format!("{:?} error", error.classify())))?;
        match answer.embeddings.len() {
            count if count == texts => Ok(answer.embeddings),
            count => Err(unreadable(format!("{count} for {texts} texts"))),
        }
    }

    /// What an answer with an error status means.
    pub(crate) fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        self.origin.refusal(status, headers, body)
    }

    /// Who answers.
    pub(crate) fn id(&self) -> ModelId {
        self.origin.id()
    }

    /// The length that was asked for.
    pub(crate) fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }
}

#[cfg(test)]
mod tests;
