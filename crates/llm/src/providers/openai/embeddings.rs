//! `/v1/embeddings`.

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use serde::Deserialize;
use serde_json::json;

use super::origin::Origin;
use super::{OpenAiSettings, endpoint, headers};
use crate::{Error, ErrorKind, ModelId};

/// The most texts of a request.
const MAX_TEXTS: usize = 256;

/// An embedding model behind OpenAI's API. Translates only.
#[derive(Debug)]
pub(crate) struct OpenAiEmbeddings {
    origin: Arc<Origin>,
    url: Url,
    headers: HeaderMap,
    dimensions: Option<usize>,
}

impl OpenAiEmbeddings {
    /// `dimensions` shortens the vectors, which `text-embedding-3` and later can do; `None` leaves them as long as they are. Refuses an
    /// address or a key that can not be sent.
    pub(crate) fn new(settings: OpenAiSettings, dimensions: Option<usize>) -> Result<Self, Error> {
        Ok(Self {
            url: endpoint(&settings.base_url, "embeddings")?,
            headers: headers(&settings, "application/json")?,
            origin: Arc::new(Origin {
                provider: settings.flavour.provider(),
                model: settings.model.into(),
                variables: "EMBEDDING",
                key: settings.api_key.unwrap_or_default(),
            }),
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
        // An empty text is refused, and one blank is worth the same.
        let texts: Vec<&str> = texts
            .iter()
            .map(|text| if text.is_empty() { " " } else { text })
            .collect();
        let mut body = json!({
            "model": self.origin.model,
            "input": texts,
            "encoding_format": "float",
        });
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
        let unreadable = |why: String| {
            Error::new(ErrorKind::Unreadable)
                .with_detail(format!("vectors of {:?}: {why}", self.origin.model))
        };
        let mut answer: Answer = serde_json::from_str(body)
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

    /// What an answer with an error status means.
    pub(crate) fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        self.origin.refusal(status, headers, body)
    }

    /// Who answers.
    pub(crate) fn id(&self) -> ModelId {
        ModelId {
            provider: self.origin.provider,
            model: self.origin.model.clone(),
        }
    }

    /// The length that was asked for.
    pub(crate) fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }
}

#[derive(Deserialize)]
struct Answer {
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
