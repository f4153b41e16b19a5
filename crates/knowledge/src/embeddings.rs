//! Making vectors of what has none.
//!
//! Vectors are kept by what they were made of, so that text that moved, came back or is in several
//! documents is embedded once. Each batch is a transaction: a run that is interrupted continues
//! where it was.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use llm::{Embedder, EmbeddingKind, ErrorKind};
use uuid::Uuid;

use crate::chunk::embedded_text;
use crate::vectors::Model;
use crate::vectors::dot::unit;
use crate::{Error, Library, store};

/// Maximum number of questions whose vectors are kept.
const REMEMBERED: usize = 500;

/// The result of a run over missing vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaughtUp {
    /// Texts that have a vector now.
    pub embedded: u64,
    /// Chunks that still have none.
    pub left: u64,
    /// Why the run ended before its end.
    pub failure: Option<String>,
}

/// The vectors of questions that were asked lately.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    vectors: Mutex<HashMap<String, Vec<f32>>>,
}

/// Texts that are embedded at once.
#[derive(Default)]
struct Batch {
    hashes: Vec<Vec<u8>>,
    texts: Vec<String>,
}

impl Library {
    /// Embeds the tenant's chunks without a vector, and refreshes the vector store. Failures are
    /// logged and left for the next run.
    pub async fn catch_up(&self, tenant: &str) -> Result<CaughtUp, Error> {
        let caught_up = self.embed_missing(tenant, None).await?;
        if let (Some(model), Some(store)) = (self.known_model().await?, self.stores.get().await?) {
            store.maintain(&model).await?;
        }
        Ok(caught_up)
    }

    /// [`Self::catch_up`] for every tenant that has chunks.
    pub async fn catch_up_all(&self) -> Result<CaughtUp, Error> {
        let mut all = CaughtUp::default();
        if self.embedder().is_none() {
            return Ok(all);
        }
        let tenants = sqlx::query_scalar!(
            "SELECT tenant FROM tools.knowledge_tenants WHERE chunks > 0 ORDER BY tenant",
        )
        .fetch_all(&self.pool)
        .await?;
        for tenant in tenants {
            let one = self.catch_up(&tenant).await?;
            all.embedded += one.embedded;
            all.left += one.left;
            if one.failure.is_some() {
                all.failure = one.failure;
                break;
            }
        }
        Ok(all)
    }

    /// Deletes vectors of text that no document has had for this number of days.
    pub async fn forget_unused(&self, days: i32) -> Result<u64, Error> {
        let deleted = sqlx::query_file!("queries/embeddings_forget.sql", days,)
            .execute(&self.pool)
            .await?;
        Ok(deleted.rows_affected())
    }

    /// Embeds a tenant's chunks without a vector, or those of one document, and refreshes the
    /// vector store.
    pub(crate) async fn embed_missing(
        &self,
        tenant: &str,
        document: Option<Uuid>,
    ) -> Result<CaughtUp, Error> {
        let mut caught_up = CaughtUp::default();
        let mut model = self.known_model().await?;
        if let Some(embedder) = self.embedder() {
            let mut from = Vec::new();
            loop {
                let batch = self
                    .missing(tenant, document, model.as_ref(), &from)
                    .await?;
                let Some(last) = batch.hashes.last() else {
                    break;
                };
                from.clone_from(last);
                let vectors = match embed(embedder.as_ref(), &batch.texts).await {
                    Ok(vectors) => vectors,
                    Err(error) => {
                        tracing::warn!(%error, tenant, "chunks stay without vectors for now");
                        caught_up.failure = Some(error.to_string());
                        break;
                    }
                };
                caught_up.embedded += self
                    .keep_vectors(tenant, embedder.as_ref(), &mut model, &batch, vectors)
                    .await?;
            }
        }
        if let (Some(model), Some(store)) = (&model, self.stores.get().await?) {
            let documents = document.map(|document| vec![document]);
            store.refresh(model, tenant, documents.as_deref()).await?;
        }
        let left = sqlx::query_file_scalar!(
            "queries/embeddings_left.sql",
            model.map(|model| model.key),
            tenant,
            document,
        )
        .fetch_one(&self.pool)
        .await?;
        caught_up.left = left.unsigned_abs();
        Ok(caught_up)
    }

    async fn missing(
        &self,
        tenant: &str,
        document: Option<Uuid>,
        model: Option<&Model>,
        from: &[u8],
    ) -> Result<Batch, Error> {
        let rows = sqlx::query_file!(
            "queries/embeddings_missing.sql",
            model.map(|model| model.key),
            tenant,
            document,
            i64::try_from(self.settings().embedding_batch).unwrap_or(100),
            from,
        )
        .fetch_all(&self.pool)
        .await?;
        let mut batch = Batch::default();
        for row in rows {
            batch.hashes.push(row.content_hash);
            batch.texts.push(embedded_text(&row.headings, &row.content));
        }
        Ok(batch)
    }

