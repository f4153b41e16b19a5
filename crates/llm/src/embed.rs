//! Embedding models.

use async_trait::async_trait;

use crate::{Error, ModelId};

/// A model that turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync + 'static {
    /// One vector per text, in order. Texts beyond the provider's batch size are sent in several requests.
    async fn embed(&self, texts: &[String], kind: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error>;

    /// Who answers.
    fn id(&self) -> ModelId;

    /// The length of its vectors, when it is known before the first call.
    fn dimensions(&self) -> Option<usize>;
}

/// What a text is, for models that make a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingKind {
    /// To be found.
    Document,
    /// To find with.
    Query,
}
