//! The tools over ingested documents: `knowledge_search`, and the same under the climate advisor's
//! name. The crate `knowledge` does the work.

pub mod config;
mod knowledge_search;

use std::sync::Arc;

use async_trait::async_trait;
use contracts::access::Role;
use contracts::tools::{Descriptor, registry};
use knowledge::{HttpReranker, Library, Reader};
use llm::Embedder;
#[cfg(feature = "embedder")]
use local_embedder::LocalEmbedder;
use service_kit::client::external_http_client;
use service_kit::identity::Identity;
use sqlx::PgPool;

use self::knowledge_search as climate_vector_search;
use crate::error::Error;
use crate::toolbox::{Call, Family, dispatch};
use config::{Chosen, EmbeddingConfig, KnowledgeConfig};

/// Why there is no library.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// The directory of the local model cannot be used.
    #[cfg(feature = "embedder")]
    #[error("the local embedding model cannot be used")]
    Local(#[from] local_embedder::Error),
    /// There is no runtime for a local model in this program.
    #[cfg(not(feature = "embedder"))]
    #[error(
        "embedding.model_dir ({}): this program was built without a runtime for local models (feature `embedder`); choose another embedding.provider", .0.display()
    )]
    NotBuilt(std::path::PathBuf),
    /// The provider of embeddings cannot be set up.
    #[error("the embedding model cannot be set up")]
    Provider(#[from] llm::Error),
    /// There is no HTTP client.
    #[error("there is no HTTP client")]
    Client(#[from] reqwest::Error),
}

/// The embedding model that is configured, for everything in the service that compares meanings.
/// Reading a local one takes a moment.
pub fn embedder(config: &EmbeddingConfig) -> Result<Option<Arc<dyn Embedder>>, SetUpError> {
    Ok(match config.chosen() {
        Chosen::None => None,
        #[cfg(not(feature = "embedder"))]
        Chosen::Local(directory) => return Err(SetUpError::NotBuilt(directory.to_owned())),
        #[cfg(feature = "embedder")]
        Chosen::Local(directory) => {
            let embedder = LocalEmbedder::open(directory, config.local_options())?;
            Some(Arc::new(embedder))
        }
        Chosen::Provider(llm) => llm::embedder(&llm, external_http_client()?)?,
    })
}

/// The documents, as configured.
pub fn library(
    config: &KnowledgeConfig,
    pool: PgPool,
    embedder: Option<Arc<dyn Embedder>>,
) -> Result<Library, SetUpError> {
    let library = Library::new(pool, config.settings(), embedder);
    let reranker = &config.reranker;
    Ok(match reranker.base_url() {
        Some(base_url) => {
            let (model, key) = (reranker.model.clone(), reranker.api_key.clone());
            let client = external_http_client()?;
            library.with_reranker(Arc::new(HttpReranker::new(client, base_url, model, key)))
        }
        None => library,
    })
}

/// The caller as a reader of documents: of the collections that their role and their groups open.
pub(crate) fn reader(caller: &Identity) -> Reader {
    let role = caller.standing.role.as_deref().and_then(Role::from_name);
    let role = role.unwrap_or(Role::Viewer);
    let roles = Role::ALL.into_iter().filter(|lower| *lower <= role);
    let groups = caller.standing.groups.iter();
    let marks = roles
        .map(role_mark)
        .chain(groups.map(|group| group_mark(group)));
    Reader::new(&caller.tenant, marks.collect())
}

/// The mark of those who have a role or one above it.
pub(crate) fn role_mark(role: Role) -> String {
    format!("{ROLE}{role}")
}

/// The mark of those in a group.
pub(crate) fn group_mark(group: &str) -> String {
    format!("{GROUP}{group}")
}

/// The beginnings of marks.
pub(crate) const ROLE: &str = "role:";
pub(crate) const GROUP: &str = "group:";

/// The tools over ingested documents.
pub struct KnowledgeTools {
    library: Library,
}

impl KnowledgeTools {
    /// Tools over this library.
    pub fn new(library: Library) -> Self {
        Self { library }
    }
}

#[async_trait]
impl Family for KnowledgeTools {
    fn tools(&self) -> &'static [Descriptor] {
        registry::KNOWLEDGE
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        contracts::knowledge_tools!(dispatch [self, call, call.caller])
    }
}