    /// Keeps the vectors of a batch; returns how many there were.
    async fn keep_vectors(
        &self,
        tenant: &str,
        embedder: &dyn Embedder,
        model: &mut Option<Model>,
        batch: &Batch,
        vectors: Vec<Option<Vec<f32>>>,
    ) -> Result<u64, Error> {
        let Some(dimensions) = vectors.iter().flatten().map(Vec::len).next() else {
            return Ok(0);
        };
        let model = match model {
            Some(model) if model.dimensions == dimensions => model,
            other => other.insert(self.make_model(embedder, dimensions).await?),
        };
        let mut tx = self.pool.begin().await?;
        store::lock_tenant(&mut tx, tenant).await?;
        let mut count = 0;
        for (hash, vector) in batch.hashes.iter().zip(vectors) {
            let Some(vector) = vector.filter(|vector| vector.len() == dimensions) else {
                continue;
            };
            sqlx::query!(
                "INSERT INTO tools.knowledge_embeddings (model_key, tenant, content_hash, embedding)
                 VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                model.key,
                tenant,
                hash,
                &unit(vector),
            )
            .execute(&mut *tx)
            .await?;
            count += 1;
        }
        store::touch_tenant(&mut tx, tenant, 0).await?;
        tx.commit().await?;
        Ok(count)
    }

    /// The embedder's model, if it has made vectors before.
    pub(crate) async fn known_model(&self) -> Result<Option<Model>, Error> {
        let Some(embedder) = self.embedder() else {
            return Ok(None);
        };
        let name = embedder.id().to_string();
        let dimensions = embedder
            .dimensions()
            .and_then(|length| i32::try_from(length).ok());
        let row = sqlx::query!(
            "SELECT model_key, dimensions FROM tools.knowledge_models
             WHERE name = $1 AND ($2::integer IS NULL OR dimensions = $2)
             ORDER BY model_key DESC LIMIT 1",
            name,
            dimensions,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(|row| Model {
            key: row.model_key,
            name,
            dimensions: usize::try_from(row.dimensions).unwrap_or_default(),
        }))
    }

    async fn make_model(&self, embedder: &dyn Embedder, dimensions: usize) -> Result<Model, Error> {
        let name = embedder.id().to_string();
        let length = i32::try_from(dimensions).unwrap_or(i32::MAX);
        sqlx::query!(
            "INSERT INTO tools.knowledge_models (name, dimensions) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            name,
            length,
        )
        .execute(&self.pool)
        .await?;
        let key = sqlx::query_scalar!(
            "SELECT model_key FROM tools.knowledge_models WHERE name = $1 AND dimensions = $2",
            name,
            length,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(Model {
            key,
            name,
            dimensions,
        })
    }

    /// The vector of a question, of length 1.
    pub(crate) async fn embed_question(
        &self,
        embedder: &dyn Embedder,
        question: &str,
    ) -> Result<Vec<f32>, llm::Error> {
        if let Some(vector) = self.questions.get(question) {
            return Ok(vector);
        }
        let texts = [question.to_owned()];
        let asked = embedder.embed(&texts, EmbeddingKind::Query);
        let timeout = self.settings().search.embed_timeout;
        let vectors = tokio::time::timeout(timeout, asked)
            .await
            .map_err(|_| llm::Error::new(ErrorKind::Timeout))??;
        let vector = vectors
            .into_iter()
            .next()
            .map(unit)
            .ok_or_else(|| llm::Error::new(ErrorKind::Unreadable))?;
        self.questions.put(question, &vector);
        Ok(vector)
    }
}

impl Questions {
    fn get(&self, question: &str) -> Option<Vec<f32>> {
        let vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        vectors.get(question).cloned()
    }

    fn put(&self, question: &str, vector: &[f32]) {
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if vectors.len() >= REMEMBERED {
            vectors.clear();
        }
        vectors.insert(question.to_owned(), vector.to_vec());
    }
}

/// The vectors of texts. A text that the model refuses has none, and takes none of the others with
/// it.
async fn embed(
    embedder: &dyn Embedder,
    texts: &[String],
) -> Result<Vec<Option<Vec<f32>>>, llm::Error> {
    let error = match embedder.embed(texts, EmbeddingKind::Document).await {
        Ok(vectors) => return Ok(vectors.into_iter().map(Some).collect()),
        Err(error) => error,
    };
    if !matches!(error.kind, ErrorKind::BadRequest | ErrorKind::Blocked) {
        return Err(error);
    }
    let mut vectors = Vec::with_capacity(texts.len());
    for text in texts {
        match embedder
            .embed(std::slice::from_ref(text), EmbeddingKind::Document)
            .await
        {
            Ok(one) => vectors.push(one.into_iter().next()),
            Err(error) if matches!(error.kind, ErrorKind::BadRequest | ErrorKind::Blocked) => {
                tracing::warn!(%error, "the embedding model refuses a chunk");
                vectors.push(None);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(vectors)
}
