//! Sentence embeddings from a model on this machine.
//!
//! [`LocalEmbedder::open`] reads a directory as sentence-transformers lays it out (`config.json`, `tokenizer.json`, `model.safetensors`,
//! and beside them what says how to pool and how long a text may be) and answers as [`llm::Embedder`]. Everything is computed here, in
//! 32-bit floats, without a network. Models of the BERT architecture work: all-MiniLM-L6-v2, the bge and e5 families, and their like.
//!
//! What this crate leaves to others: where the directory comes from.
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
