//! The schema and its migrations.

use sqlx::PgPool;
use sqlx::migrate::{MigrateError, Migrator};

/// The migrations of the schema `orchestrator`.
static MIGRATIONS: Migrator = sqlx::migrate!();

/// Brings the schema `orchestrator` up to date. Several processes may do so at once; they wait for each other.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    let mut migrator = Migrator {
        migrations: MIGRATIONS.migrations.clone(),
        ..Migrator::DEFAULT
    };
    migrator.create_schema("orchestrator");
    // Recorded within the schema, so that services can share a database.
    migrator.dangerous_set_table_name("orchestrator._sqlx_migrations");
    migrator.run(pool).await
}

/// Whether the schema is as this program needs it.
pub async fn is_migrated(pool: &PgPool) -> Result<bool, sqlx::Error> {
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max();
    let applied: Option<i64> =
        sqlx::query_scalar("SELECT max(version) FROM orchestrator._sqlx_migrations WHERE success")
            .fetch_one(pool)
            .await?;
    Ok(applied >= newest)
}
