//! The schema `demo_inventory`.

use database_kit::Schema;
use sqlx::PgPool;
use sqlx::migrate::{MigrateError, Migrator};

static MIGRATIONS: Migrator = sqlx::migrate!();

static SCHEMA: Schema = Schema::new("demo_inventory", &MIGRATIONS);

/// Creates the tables, or adopts those that earlier versions had in the schema `tools`.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    SCHEMA.migrate(pool).await
}
