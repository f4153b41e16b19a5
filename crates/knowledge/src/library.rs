//! The library: what a program holds.

use std::sync::{Arc, OnceLock};

use llm::Embedder;
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use uuid::Uuid;

use crate::document::MediaType;
use crate::embeddings::Questions;
use crate::reader_process::Readers;
use crate::rerank::Reranker;
use crate::settings::Settings;
use crate::store::{Glance, Kept, NewDocument};
use crate::vectors::{Stores, VectorStore};
use crate::{DocumentSummary, DocumentText, Error, IngestOutcome, IngestedDocument, Reader, store};

/// Changes with what readers and the chunker make of the same bytes, so that documents are read
/// again when it does.
const READERS: u32 = 2;

/// The documents of all tenants. Cheap to clone.
#[derive(Clone)]
pub struct Library {
    pub(crate) pool: PgPool,
    embedder: Arc<OnceLock<Arc<dyn Embedder>>>,
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    pub(crate) stores: Arc<Stores>,
    pub(crate) questions: Arc<Questions>,
    readers: Arc<Readers>,
    settings: Arc<Settings>,
}

impl Library {
    /// A library over migrated tables. Nothing is asked of the database before it is used. Without
    /// an embedder words alone are searched.
    pub fn new(pool: PgPool, settings: Settings, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self {
            stores: Arc::new(Stores::new(pool.clone(), settings.clone())),
            pool,
            embedder: Arc::new(embedder.map_or_else(OnceLock::new, OnceLock::from)),
            reranker: None,
            questions: Arc::default(),
            readers: Arc::new(Readers::new(&settings)),
            settings: Arc::new(settings),
        }
    }

