//! The bff's schema, `bff`, in PostgreSQL.

use std::str::FromStr;

use secrecy::ExposeSecret;
use service_kit::config::DatabaseConfig;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, Executor, PgConnection, PgPool};

use crate::Error;

/// Opens a pool. Nothing is connected yet, so that the service starts while the database is still away.
pub fn connect(config: &DatabaseConfig) -> Result<PgPool, Error> {
    let timeout = config.statement_timeout_ms.to_string();
    let options = options(config)?.options([
        ("search_path", "bff"),
        ("timezone", "UTC"),
        ("statement_timeout", timeout.as_str()),
    ]);
    let pool = PgPoolOptions::new()
        .max_connections(config.max_connections)
        .acquire_timeout(config.acquire_timeout())
        .connect_lazy_with(options);
    Ok(pool)
}

/// Brings the schema up to date. Several replicas may do so at once.
pub async fn migrate(config: &DatabaseConfig) -> Result<(), Error> {
    let mut connection = PgConnection::connect_with(&options(config)?).await?;
    connection
        .execute("CREATE SCHEMA IF NOT EXISTS bff; SET search_path TO bff")
        .await?;
    sqlx::migrate!().run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

fn options(config: &DatabaseConfig) -> Result<PgConnectOptions, Error> {
    let url = config.url.as_ref().ok_or(Error::NoDatabase)?;
    Ok(PgConnectOptions::from_str(url.expose_secret())?.application_name("heliograph-bff"))
}
