//! The public embedder. It batches texts, takes turns between callers, and computes off the async
//! threads.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use llm::{Embedder, EmbeddingKind, ModelId, ProviderName};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::directory::Directory;
use crate::model::{Model, Tokens};
use crate::{Error, batches};

/// Texts are tokenized in slabs of this size, so that the memory for waiting texts stays bounded.
const SLAB: usize = 1_024;

/// How to use a model directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The name that vectors are stored under. Default: the name of the directory.
    pub name: Option<String>,
    /// The prefix of questions. Default: the prefix in the directory, usually empty.
    pub query_prefix: Option<String>,
    /// The prefix of documents. Default: the prefix in the directory, usually empty.
    pub document_prefix: Option<String>,
    /// Maximum length of a text in tokens; the rest is cut off. The limit in the directory is the
    /// default and the maximum.
    pub max_tokens: Option<usize>,
    /// The required length of vectors. A model with another length is rejected.
    pub dimensions: Option<usize>,
}

/// An embedding model that runs in this process. Clones share it.
///
/// One batch is computed at a time, on all cores. Callers take turns batch by batch, so a question
/// does not wait for a whole ingestion. A cancelled call stops between two batches. The same text
/// gets the same vector; in another batch it can differ in the last bits.
#[derive(Clone)]
pub struct LocalEmbedder {
    model: Arc<Model>,
    name: Arc<str>,
    query_prefix: Arc<str>,
    document_prefix: Arc<str>,
    turn: Arc<Semaphore>,
}

impl LocalEmbedder {
    /// Reads a model directory. This blocks, so do not call it on an async thread.
    pub fn open(directory: &Path, options: Options) -> Result<Self, Error> {
        let settings = Directory::read(directory)?;
        let limit = settings.max_tokens;
        let max_tokens = options
            .max_tokens
            .map_or(limit, |asked| asked.clamp(3, limit));
        let model = Model::load(&settings, max_tokens)?;
        let (found, expected) = (model.dimensions(), options.dimensions);
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            return Err(Error::Dimensions {
                directory: directory.to_path_buf(),
                found,
                expected,
            });
        }
        let name = options.name.unwrap_or_else(|| own_name(directory));
        tracing::info!(
            model = name,
            dimensions = found,
            max_tokens,
            "local embedding model loaded"
        );
        Ok(Self {
            model: Arc::new(model),
            name: name.into(),
            query_prefix: options.query_prefix.unwrap_or(settings.query_prefix).into(),
            document_prefix: options
                .document_prefix
                .unwrap_or(settings.document_prefix)
                .into(),
            turn: Arc::new(Semaphore::new(1)),
        })
    }

    /// Runs `work` with the model when the queue reaches this call. The work completes even if the
    /// caller is cancelled, and only then does the next call start.
    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Model) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, llm::Error> {
        let failed = |error: &dyn fmt::Display| {
            llm::Error::new(llm::ErrorKind::Provider).with_detail(error.to_string())
        };
        let turn = Arc::clone(&self.turn).acquire_owned().await;
        let turn = turn.map_err(|closed| failed(&closed))?;
        let model = Arc::clone(&self.model);
        let done = spawn_blocking(move || {
            let result = work(&model);
            drop(turn);
            result
        });
        done.await
            .map_err(|panic| failed(&panic))?
            .map_err(Error::into_llm)
    }

    async fn embed_slab(
        &self,
        prefix: &Arc<str>,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, llm::Error> {
        let (texts, prefix) = (texts.to_vec(), Arc::clone(prefix));
        let tokens = self
            .compute(move |model| model.tokenize(&prefix, &texts))
            .await?;
        let tokens: Arc<[Tokens]> = tokens.into();
        let lengths: Vec<usize> = tokens.iter().map(|tokens| tokens.ids.len()).collect();
        let order: Arc<[usize]> = batches::by_length(&lengths).into();
        let mut vectors = vec![Vec::new(); tokens.len()];
        for batch in batches::cut(&order, &lengths) {
            let (tokens, texts) = (Arc::clone(&tokens), Arc::clone(&order));
            let range = batch.clone();
            let computed = self.compute(move |model| {
                let batch: Vec<&Tokens> = texts[range].iter().map(|&text| &tokens[text]).collect();
                model.embed(&batch)
            });
            for (&text, vector) in order[batch].iter().zip(computed.await?) {
                vectors[text] = vector;
            }
        }
        Ok(vectors)
    }
}

#[async_trait]
impl Embedder for LocalEmbedder {
    async fn embed(
        &self,
        texts: &[String],
        kind: EmbeddingKind,
    ) -> Result<Vec<Vec<f32>>, llm::Error> {
        let prefix = match kind {
            EmbeddingKind::Query => &self.query_prefix,
            EmbeddingKind::Document => &self.document_prefix,
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for slab in texts.chunks(SLAB) {
            vectors.extend(self.embed_slab(prefix, slab).await?);
        }
        Ok(vectors)
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: ProviderName::LOCAL,
            model: Arc::clone(&self.name),
        }
    }

    fn dimensions(&self) -> Option<usize> {
        Some(self.model.dimensions())
    }
}

impl fmt::Debug for LocalEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalEmbedder")
            .field("model", &self.name)
            .finish_non_exhaustive()
    }
}

fn own_name(directory: &Path) -> String {
    let absolute = directory.canonicalize();
    let name = absolute.as_deref().unwrap_or(directory).file_name();
    name.map_or_else(
        || "local".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}
