//! Sentence embeddings from a local model.
//!
//! [`LocalEmbedder::open`] reads a directory in the layout of sentence-transformers (`config.json`,
//! `tokenizer.json`, `model.safetensors`, and the files for pooling and the maximum length) and
//! implements [`llm::Embedder`]. It computes in 32-bit floats and needs no network. It supports
//! models of the BERT architecture: all-MiniLM-L6-v2, the bge and e5 families, and similar models.
//!
//! The crate does not download models.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use llm::{Embedder, EmbeddingKind};
//! use local_embedder::{LocalEmbedder, Options};
//!
//! let embedder = LocalEmbedder::open("models/all-MiniLM-L6-v2".as_ref(), Options::default())?;
//! let texts = ["What are overtime rules?".to_owned()];
//! let vectors = embedder.embed(&texts, EmbeddingKind::Query).await?;
//! assert_eq!(vectors[0].len(), embedder.dimensions().unwrap_or_default());
//! # Ok(())
//! # }
//! ```

mod embedder;
mod error;

mod batches;
mod directory;
mod gelu;
mod model;
mod transformer;

pub use embedder::{LocalEmbedder, Options};
pub use error::Error;
