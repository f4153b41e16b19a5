//! Documents: read, cut into chunks, kept in PostgreSQL, found again.
//!
//! A [`Library`] is all there is to hold. [`Library::ingest`] takes a document in: in a [process of
//! its own](reader_process) [`readers`](MediaType) make blocks of its bytes and [`chunk`] cuts
//! these along the document's structure; the chunks go to the schema `tools` with their words
//! indexed, and an embedder, where there is one, makes vectors of them. [`Library::search`] asks
//! both, words and vectors, and fuses the two lists by reciprocal rank. Vectors are compared by
//! pgvector where the server has it, otherwise in this process ([`vectors`]).
//!
//! What this crate leaves to others: the tables' migration, which belongs to the tools service;
//! HTTP; making an embedder. A program that takes documents in calls
//! [`reader_process::run_if_asked`] first thing in its `main`, or lists [`reader_process::JOB`] among
//! its jobs.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use llm::Embedder;
//! # async fn example(
//! #     pool: sqlx::PgPool,
//! #     embedder: Arc<dyn Embedder>,
//! # ) -> Result<(), knowledge::Error> {
//! use knowledge::{Library, Query, Reader, Settings};
//!
//! let library = Library::new(pool, Settings::default(), Some(embedder));
//! let text = b"# Pump\n\nBleed it before the first start.".to_vec();
//! let reader = Reader::of_all("demo");
//! library.ingest(&reader, "manuals", "pump.md", None, text).await?;
//! let query = Query { query: "how to start the pump".to_owned(), ..Query::default() };
//! let found = library.search(&reader, &query).await?;
//! assert_eq!(found.results[0].filename, "pump.md");
//! # Ok(())
//! # }
//! ```

mod collections;
mod document;
mod error;
mod reader;
mod settings;

mod library;

pub mod chunk;
mod folder;
pub mod reader_process;
mod readers;

mod embeddings;
mod store;

pub mod rerank;
mod search;
mod text_search;
pub mod vectors;
mod words;

pub use collections::{Collection, CollectionChange};
pub use contracts::tools::knowledge::{
    DocumentList, DocumentSummary, DocumentText, IngestOutcome, IngestedDocument, KnowledgeMatch,
    KnowledgeResults, KnowledgeSearchArguments as Query, SearchMode, TextPassage, VectorService,
};
pub use document::{Block, Content, Document, MediaType};
pub use embeddings::CaughtUp;
pub use error::Error;
pub use folder::{
    FileOutcome, FileReport, Folder, FolderFile, FolderReport, content_hash, files_of,
};
pub use library::Library;
pub use reader::Reader;
pub use rerank::{HttpReranker, Reranker};
pub use settings::{ChunkSettings, SearchSettings, Settings, StoreChoice};
pub use store::Glance;
