//! Comparing vectors: one trait, two ways.

pub mod dot;
mod in_process;
mod pgvector;

use std::fmt;

use async_trait::async_trait;
use contracts::tools::knowledge::VectorService;
use sqlx::PgPool;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::settings::{Settings, StoreChoice};

pub use in_process::InProcess;
pub use pgvector::Pgvector;

/// A model as the store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Its key in `tools.knowledge_models`.
    pub key: i32,
    /// `provider/name`.
    pub name: String,
    /// The length of its vectors.
    pub dimensions: usize,
}

/// The documents that a search covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The tenant that owns the documents.
    pub tenant: String,
    /// Only these documents; all of the tenant where `None`.
    pub documents: Option<Vec<Uuid>>,
    /// Number of chunks of these documents.
    pub chunks: u64,
    /// Number of times that the tenant's chunks and vectors have changed.
    pub version: i64,
}

/// A chunk with its cosine to a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The chunk.
    pub chunk_id: i64,
    /// The cosine of its vector and the query's.
    pub cosine: f32,
}

/// The chunks nearest to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The nearest first.
    pub hits: Vec<Hit>,
    /// Who compared.
    pub service: VectorService,
}

/// A store that compares vectors. The vectors are in `tools.knowledge_embeddings`, which the store
/// reads.
#[async_trait]
pub trait VectorStore: Send + Sync + fmt::Debug + 'static {
    /// Adds embeddings that are new since the last call, within these documents, or the whole
    /// tenant. May be called again.
    async fn refresh(
        &self,
        model: &Model,
        tenant: &str,
        documents: Option<&[Uuid]>,
    ) -> Result<(), sqlx::Error>;

    /// What keeps large stores fast and takes long: building an index. May be called again.
    async fn maintain(&self, model: &Model) -> Result<(), sqlx::Error>;

    /// The chunks of the scope that are nearest to a vector of length 1.
    async fn nearest(
        &self,
        model: &Model,
        scope: &Scope,
        query: &[f32],
        limit: usize,
    ) -> Result<Nearest, sqlx::Error>;
}

/// The store of a library, chosen when it is first needed: until then there may be no database to
/// ask.
#[derive(Debug)]
pub(crate) struct Stores {
    pool: PgPool,
    settings: Settings,
    chosen: OnceCell<Option<Box<dyn VectorStore>>>,
}

impl Stores {
    pub(crate) fn new(pool: PgPool, settings: Settings) -> Self {
        Self {
            pool,
            settings,
            chosen: OnceCell::new(),
        }
    }

    /// The store; `None` when pgvector is wanted and not to be had.
    pub(crate) async fn get(&self) -> Result<Option<&dyn VectorStore>, sqlx::Error> {
        let chosen = self.chosen.get_or_try_init(|| self.choose()).await?;
        Ok(chosen.as_deref())
    }

    async fn choose(&self) -> Result<Option<Box<dyn VectorStore>>, sqlx::Error> {
        if self.settings.vector_store != StoreChoice::InProcess {
            if let Some(store) = Pgvector::open(&self.pool, &self.settings).await? {
                return Ok(Some(Box::new(store)));
            }
            if self.settings.vector_store == StoreChoice::Pgvector {
                tracing::warn!(
                    "pgvector is configured and the server does not have it; documents are searched by text alone"
                );
                return Ok(None);
            }
        }
        let store = InProcess::new(self.pool.clone(), self.settings.cache_bytes);
        Ok(Some(Box::new(store)))
    }
}
