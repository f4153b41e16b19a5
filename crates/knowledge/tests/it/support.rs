//! A database with the tables, and an embedder whose vectors are made of a text's words.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use database_kit::Schema;
use knowledge::{
    IngestedDocument, KnowledgeResults, Library, Query, Reader, Settings, StoreChoice,
};
use llm::{Embedder, EmbeddingKind, Error, ErrorKind, ModelId};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use test_support::database::TestDatabase;

static MIGRATIONS: Migrator = sqlx::migrate!("../../services/tools/migrations");
static SCHEMA: Schema = Schema::new("tools", &MIGRATIONS);

/// A migrated database.
pub(crate) async fn database() -> TestDatabase {
    let migrate = |pool: PgPool| async move { SCHEMA.migrate(&pool).await };
    TestDatabase::new("tools", migrate).await.unwrap()
}

/// Vectors of words: texts that share words are near. Synonyms share a dimension.
#[derive(Debug)]
pub(crate) struct WordEmbedder {
    pub(crate) dimensions: usize,
    /// Fails as a provider that is away while set.
    pub(crate) is_away: AtomicBool,
    /// Number of texts that were embedded. Those with the word "forbidden" are refused.
    pub(crate) texts: AtomicUsize,
    /// Number of calls before it fails.
    pub(crate) calls_left: AtomicUsize,
    synonyms: Mutex<HashMap<&'static str, &'static str>>,
}

impl WordEmbedder {
    pub(crate) fn new() -> Arc<Self> {
        Self::of(64)
    }

    pub(crate) fn of(dimensions: usize) -> Arc<Self> {
        Arc::new(Self {
            dimensions,
            is_away: AtomicBool::new(false),
            texts: AtomicUsize::new(0),
            calls_left: AtomicUsize::new(usize::MAX),
            synonyms: Mutex::new(HashMap::from([
                ("car", "automobile"),
                ("cars", "automobile"),
            ])),
        })
    }

    /// Number of texts that were embedded.
    pub(crate) fn count(&self) -> usize {
        self.texts.load(Ordering::SeqCst)
    }

    pub(crate) fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            if word.is_empty() {
                continue;
            }
            let word = self
                .synonyms
                .lock()
                .unwrap()
                .get(word)
                .copied()
                .unwrap_or(word);
            let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            let at = usize::try_from(hash % self.dimensions as u64).unwrap();
            vector[at] += 1.0;
        }
        vector
    }
}

#[async_trait]
impl Embedder for WordEmbedder {
    async fn embed(&self, texts: &[String], _: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Connect));
        }
        let left = self.calls_left.load(Ordering::SeqCst);
        if left == 0 {
            return Err(Error::new(ErrorKind::Overloaded));
        }
        self.calls_left
            .store(left.saturating_sub(1), Ordering::SeqCst);
        if texts.iter().any(|text| text.contains("forbidden")) {
            return Err(Error::new(ErrorKind::BadRequest));
        }
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: "openai".into(),
            model: "words".into(),
        }
    }

    /// Known before the first call for models of another length than the usual.
    fn dimensions(&self) -> Option<usize> {
        (self.dimensions != 64).then_some(self.dimensions)
    }
}

pub(crate) fn settings() -> Settings {
    Settings {
        vector_store: StoreChoice::InProcess,
        ..Settings::default()
    }
}

/// A library with the embedder of words.
pub(crate) fn library(database: &TestDatabase) -> (Library, Arc<WordEmbedder>) {
    let embedder = WordEmbedder::new();
    let library = Library::new(database.pool().clone(), settings(), Some(embedder.clone()));
    (library, embedder)
}

/// Takes a text in for the tenant `acme`.
pub(crate) async fn put(library: &Library, filename: &str, text: &str) -> IngestedDocument {
    library
        .ingest(
            &Reader::of_all("acme"),
            "manuals",
            filename,
            None,
            text.as_bytes().to_vec(),
        )
        .await
        .unwrap()
}

/// Searches the documents of `acme`.
pub(crate) async fn search(library: &Library, question: &str) -> KnowledgeResults {
    library
        .search(&Reader::of_all("acme"), &query(question))
        .await
        .unwrap()
}

pub(crate) fn query(question: &str) -> Query {
    Query {
        query: question.to_owned(),
        ..Query::default()
    }
}

/// The names of what was found, in order.
pub(crate) fn names(results: &KnowledgeResults) -> Vec<&str> {
    results
        .results
        .iter()
        .map(|found| found.filename.as_str())
        .collect()
}

/// Every row of the tables with the transaction that wrote it: what has not changed between two
/// looks was not written.
pub(crate) async fn rows(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT 'document ' || xmin || ' ' || document_id FROM tools.knowledge_documents
         UNION ALL SELECT 'chunk ' || xmin || ' ' || chunk_id FROM tools.knowledge_chunks
         UNION ALL SELECT 'embedding ' || xmin || ' ' || encode(content_hash, 'hex') FROM tools.knowledge_embeddings
         UNION ALL SELECT 'term ' || xmin || ' ' || term FROM tools.knowledge_terms
         UNION ALL SELECT 'tenant ' || xmin || ' ' || tenant FROM tools.knowledge_tenants
         ORDER BY 1",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

/// The chunks of a document with the transactions that wrote them.
pub(crate) async fn chunks(pool: &PgPool, filename: &str) -> Vec<(i64, i32, String)> {
    sqlx::query_as(
        "SELECT c.chunk_id, c.chunk_index, c.content FROM tools.knowledge_chunks c JOIN tools.knowledge_documents d USING (document_id)
         WHERE d.filename = $1 ORDER BY c.chunk_index",
    )
    .bind(filename)
    .fetch_all(pool)
    .await
    .unwrap()
}
