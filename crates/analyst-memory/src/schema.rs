//! The tables in the schema `orchestrator`, with their own record of migrations.

use database_kit::Schema;
use sqlx::PgPool;
use sqlx::migrate::{MigrateError, Migrator};

static MIGRATIONS: Migrator = sqlx::migrate!();

static SCHEMA: Schema = Schema::new("orchestrator", &MIGRATIONS).recorded_in("_analyst_migrations");

/// Brings the tables up to date, after those of `conversations`. Several processes may do so at
/// once; they wait for each other.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    SCHEMA.migrate(pool).await
}

/// Whether the tables are as this program needs them.
pub async fn is_migrated(pool: &PgPool) -> Result<bool, MigrateError> {
    SCHEMA.is_migrated(pool).await
}
