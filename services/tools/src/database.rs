//! The tools' schema, `tools`, in PostgreSQL.

use service_kit::config::DatabaseConfig;
use service_kit::database::{Error, Liveness, Schema};
use sqlx::PgPool;
use sqlx::migrate::{MigrateError, Migrator};

/// The tables of this service.
static MIGRATIONS: Migrator = sqlx::migrate!();

/// Migrations of earlier versions that created tables of the demonstration, which has its own
/// schemas now. New databases do without them.
const RETIRED: &[i64] = &[4, 7];

static SCHEMA: Schema = Schema::new("tools", &MIGRATIONS).without(RETIRED);

/// A pool that connects when it is first used. Tools ask twice when a connection turns out to be
/// dead.
pub fn pool(config: &DatabaseConfig) -> Result<PgPool, Error> {
    service_kit::database::pool(config, "heliograph-tools", Liveness::UnlessFresh)
}

/// Brings the schema `tools` up to date. Several processes may do so at once; they wait for each
/// other.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    SCHEMA.migrate(pool).await
}

/// Whether the schema is as this program needs it.
pub async fn is_migrated(pool: &PgPool) -> Result<bool, MigrateError> {
    SCHEMA.is_migrated(pool).await
}
