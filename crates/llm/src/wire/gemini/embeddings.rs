//! `:batchEmbedContents`.

use http_client::HttpClient;
use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{headers, method_url, resource, status};
use crate::provider::ModelSetup;
use crate::wire::{EmbeddingWire, Endpoint};
use crate::{EmbeddingKind, Error, ErrorKind};

/// Maximum number of texts in a request.
const MAX_TEXTS: usize = 100;

/// An embedding model behind the Gemini API.
#[derive(Debug)]
pub(super) struct GeminiEmbeddings {
    endpoint: Endpoint,
    dimensions: Option<usize>,
}

impl GeminiEmbeddings {
    /// `dimensions` shortens the vectors; `None` leaves them as long as they are. Refuses an
    /// address or a key that cannot be sent.
    pub(super) fn new(model: &ModelSetup, dimensions: Option<usize>) -> Result<Self, Error> {
        let mut url = method_url(model, "batchEmbedContents")?;
        url.set_query(None);
        let headers = headers(model, "application/json")?;
        Ok(Self {
            endpoint: Endpoint::new(model, url, headers, status::refusal),
            dimensions,
        })
    }

    fn body(&self, texts: &[String], kind: EmbeddingKind) -> Value {
        let task = match kind {
            EmbeddingKind::Document => "RETRIEVAL_DOCUMENT",
            EmbeddingKind::Query => "RETRIEVAL_QUERY",
        };
        let model = resource(&self.endpoint.context.id.model);
        let requests: Vec<Value> = texts
            .iter()
            .map(|text| {
                // The API rejects an empty text; a space has the same meaning.
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
}

impl EmbeddingWire for GeminiEmbeddings {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn request(
        &self,
        client: &HttpClient,
        texts: &[String],
        kind: EmbeddingKind,
    ) -> RequestBuilder {
        self.endpoint.post(client, &self.body(texts, kind))
    }

    fn read(&self, body: &str, texts: usize) -> Result<Vec<Vec<f32>>, Error> {
        let unreadable =
            |why: String| Error::new(ErrorKind::Unreadable).with_detail(format!("vectors: {why}"));
        let answer: EmbeddingsResponse = serde_json::from_str(body)
            .map_err(|error| unreadable(format!("{:?} error", error.classify())))?;
        if answer.embeddings.len() != texts {
            let given = answer.embeddings.len();
            return Err(unreadable(format!("{given} for {texts} texts")));
        }
        let vectors = answer.embeddings.into_iter().map(|vector| vector.values);
        if self.dimensions.is_some() {
            // Shortened vectors are not normalized.
            return Ok(vectors.map(unit).collect());
        }
        Ok(vectors.collect())
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
    use http::{HeaderMap, StatusCode};

    use super::*;
    use crate::wire::testing::{KEY, embedding_model};

    fn embeddings(dimensions: Option<usize>) -> GeminiEmbeddings {
        let model = embedding_model("gemini", "gemini-embedding-001");
        GeminiEmbeddings::new(&model, dimensions).unwrap()
    }

    #[test]
    fn texts_are_asked_for_in_one_request() {
        let embeddings = embeddings(Some(768));
        assert_eq!(
            embeddings.endpoint.url.as_str(),
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
        assert_eq!(key, KEY);
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
