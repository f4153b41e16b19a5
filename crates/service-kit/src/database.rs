//! PostgreSQL: the connections of a service, and the schema that it brings up to date.
//!
//! Each service owns a schema and records its migrations within it, so that services can share a database.

use std::{str::FromStr, time::Duration};

use secrecy::ExposeSecret;
use sqlx::{
    Connection, PgPool,
    migrate::{Migrate, MigrateError, Migrator},
    postgres::{PgConnectOptions, PgPoolOptions},
};

use crate::config::DatabaseConfig;

/// A connection that was idle longer is given back, so that a quiet service holds few.
const IDLE_TIMEOUT: Duration = Duration::from_mins(5);

/// How long the server keeps a transaction open that nobody goes on with.
const IDLE_IN_TRANSACTION_TIMEOUT: Duration = Duration::from_mins(1);

/// A connection that was used within this time is [fresh](Liveness::UnlessFresh).
const FRESH: Duration = Duration::from_secs(2);

/// Why there is no pool.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No database is configured.
    #[error("no database: set database.url (or DATABASE_URL)")]
    NoDatabase,
    /// The database's address is no address.
    #[error("database.url is no PostgreSQL URL")]
    Url(#[source] sqlx::Error),
}

/// Which connections are asked for a sign of life, at the price of a round trip, before they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// All of them.
    Always,
    /// Those that were not used in the last two seconds; one that was has just given a sign. For callers that ask again when it
    /// turns out to be dead after all.
    UnlessFresh,
}

/// A pool that connects when it is first used, so that a service starts and recovers without its database.
///
/// Sessions are called `application`, run in UTC whatever the database or the server's zone says, and no statement runs
/// longer than configured.
pub fn pool(
    config: &DatabaseConfig,
    application: &str,
    liveness: Liveness,
) -> Result<PgPool, Error> {
    let url = config.url.as_ref().ok_or(Error::NoDatabase)?;
    let session = PgConnectOptions::from_str(url.expose_secret())
        .map_err(Error::Url)?
        .application_name(application)
        .options([
            ("timezone", "UTC".to_owned()),
            ("statement_timeout", config.statement_timeout_ms.to_string()),
            (
                "idle_in_transaction_session_timeout",
                IDLE_IN_TRANSACTION_TIMEOUT.as_millis().to_string(),
            ),
        ]);
    let options = PgPoolOptions::new()
        .max_connections(config.max_connections)
        .acquire_timeout(config.acquire_timeout())
        .idle_timeout(IDLE_TIMEOUT);
    let options = match liveness {
        Liveness::Always => options.test_before_acquire(true),
        Liveness::UnlessFresh => {
            options
                .test_before_acquire(false)
                .before_acquire(|connection, meta| {
                    Box::pin(async move {
                        if meta.idle_for >= FRESH {
                            connection.ping().await?;
                        }
                        Ok(true)
                    })
                })
        }
    };
    Ok(options.connect_lazy_with(session))
}

/// A schema and the migrations that make it.
///
/// ```no_run
/// use service_kit::database::Schema;
/// # use sqlx::migrate::Migrator;
/// # static MIGRATIONS: Migrator = Migrator::DEFAULT;
/// // static MIGRATIONS: Migrator = sqlx::migrate!();
/// static SCHEMA: Schema = Schema::new("orchestrator", &MIGRATIONS);
/// # async fn run(pool: sqlx::PgPool) -> Result<(), sqlx::migrate::MigrateError> {
/// SCHEMA.migrate(&pool).await?;
/// assert!(SCHEMA.is_migrated(&pool).await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    name: &'static str,
    migrations: &'static Migrator,
}

impl Schema {
    /// The schema `name`. What was done to it is recorded in its table `_sqlx_migrations`.
    pub const fn new(name: &'static str, migrations: &'static Migrator) -> Self {
        Self { name, migrations }
    }

    /// Makes the schema when there is none, and brings it up to date. Several processes may do so at once; they wait for each other.
    pub async fn migrate(&self, pool: &PgPool) -> Result<(), MigrateError> {
        let mut migrator = Migrator {
            migrations: self.migrations.migrations.clone(),
            ..Migrator::DEFAULT
        };
        migrator.create_schema(self.name);
        migrator.dangerous_set_table_name(self.records());
        // A migration that fails leaves its lock with the session. A session of its own takes the lock with it.
        let mut connection = pool.acquire().await?.detach();
        // Not `run`, whose future the compiler can not see to be `Send`.
        migrator.run_direct(None, &mut connection, false).await?;
        connection.close().await?;
        Ok(())
    }

    /// Whether the schema is as this program needs it. A newer one is: migrations work with the code before them.
    pub async fn is_migrated(&self, pool: &PgPool) -> Result<bool, MigrateError> {
        let newest = self.migrations.iter().map(|migration| migration.version);
        let mut connection = pool.acquire().await?;
        let applied = connection.list_applied_migrations(&self.records()).await?;
        let applied = applied.iter().map(|migration| migration.version);
        Ok(applied.max() >= newest.max())
    }

    fn records(&self) -> String {
        format!("{}._sqlx_migrations", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(url: Option<&str>) -> DatabaseConfig {
        DatabaseConfig {
            url: url.map(Into::into),
            ..DatabaseConfig::default()
        }
    }

    #[tokio::test]
    async fn a_pool_is_made_without_connecting() {
        let away = config(Some("postgres://nobody@127.0.0.1:1/nothing"));
        for liveness in [Liveness::Always, Liveness::UnlessFresh] {
            let pool = pool(&away, "heliograph-test", liveness).unwrap();
            assert_eq!(pool.size(), 0);
        }
    }

    #[test]
    fn a_missing_address_and_a_wrong_one_are_told_apart() {
        let missing = pool(&config(None), "heliograph-test", Liveness::Always);
        assert!(matches!(missing, Err(Error::NoDatabase)), "{missing:?}");
        let wrong = pool(&config(Some("here")), "heliograph-test", Liveness::Always);
        assert!(matches!(wrong, Err(Error::Url(_))), "{wrong:?}");
    }
}
