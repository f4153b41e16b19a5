//! The schema and its migrations.

use database_kit::Schema;
use sqlx::PgPool;
use sqlx::migrate::{MigrateError, Migrator};

static MIGRATIONS: Migrator = sqlx::migrate!();

/// The migration of earlier versions that created the tables of `analyst-memory`, which creates
/// them itself now.
const RETIRED: &[i64] = &[3];

static SCHEMA: Schema = Schema::new("orchestrator", &MIGRATIONS).without(RETIRED);

/// Brings the schema `orchestrator` up to date. Several processes may do so at once; they wait for
/// each other.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    SCHEMA.migrate(pool).await
}

/// Whether the schema is as this program needs it.
pub async fn is_migrated(pool: &PgPool) -> Result<bool, MigrateError> {
    SCHEMA.is_migrated(pool).await
}
