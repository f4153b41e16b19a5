//! The orchestrator's schema, `orchestrator`, in PostgreSQL: threads, messages and runs, the
//! memory of the analyst, and the checkpoints where those are kept there.

use checkpoint::PostgresSaver;
use service_kit::config::DatabaseConfig;
use service_kit::database::{Error, Liveness};
use sqlx::PgPool;
use sqlx::migrate::MigrateError;

/// A pool that connects when it is first used.
pub fn pool(config: &DatabaseConfig) -> Result<PgPool, Error> {
    service_kit::database::pool(config, "heliograph-orchestrator", Liveness::UnlessFresh)
}

/// Brings the schema `orchestrator` up to date. Several processes may do so at once; they wait for
/// each other.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    conversations::migrate(pool).await?;
    analyst_memory::migrate(pool).await?;
    PostgresSaver::migrate(pool).await
}

/// Whether the schema is as this program needs it.
pub async fn is_migrated(pool: &PgPool) -> Result<bool, MigrateError> {
    Ok(conversations::is_migrated(pool).await?
        && analyst_memory::is_migrated(pool).await?
        && PostgresSaver::is_migrated(pool).await?)
}
