//! `:batchEmbedContents`.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{GeminiSettings, headers, method_url, resource, status};
use crate::{EmbeddingKind, Error, ErrorKind, ModelId, ProviderKind};

/// The variable that names the model, told when there is no such model.
const MODEL_VARIABLE: &str = "EMBEDDING_MODEL";

/// The most texts that the API takes at once.
const MAX_TEXTS: usize = 100;

/// An embedding model of Gemini's. Translates only.
#[derive(Debug)]
pub(crate) struct GeminiEmbeddings {
    settings: GeminiSettings,
    model: Arc<str>,
    url: Url,
    headers: HeaderMap,
    dimensions: Option<usize>,
}

impl GeminiEmbeddings {
    /// `dimensions` shortens the vectors; `None` leaves them as long as they are. Refuses an address or a key that can not be sent.
    pub(crate) fn new(settings: GeminiSettings, dimensions: Option<usize>) -> Result<Self, Error> {
        let mut url = method_url(&settings.base_url, &settings.model, "batchEmbedContents")?;
        url.set_query(None);
        let mut headers = headers(&settings.api_key)?;
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        Ok(Self {
            url,
            headers,
            model: settings.model.as_str().into(),
            settings,
            dimensions,
        })
    }

    /// How many texts go into a request at most.
    #[expect(
        clippy::unused_self,
        reason = "every embedding interface has its own limit"
    )]
    pub(crate) fn batch(&self) -> usize {
        MAX_TEXTS
    }

    /// The request for the vectors of some texts.
    pub(crate) fn request(
        &self,
        client: &HttpClient,
        texts: &[String],
        kind: EmbeddingKind,
    ) -> RequestBuilder {
        client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .json(&self.body(texts, kind))
    }

    fn body(&self, texts: &[String], kind: EmbeddingKind) -> Value {
        let task = match kind {
            EmbeddingKind::Document => "RETRIEVAL_DOCUMENT",
            EmbeddingKind::Query => "RETRIEVAL_QUERY",
        };
        let model = resource(&self.settings.model);
        let requests: Vec<Value> = texts
            .iter()
            .map(|text| {
                // An empty text is refused, and one blank is worth the same.
                let text = if text.is_empty() { " " } else { text };
                let mut request = json!({
                    "model": model,
                    "content": {"parts": [{"text": text}]},
                    "taskType": task,
                });
                if let Some(dimensions) = self.dimensions {
                    request["outputDimensionality"] = json!(dimensions);
                }
                request
            })
            .collect();
        json!({"requests": requests})
    }

    /// Reads the vectors, in the order of the texts.
    pub(crate) fn read(&self, body: &str, texts: usize) -> Result<Vec<Vec<f32>>, Error> {
        let unreadable =
            |why: String| Error::new(ErrorKind::Unreadable).with_detail(format!("vectors: {why}"));
        let answer: Answer = serde_json::from_str(body)
            .map_err(|error| unreadable(format!("{:?} error", error.classify())))?;
        if answer.embeddings.len() != texts {
            let given = answer.embeddings.len();
            return Err(unreadable(format!("{given} for {texts} texts")));
        }
        let vectors = answer.embeddings.into_iter().map(|vector| vector.values);
        if self.dimensions.is_some() {
            // Shortened vectors come without their length of one.
            return Ok(vectors.map(unit).collect());
        }
        Ok(vectors.collect())
    }

    /// What an answer with an error status means.
    pub(crate) fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        let asked = status::Asked {
            model: &self.settings.model,
            variable: MODEL_VARIABLE,
            key: &self.settings.api_key,
        };
        status::refusal(&asked, status, headers, body)
    }

    /// Who answers.
    pub(crate) fn id(&self) -> ModelId {
        ModelId {
            provider: ProviderKind::Gemini,
            model: self.model.clone(),
        }
    }

    /// The length that was asked for.
    pub(crate) fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    embeddings: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    #[serde(default)]
    values: Vec<f32>,
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in &mut vector {
            *value /= length;
        }
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embeddings(dimensions: Option<usize>) -> GeminiEmbeddings {
        let settings = GeminiSettings::new("k".into(), "gemini-embedding-001");
        GeminiEmbeddings::new(settings, dimensions).unwrap()
    }

    #[test]
    fn texts_are_asked_for_in_one_request() {
        let embeddings = embeddings(Some(768));
        assert_eq!(
            embeddings.url.as_str(),
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents"
        );
        let texts = ["one".to_owned(), String::new()];
        let request = |text: &str, task: &str| {
            json!({
                "model": "models/gemini-embedding-001",
                "content": {"parts": [{"text": text}]},
                "taskType": task,
                "outputDimensionality": 768
            })
        };
        assert_eq!(
            embeddings.body(&texts, EmbeddingKind::Document),
            json!({"requests": [request("one", "RETRIEVAL_DOCUMENT"), request(" ", "RETRIEVAL_DOCUMENT")]})
        );
        assert_eq!(
            embeddings.body(&texts[..1], EmbeddingKind::Query),
            json!({"requests": [request("one", "RETRIEVAL_QUERY")]})
        );
    }

    #[test]
    fn the_key_stays_out_of_the_address() {
        let client = http_client::external_http_client().unwrap();
        let request = embeddings(None)
            .request(&client, &["one".to_owned()], EmbeddingKind::Query)
            .build()
            .unwrap();
        assert_eq!(request.url().query(), None);
        let key = &request.headers()["x-goog-api-key"];
        assert_eq!(key, "k");
        assert!(key.is_sensitive());
    }

    #[test]
    fn vectors_are_read_and_shortened_ones_made_unit_long() {
        let body = r#"{"embeddings": [{"values": [3.0, 4.0]}, {"values": [0.0, 0.0]}]}"#;
        let read = |dimensions| embeddings(dimensions).read(body, 2).unwrap();
        assert_eq!(read(None), [[3.0, 4.0], [0.0, 0.0]]);
        assert_eq!(read(Some(2)), [[0.6, 0.8], [0.0, 0.0]]);
    }

    #[test]
    fn a_missing_vector_is_noticed() {
        let embeddings = embeddings(None);
        for body in [r#"{"embeddings": [{"values": [1.0]}]}"#, "{}", "<html>"] {
            assert_eq!(
                embeddings.read(body, 2).unwrap_err().kind,
                ErrorKind::Unreadable
            );
        }
    }

    #[test]
    fn an_unknown_model_is_named_with_its_variable() {
        let error = embeddings(None).refusal(StatusCode::NOT_FOUND, &HeaderMap::new(), "");
        assert_eq!(error.kind, ErrorKind::UnknownModel);
        assert!(error.detail.unwrap().contains("(EMBEDDING_MODEL)"));
    }
}
