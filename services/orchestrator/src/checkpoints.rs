//! Where assistants keep what they remember of a thread between turns: one of three stores, by setting.

use std::sync::Arc;

use checkpoint::{PostgresSaver, SqliteOptions, SqliteSaver};
use graph::{CheckpointError, Checkpointer, MemorySaver};
use sqlx::PgPool;

use crate::config::{CheckpointStore, CheckpointsConfig};

/// Opens the store. Document 002: when that fails, the application's start fails.
pub(crate) async fn open(
    config: &CheckpointsConfig,
    pool: &PgPool,
) -> Result<Arc<dyn Checkpointer>, CheckpointError> {
    Ok(match config.store {
        CheckpointStore::Sqlite => {
            let options = SqliteOptions {
                retry_attempts: config.retry_attempts,
                retry_delay: config.retry_delay(),
                history: Some(config.kept_per_thread),
                ..SqliteOptions::new(&config.path)
            };
            Arc::new(SqliteSaver::open_with(options).await?)
        }
        CheckpointStore::Postgres => {
            Arc::new(PostgresSaver::new(pool.clone()).with_history(config.kept_per_thread))
        }
        CheckpointStore::Memory => Arc::new(MemorySaver::default()),
    })
}
