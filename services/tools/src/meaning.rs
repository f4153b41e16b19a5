//! What texts mean, where an embedding model is configured. Without one, or when it fails, words
//! have to do.

use std::sync::Arc;
use std::time::Duration;

use llm::{Embedder, EmbeddingKind};

/// Time limit for an embedding that only improves the order.
const PATIENCE: Duration = Duration::from_secs(5);
/// Enough of a question to say what it is about, in characters.
const MOST: usize = 2_000;

/// An embedding model, or none.
#[derive(Clone)]
pub(crate) struct Meaning(Option<Arc<dyn Embedder>>);

impl Meaning {
    pub(crate) fn new(embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self(embedder)
    }

    /// The name of the model, as vectors are kept with.
    pub(crate) fn model(&self) -> Option<String> {
        self.0.as_ref().map(|embedder| embedder.id().to_string())
    }

    /// The vector of a question.
    pub(crate) async fn of_question(&self, question: &str) -> Option<Vec<f32>> {
        let question: String = question.chars().take(MOST).collect();
        self.embed(&[question], EmbeddingKind::Query).await?.pop()
    }

    /// what texts to be found mean.
    pub(crate) async fn of_documents(&self, sentences: &[String]) -> Option<Vec<Vec<f32>>> {
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

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use llm::{Error, ModelId};

    use super::*;

    /// An embedder whose vectors contain the length of each of the first texts.
    struct Lengths(usize);

    #[async_trait]
    impl Embedder for Lengths {
        async fn embed(&self, texts: &[String], _: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
            let vector = |text: &String| vec![text.chars().count() as f32];
            Ok(texts.iter().take(self.0).map(vector).collect())
        }

        fn id(&self) -> ModelId {
            ModelId {
                provider: "openai".into(),
                model: "lengths".into(),
            }
        }

        fn dimensions(&self) -> Option<usize> {
            Some(1)
        }
    }

    #[tokio::test]
    async fn a_model_tells_what_texts_mean_and_none_does_not() {
        let meaning = Meaning::new(Some(Arc::new(Lengths(2))));
        assert_eq!(meaning.of_question("crews").await, Some(vec![5.0]));
        let long = "x".repeat(10 * MOST);
        assert_eq!(meaning.of_question(&long).await, Some(vec![2_000.0]));
        let tables = ["crew".to_owned(), "employee".to_owned()];
        assert_eq!(meaning.of_documents(&tables).await.unwrap(), [[4.0], [8.0]]);
        assert!(meaning.model().unwrap().ends_with("lengths"));

        let none = Meaning::new(None);
        assert_eq!(
            (none.of_question("crews").await, none.model()),
            (None, None)
        );
    }

    #[tokio::test]
    async fn vectors_that_do_not_belong_to_the_texts_are_not_used() {
        let meaning = Meaning::new(Some(Arc::new(Lengths(1))));
        let tables = ["crew".to_owned(), "employee".to_owned()];
        assert_eq!(meaning.of_documents(&tables).await, None);
    }
}
