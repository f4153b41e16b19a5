//! How documents are cut, kept and found.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How documents are cut, kept and found.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How documents are cut.
    pub chunks: ChunkSettings,
    /// How passages are found.
    pub search: SearchSettings,
    /// The largest document, bytes.
    pub max_document_bytes: u64,
    /// Maximum number of chunks in a document.
    pub max_chunks: usize,
    /// Maximum duration of reading a document, in processor time as well.
    pub read_timeout: Duration,
    /// Number of documents that are read at once, each in a process of its own; of one tenant one
    /// fewer.
    pub readers: usize,
    /// Time that a document waits for its turn to be read.
    pub reader_wait: Duration,
    /// Maximum memory for reading a document.
    pub reader_memory_bytes: u64,
    /// Maximum amount of text in a document, with headings repeated for each chunk.
    pub max_text_bytes: u64,
    /// Texts that are embedded at once.
    pub embedding_batch: usize,
    /// Who compares vectors.
    pub vector_store: StoreChoice,
    /// From how many vectors on an index is used that may miss one; below all are compared. Of
    /// pgvector alone.
    pub index_from: u64,
    /// Number of candidates that the index holds in hand: more find more and take longer. Of
    /// pgvector alone.
    pub ef_search: u32,
    /// Maximum memory for vectors in this process. Only without pgvector.
    pub cache_bytes: usize,
}

/// How documents are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkSettings {
    /// Maximum number of characters in a chunk, headings not counted.
    pub size: usize,
    /// Number of characters of a chunk that the next one of the section repeats.
    pub overlap: usize,
}

/// How passages are found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSettings {
    /// Passages, for searches that do not say.
    pub top_k: u32,
    /// Minimum cosine of a passage of the vector list, for searches that do not give one.
    pub min_score: f64,
    /// Minimum share of the query's weight that a passage of the text list covers, for searches
    /// that do not give one.
    pub min_text_score: f64,
    /// PostgreSQL's text search configuration: `english`, `german`, `simple` and so on.
    pub language: String,
    /// Time that the query's embedding may take; then text alone is searched.
    pub embed_timeout: Duration,
    /// Time that a re-ranker may take; then the order stays.
    pub rerank_timeout: Duration,
    /// Number of passages that it gets.
    pub rerank_candidates: usize,
}

/// Who compares vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoreChoice {
    /// pgvector where the server has it, otherwise this process.
    #[default]
    Auto,
    /// pgvector; searches are by text alone where the server does not have it.
    Pgvector,
    /// This process.
    InProcess,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            chunks: ChunkSettings::default(),
            search: SearchSettings::default(),
            max_document_bytes: 32 * 1024 * 1024,
            max_chunks: 20_000,
            read_timeout: Duration::from_mins(1),
            readers: 3,
            reader_wait: Duration::from_mins(2),
            reader_memory_bytes: 512 * 1024 * 1024,
            max_text_bytes: 64 * 1024 * 1024,
            embedding_batch: 100,
            vector_store: StoreChoice::Auto,
            index_from: 5_000,
            ef_search: 200,
            cache_bytes: 512 * 1024 * 1024,
        }
    }
}

impl Default for ChunkSettings {
    fn default() -> Self {
        Self {
            size: 2_000,
            overlap: 200,
        }
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            top_k: 5,
            min_score: 0.25,
            min_text_score: 0.1,
            language: "english".to_owned(),
            embed_timeout: Duration::from_secs(5),
            rerank_timeout: Duration::from_secs(2),
            rerank_candidates: 50,
        }
    }
}
