//! Checkpointers for the [`graph`] engine that outlive the process.
//!
//! [`SqliteSaver`] keeps the threads of one process, or of a few on one machine, in a SQLite file.
//! [`PostgresSaver`] keeps those of any number of processes in a PostgreSQL database.
//!
//! ```
//! use std::sync::Arc;
//! use checkpoint::SqliteSaver;
//! use graph::Checkpointer;
//!
//! # async fn example(folder: &std::path::Path) -> Result<(), graph::CheckpointError> {
//! let saver = SqliteSaver::open(folder.join("checkpoints.sqlite")).await?;
//! let saver: Arc<dyn Checkpointer> = Arc::new(saver);
//! // let app = graph.build("approval")?.with_checkpointer(saver);
//! assert!(saver.get("a thread", None).await?.is_none());
//! # Ok(())
//! # }
//! # let folder = tempfile::tempdir().unwrap();
//! # tokio::runtime::Runtime::new().unwrap().block_on(example(folder.path())).unwrap();
//! ```
//!
//! Every checkpointer here passes the suite in `graph::conformance`. A thread has as many
//! checkpoints as its owner leaves it: both savers have a setting for the history to keep
//! ([`SqliteOptions::history`], [`PostgresSaver::with_history`]), and
//! [`Checkpointer::delete_idle`](graph::Checkpointer::delete_idle) deletes the threads that have
//! not been used since.

mod columns;

mod sqlite;

mod postgres;

pub use postgres::PostgresSaver;
pub use sqlite::{SqliteOptions, SqliteSaver};
