//! What texts mean, where an embedding model is configured. Without one, or when it fails, words have to do.

use std::sync::Arc;
use std::time::Duration;

use llm::{Embedder, EmbeddingKind};

/// Nobody waits longer than this for a better order.
const PATIENCE: Duration = Duration::from_secs(5);
/// Enough of a question to tell what it is about, in characters.
const MOST: usize = 2_000;

/// An embedding model, or none.
#[derive(Clone)]
pub(super) struct Meaning(Option<Arc<dyn Embedder>>);

impl Meaning {
    pub(super) fn new(embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self(embedder)
    }

    /// The name of the model, as vectors are kept with.
    pub(super) fn model(&self) -> Option<String> {
        self.0.as_ref().map(|embedder| embedder.id().to_string())
    }

    /// What a question means.
    pub(super) async fn of_question(&self, question: &str) -> Option<Vec<f32>> {
        let question: String = question.chars().take(MOST).collect();
        self.embed(&[question], EmbeddingKind::Query).await?.pop()
    }

    /// What tables mean, by the sentences that describe them.
    pub(super) async fn of_tables(&self, sentences: &[String]) -> Option<Vec<Vec<f32>>> {
        self.embed(sentences, EmbeddingKind::Document).await
    }

    async fn embed(&self, texts: &[String], kind: EmbeddingKind) -> Option<Vec<Vec<f32>>> {
        let embedder = self.0.as_ref()?;
        match tokio::time::timeout(PATIENCE, embedder.embed(texts, kind)).await {
            Ok(Ok(vectors)) if vectors.len() == texts.len() => Some(vectors),
            Ok(Ok(_)) => None,
            Ok(Err(error)) => {
                tracing::warn!(error = %service_kit::problem::chain(&error), "no embeddings; words are compared");
                None
            }
            Err(_) => {
                tracing::warn!("embeddings take too long; words are compared");
                None
            }
        }
    }
}
