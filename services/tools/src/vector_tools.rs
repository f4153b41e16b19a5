//! The tools over vectors: `embedding_tool` makes them of texts, `vectordb_tool` finds what is like
//! a text.
//!
//! Documents are searched in the library of `knowledge`; the fields of search sources are described
//! in sentences, whose vectors are kept.

mod embedding_tool;
mod fields;
mod vectordb_tool;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contracts::tools::{Descriptor, registry};
use knowledge::Library;
use llm::{Embedder, EmbeddingKind};
use search_sources::Sources;

use crate::error::Error;
use crate::toolbox::{Call, Family, dispatch};
use fields::Fields;

/// No embedding takes longer.
const PATIENCE: Duration = Duration::from_secs(20);
const NO_MODEL: &str = "No embedding model is configured, so texts have no vectors. An operator chooses one in the tools service's section [embedding] \
     (EMBEDDING_PROVIDER, or EMBEDDING_MODEL_DIR for a local one).";

/// The tools over vectors.
pub struct VectorTools {
    embedder: Option<Arc<dyn Embedder>>,
    library: Library,
    fields: Fields,
}

impl VectorTools {
    /// Tools with this model, over these documents and the fields of these sources.
    pub fn new(embedder: Option<Arc<dyn Embedder>>, library: Library, sources: Sources) -> Self {
        Self {
            embedder,
            library,
            fields: Fields::new(sources),
        }
    }

    fn model(&self) -> Result<Model<'_>, Error> {
        let embedder = self.embedder.as_deref();
        embedder
            .map(Model)
            .ok_or_else(|| Error::impossible(NO_MODEL))
    }
}

#[async_trait]
impl Family for VectorTools {
    fn tools(&self) -> &'static [Descriptor] {
        registry::VECTORS
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        contracts::vector_tools!(dispatch [self, call, call.caller])
    }
}

/// An embedding model whose failures are reported.
#[derive(Clone, Copy)]
struct Model<'a>(&'a dyn Embedder);

impl Model<'_> {
    fn name(self) -> String {
        self.0.id().to_string()
    }

    async fn vectors(self, texts: &[String], kind: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
        match tokio::time::timeout(PATIENCE, self.0.embed(texts, kind)).await {
            Ok(Ok(vectors)) if vectors.len() == texts.len() => Ok(vectors),
            Ok(Ok(_)) => Err(Error::impossible(
                "The embedding model did not answer for every text.",
            )),
            Ok(Err(error)) => {
                tracing::warn!(error = %service_kit::problem::chain(&error), "no embeddings");
                Err(Error::impossible(format!(
                    "The embedding model {} cannot be used at the moment.",
                    self.name()
                )))
            }
            Err(_) => Err(Error::impossible(format!(
                "The embedding model {} takes too long.",
                self.name()
            ))),
        }
    }
}
