//! Embedding models.

use async_trait::async_trait;

use crate::{Error, ModelId};

/// A model that turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync + 'static {
    /// One vector per text, in order. Texts beyond the provider's batch size are sent in several
    /// requests.
    async fn embed(&self, texts: &[String], kind: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error>;

    /// The model, for logs and telemetry.
    fn id(&self) -> ModelId;

    /// The length of the vectors, if it is known before the first call.
    fn dimensions(&self) -> Option<usize>;
}

/// The role of a text, for models that distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingKind {
    /// A text to be found.
    Document,
    /// A question to search with.
    Query,
}
