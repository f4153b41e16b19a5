//! Putting the best passages in order once more, by a model that reads question and passage
//! together.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use http_client::HttpClient;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::json;

use crate::KnowledgeMatch;

/// Why there is no order.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// The server is away, or answers with an error.
    #[error("the re-ranker cannot be asked")]
    Http(#[from] reqwest::Error),
    /// The answer does not fit the request.
    #[error("the re-ranker's answer cannot be used: {0}")]
    RerankResponse(String),
}

/// Scores how well passages fit a question.
#[async_trait]
pub trait Reranker: Send + Sync + fmt::Debug + 'static {
    /// Relevance of each passage: the higher, the better. One number per passage, in their order.
    async fn scores(&self, question: &str, passages: &[String]) -> Result<Vec<f64>, RerankError>;
}

/// A server with the `/rerank` that Cohere, Jina, vLLM, llama.cpp and others have.
#[derive(Debug, Clone)]
pub struct HttpReranker {
    client: HttpClient,
    url: String,
    model: Option<String>,
    api_key: Option<SecretString>,
}

impl HttpReranker {
    /// Asks `POST {base_url}/rerank`.
    pub fn new(
        client: HttpClient,
        base_url: &str,
        model: Option<String>,
        api_key: Option<SecretString>,
    ) -> Self {
        Self {
            client,
            url: format!("{}/rerank", base_url.trim_end_matches('/')),
            model,
            api_key,
        }
    }
}

#[derive(Deserialize)]
struct RerankResponse {
    results: Vec<Ranked>,
}

#[derive(Deserialize)]
struct Ranked {
    index: usize,
    relevance_score: f64,
}

#[async_trait]
impl Reranker for HttpReranker {
    async fn scores(&self, question: &str, passages: &[String]) -> Result<Vec<f64>, RerankError> {
        let mut body = json!({"query": question, "documents": passages, "top_n": passages.len()});
        if let Some(model) = &self.model {
            body["model"] = json!(model);
        }
        let mut request = self.client.post(&self.url).json(&body);
        if let Some(key) = &self.api_key {
            request = request.bearer_auth(key.expose_secret());
        }
        let answer: RerankResponse = request.send().await?.error_for_status()?.json().await?;
        let mut scores = vec![None; passages.len()];
        for ranked in answer.results {
            if let Some(score) = scores.get_mut(ranked.index) {
                *score = Some(ranked.relevance_score).filter(|score| score.is_finite());
            }
        }
        scores
            .into_iter()
            .collect::<Option<_>>()
            .ok_or_else(|| RerankError::RerankResponse("it leaves passages out".to_owned()))
    }
}

/// The passages in the re-ranker's order; in theirs when it fails or takes too long.
pub(crate) async fn ordered(
    reranker: &dyn Reranker,
    patience: Duration,
    question: &str,
    passages: Vec<KnowledgeMatch>,
) -> Vec<KnowledgeMatch> {
    if passages.len() < 2 {
        return passages;
    }
    let texts: Vec<String> = passages
        .iter()
        .map(|passage| crate::chunk::embedded_text(&passage.headings, &passage.content))
        .collect();
    let scores = match tokio::time::timeout(patience, reranker.scores(question, &texts)).await {
        Ok(Ok(scores)) if scores.len() == passages.len() => scores,
        Ok(Ok(_)) => return passages,
        Ok(Err(error)) => {
            tracing::warn!(%error, "passages keep their order");
            return passages;
        }
        Err(_) => {
            tracing::warn!("the re-ranker took too long; passages keep their order");
            return passages;
        }
    };
    let mut scored: Vec<(f64, KnowledgeMatch)> = scores.into_iter().zip(passages).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().map(|(_, passage)| passage).collect()
}
