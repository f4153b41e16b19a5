//! The connection pool and the migrations.

use std::str::FromStr;
use std::time::Duration;

use secrecy::ExposeSecret;
use service_kit::config::DatabaseConfig;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgPool};

/// The schema of this service and the migrations that make it.
static MIGRATIONS: Migrator = sqlx::migrate!();

/// A connection that was idle longer is given back, so that a quiet service holds few.
const IDLE_TIMEOUT: Duration = Duration::from_mins(5);

/// A connection that was used within this time is taken as alive; tools ask twice when it turns out not to be.
const FRESH: Duration = Duration::from_secs(2);

/// A pool that connects when it is first used, so that the service starts and recovers without its database.
///
/// Sessions run in UTC whatever the database or the server's zone says, and no statement runs longer than configured.
pub fn pool(config: &DatabaseConfig) -> Result<PgPool, sqlx::Error> {
    let url = config
        .url
        .as_ref()
        .map(ExposeSecret::expose_secret)
        .unwrap_or_default();
    let options = PgConnectOptions::from_str(url)?
        .application_name("heliograph-tools")
        .options([
            ("timezone", "UTC".to_owned()),
            ("statement_timeout", config.statement_timeout_ms.to_string()),
            ("idle_in_transaction_session_timeout", "60000".to_owned()),
        ]);
    Ok(PgPoolOptions::new()
        .max_connections(config.max_connections)
        .acquire_timeout(config.acquire_timeout())
        .idle_timeout(IDLE_TIMEOUT)
        // Asking a connection for a sign of life costs a round trip. One that was used just now has given one.
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for >= FRESH {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(options))
}

/// Brings the schema `tools` up to date. Several processes may do so at once; they wait for each other.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    migrator().run(pool).await
}

/// Whether the schema is as this program needs it.
pub async fn is_migrated(pool: &PgPool) -> Result<bool, sqlx::Error> {
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max();
    let applied: Option<i64> =
        sqlx::query_scalar("SELECT max(version) FROM tools._sqlx_migrations WHERE success")
            .fetch_one(pool)
            .await?;
    Ok(applied >= newest)
}

/// The migrations, recorded within the schema, so that services can share a database.
fn migrator() -> Migrator {
    let mut migrator = Migrator {
        migrations: MIGRATIONS.migrations.clone(),
        ..Migrator::DEFAULT
    };
    migrator.create_schema("tools");
    migrator.dangerous_set_table_name("tools._sqlx_migrations");
    migrator
}
