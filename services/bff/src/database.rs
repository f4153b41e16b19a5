//! The bff's schema, `bff`, in PostgreSQL.

use std::str::FromStr;

use secrecy::ExposeSecret;
use service_kit::config::DatabaseConfig;
use sqlx::PgPool;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::Error;

/// The tables of this service.
static MIGRATIONS: Migrator = sqlx::migrate!();

/// A pool that connects when it is first used. The service itself needs the signing key in the database before it starts.
pub fn pool(config: &DatabaseConfig) -> Result<PgPool, Error> {
    let url = config.url.as_ref().ok_or(Error::NoDatabase)?;
    let options = PgConnectOptions::from_str(url.expose_secret())?
        .application_name("heliograph-bff")
        .options([
            ("timezone", "UTC".to_owned()),
            ("statement_timeout", config.statement_timeout_ms.to_string()),
        ]);
    let pool = PgPoolOptions::new()
        .max_connections(config.max_connections)
        .acquire_timeout(config.acquire_timeout())
        .connect_lazy_with(options);
    Ok(pool)
}

/// Brings the schema `bff` up to date. Several replicas may do so at once; they wait for each other.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    let mut migrator = Migrator {
        migrations: MIGRATIONS.migrations.clone(),
        ..Migrator::DEFAULT
    };
    migrator.create_schema("bff");
    migrator.dangerous_set_table_name("bff._sqlx_migrations");
    migrator.run(pool).await
}
