//! Checkpointers for the [`graph`] engine that outlive the process.
//!
//! [`SqliteSaver`] keeps the threads of one process, or of a few on one machine, in a SQLite file:
//!
//! ```
//! use std::sync::Arc;
//! use checkpoint::SqliteSaver;
//! use graph::Checkpointer;
//!
//! # async fn example(folder: &std::path::Path) -> Result<(), graph::CheckpointError> {
//! let saver: Arc<dyn Checkpointer> = Arc::new(SqliteSaver::open(folder.join("checkpoints.sqlite")).await?);
//! // let app = graph.build("approval")?.with_checkpointer(saver);
//! assert!(saver.get("a thread", None).await?.is_none());
//! # Ok(())
//! # }
//! # let folder = tempfile::tempdir().unwrap();
//! # tokio::runtime::Runtime::new().unwrap().block_on(example(folder.path())).unwrap();
//! ```
//!
//! Every checkpointer here passes the suite in `graph::conformance`.

mod sqlite;

pub use sqlite::SqliteSaver;