    /// The same library with a reranker that puts the best passages in order.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// The embedding model, if there is one by now.
    pub(crate) fn embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.embedder.get()
    }

    /// Whether there is an embedding model.
    pub fn has_embedder(&self) -> bool {
        self.embedder().is_some()
    }

    /// Has all holders of the library use this embedding model from now on. False when they have
    /// one.
    /// [`Self::catch_up`] embeds the documents that are there.
    pub fn use_embedder(&self, embedder: Arc<dyn Embedder>) -> bool {
        self.embedder.set(embedder).is_ok()
    }

    /// As it was made.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Who compares vectors here; `None` when pgvector is configured and the server does not have
    /// it.
    pub async fn vector_store(&self) -> Result<Option<&dyn VectorStore>, Error> {
        Ok(self.stores.get().await?)
    }

    /// Ingests a document and embeds its new parts. Its kind follows from the name's ending,
    /// otherwise from `media_type`. When the embedder fails, the document is stored nevertheless,
    /// and [`Self::catch_up`] embeds it later.
    pub async fn ingest(
        &self,
        reader: &Reader,
        collection: &str,
        filename: &str,
        media_type: Option<MediaType>,
        bytes: Vec<u8>,
    ) -> Result<IngestedDocument, Error> {
        let tenant = reader.tenant();
        let mut ingested = self
            .keep(reader, collection, filename, media_type, bytes)
            .await?;
        let is_new = ingested.outcome != IngestOutcome::Unchanged;
        if is_new || ingested.chunks_without_vector > 0 {
            let document = ingested.document_id.parse().ok();
            let caught_up = self.embed_missing(tenant, document).await?;
            ingested.chunks_without_vector = u32::try_from(caught_up.left).unwrap_or(u32::MAX);
        }
        Ok(ingested)
    }

    /// Takes a document in without making vectors: [`Self::catch_up`] does that for many documents
    /// at once.
    pub async fn keep(
        &self,
        reader: &Reader,
        collection: &str,
        filename: &str,
        media_type: Option<MediaType>,
        bytes: Vec<u8>,
    ) -> Result<IngestedDocument, Error> {
        let tenant = reader.tenant();
        check_collection("collection", collection)?;
        check_name("filename", filename, LONGEST_FILENAME)?;
        if store::is_closed(&self.pool, reader, collection).await? {
            return Err(Error::Closed(collection.to_owned()));
        }
        let settings = self.settings();
        let size = bytes.len() as u64;
        if size > settings.max_document_bytes {
            return Err(Error::TooLarge {
                bytes: size,
                limit: settings.max_document_bytes,
            });
        }
        let kind = MediaType::of_name(filename)
            .or(media_type)
            .or_else(|| bytes.starts_with(b"%PDF-").then_some(MediaType::Pdf))
            .ok_or_else(|| Error::UnsupportedMediaType {
                filename: filename.to_owned(),
            })?;
        let content_hash: [u8; 32] = Sha256::digest(&bytes).into();
        let recipe = self.recipe();
        if let Some(document_id) = store::unchanged(
            &self.pool,
            tenant,
            collection,
            filename,
            &content_hash,
            &recipe,
        )
        .await?
        {
            let kept = Kept::unchanged(document_id);
            return self.told(tenant, collection, filename, kept).await;
        }
        let document = self.readers.read(tenant, kind, &bytes, settings).await?;
        drop(bytes);
        let new = NewDocument {
            tenant,
            collection,
            filename,
            media_type: kind,
            bytes: size,
            content_hash,
            recipe: &recipe,
            title: document.title.as_deref(),
            pages: document.pages,
            chunks: &document.chunks,
            language: &settings.search.language,
        };
        let kept = store::put(&self.pool, &new).await?;
        self.told(tenant, collection, filename, kept).await
    }

    /// The documents open to a reader, of one collection or all, by collection and name.
    pub async fn documents(
        &self,
        reader: &Reader,
        collection: Option<&str>,
    ) -> Result<Vec<DocumentSummary>, Error> {
        let model = self.known_model().await?;
        Ok(store::list(&self.pool, reader, collection, model.as_ref()).await?)
    }

    /// The newest documents open to a reader, at most `most`, by what they call themselves.
    pub async fn glance(&self, reader: &Reader, most: u32) -> Result<Vec<Glance>, Error> {
        Ok(store::glance(&self.pool, reader, most).await?)
    }

    /// The text of a document as it was read, with its headings and passages. `None` when there is
    /// no such document that the reader may read.
    pub async fn text(
        &self,
        reader: &Reader,
        document_id: Uuid,
    ) -> Result<Option<DocumentText>, Error> {
        Ok(store::text(&self.pool, reader, document_id).await?)
    }

    /// Deletes a document with its chunks. False when there is no such document that the reader may
    /// read.
    pub async fn delete(&self, reader: &Reader, document_id: Uuid) -> Result<bool, Error> {
        Ok(store::delete(&self.pool, reader, document_id).await?)
    }

    /// Deletes the document of this name. False when there is none.
    pub async fn delete_named(
        &self,
        reader: &Reader,
        collection: &str,
        filename: &str,
    ) -> Result<bool, Error> {
        match store::find(&self.pool, reader.tenant(), collection, filename).await? {
            Some(document_id) => self.delete(reader, document_id).await,
            None => Ok(false),
        }
    }

    async fn told(
        &self,
        tenant: &str,
        collection: &str,
        filename: &str,
        kept: Kept,
    ) -> Result<IngestedDocument, Error> {
        let model = self.known_model().await?;
        let counts = store::counts(&self.pool, tenant, kept.document_id, model.as_ref()).await?;
        Ok(IngestedDocument {
            document_id: kept.document_id.to_string(),
            collection: collection.to_owned(),
            filename: filename.to_owned(),
            outcome: kept.outcome,
            chunks: counts.chunks,
            chunks_written: kept.written,
            chunks_deleted: kept.deleted,
            chunks_without_vector: counts.without_vector,
        })
    }

    /// What decides which chunks the same bytes make, and which words they have.
    fn recipe(&self) -> String {
        let chunks = self.settings().chunks;
        format!(
            "{READERS}/{}/{}/{}",
            chunks.size,
            chunks.overlap,
            self.settings().search.language
        )
    }
}

/// The longest name of a collection, in characters.
pub(crate) const LONGEST_COLLECTION: usize = 100;

/// The longest name of a document, in characters.
const LONGEST_FILENAME: usize = 1_000;

pub(crate) fn check_name(name: &'static str, value: &str, longest: usize) -> Result<(), Error> {
    let reason = if value.trim().is_empty() {
        "must not be empty".to_owned()
    } else if value.chars().count() > longest {
        format!("must not have more than {longest} characters")
    } else if value.chars().any(char::is_control) {
        "must not have control characters".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::InvalidName { name, reason })
}

/// Refuses a name of a collection that looks like another one.
pub(crate) fn check_collection(name: &'static str, value: &str) -> Result<(), Error> {
    check_name(name, value, LONGEST_COLLECTION)?;
    match contracts::names::checked(value) {
        Ok(_) => Ok(()),
        Err(fault) => Err(Error::InvalidName {
            name,
            reason: fault.to_string(),
        }),
    }
}
