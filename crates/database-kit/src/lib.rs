//! PostgreSQL: the connections of a service, and the migrations of its schema.
//!
//! Each service owns a schema and records its migrations within it, so that services can share a
//! database.

mod config;
mod kept;
mod reason;

use std::str::FromStr;
use std::time::Duration;

use secrecy::ExposeSecret;
use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};

pub use config::DatabaseConfig;
pub use kept::{Kept, KeptConnection};
pub use reason::reason;

/// A connection that was idle longer is given back, so that a quiet service holds few.
const IDLE_TIMEOUT: Duration = Duration::from_mins(5);

/// Time after which the server ends an idle transaction.
const IDLE_IN_TRANSACTION_TIMEOUT: Duration = Duration::from_mins(1);

/// A connection that was used within this time is [fresh](Liveness::UnlessFresh).
const FRESH: Duration = Duration::from_secs(2);

/// PostgreSQL's code for a privilege that is missing.
const NO_PRIVILEGE: &str = "42501";

/// Why there is no pool.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No database is configured.
    #[error("no database: set database.url (or DATABASE_URL)")]
    NoDatabase,
    /// The URL of the database cannot be read.
    #[error("database.url (or DATABASE_URL) is not a valid PostgreSQL URL")]
    Url(#[source] sqlx::Error),
    /// A part of the password stands where the host and the path do.
    #[error(
        "database.url (or DATABASE_URL) has an `@` after its host; in a password, write %40 for `@`, %2F for `/`, %23 for `#`, \
         %3F for `?` and %25 for `%`"
    )]
    Password,
    /// The URL is of another kind of database.
    #[error(
        "database.url (or DATABASE_URL) begins with `{scheme}`; it must be postgres://user:password@host:port/database"
    )]
    Scheme {
        /// The scheme of the URL.
        scheme: String,
    },
}

/// The error for a database that cannot be used: its address, and the reason.
#[derive(Debug, thiserror::Error)]
#[error("cannot connect to the database at {host}:{port}{}; check database.url (or DATABASE_URL)", .reason.map(|reason| format!(" ({reason})")).unwrap_or_default())]
pub struct Unreachable {
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    reason: Option<&'static str>,
    source: sqlx::Error,
}

/// Which connections are asked for a sign of life, at the price of a round trip, before they are
/// used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// All of them.
    Always,
    /// Connections that were not used in the last two seconds; a connection used later is known to
    /// work. For callers that ask again when it turns out to be dead after all.
    UnlessFresh,
}

/// A pool that connects when it is first used, so that a service starts and recovers without its
/// database.
///
/// Sessions are called `application`, run in UTC whatever the database or the server's zone says,
/// and no statement runs longer than configured.
pub fn pool(
    config: &DatabaseConfig,
    application: &str,
    liveness: Liveness,
) -> Result<PgPool, Error> {
    let url = config.url.as_ref().ok_or(Error::NoDatabase)?;
    let session = connect_options(url.expose_secret())?
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

/// Opens one connection and closes it, so that a command says at once why the database cannot be
/// used.
pub async fn reach(pool: &PgPool) -> Result<(), Unreachable> {
    let connection = connect(pool).await?;
    // The connection has served its purpose, whether or not it closes cleanly.
    let _ = connection.close().await;
    Ok(())
}

/// A connection beside the pool's. A pool would try again until its time is up, and then only say
/// that it waited.
async fn connect(pool: &PgPool) -> Result<PgConnection, Unreachable> {
    let options = pool.connect_options();
    PgConnection::connect_with(&options)
        .await
        .map_err(|source| Unreachable {
            host: options.get_host().to_owned(),
            port: options.get_port(),
            reason: reason(&source),
            source,
        })
}

/// sqlx takes any URL for one of PostgreSQL's.
fn connect_options(url: &str) -> Result<PgConnectOptions, Error> {
    match url.split_once("://") {
        Some(("postgres" | "postgresql", rest)) if is_cut_by_password(rest) => Err(Error::Password),
        Some(("postgres" | "postgresql", _)) | None => {
            PgConnectOptions::from_str(url).map_err(Error::Url)
        }
        Some((scheme, _)) => Err(Error::Scheme {
            scheme: format!("{scheme}://"),
        }),
    }
}

/// Whether a password with `/`, `?` or `#` ends the part of a URL that has the host. The host would
/// be a piece of the password then, and errors name the host.
fn is_cut_by_password(after_scheme: &str) -> bool {
    let end = after_scheme.find(['/', '?', '#']);
    let (authority, path) = after_scheme.split_at(end.unwrap_or(after_scheme.len()));
    let path = path.split('?').next().unwrap_or_default();
    path.contains('@') || (!authority.contains('@') && after_scheme.contains('@'))
}

/// Creates a schema unless it is there, which the role that owns it need not be allowed to do.
///
/// For stores that record their migrations within a schema of this name.
pub async fn ensure_schema(connection: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    if schema_exists(connection, name).await? {
        return Ok(());
    }
    let create = format!("CREATE SCHEMA IF NOT EXISTS \"{name}\"");
    match sqlx::raw_sql(AssertSqlSafe(create))
        .execute(&mut *connection)
        .await
    {
        Ok(_) => Ok(()),
        // Another process came first, which `IF NOT EXISTS` does not always notice.
        Err(_) if schema_exists(connection, name).await? => Ok(()),
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(NO_PRIVILEGE) => {
            Err(sqlx::Error::Configuration(
                format!(
                    "the schema `{name}` does not exist and this role may not create it; run as an administrator: \
                     CREATE SCHEMA {name} AUTHORIZATION <role>"
                )
                .into(),
            ))
        }
        Err(error) => Err(error),
    }
}

async fn schema_exists(connection: &mut PgConnection, name: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS "exists!""#,
        name,
    )
    .fetch_one(connection)
    .await
}

/// Whether an error says that a table or its schema does not exist.
fn is_missing(error: &MigrateError) -> bool {
    let MigrateError::Execute(sqlx::Error::Database(error)) = error else {
        return false;
    };
    matches!(error.code().as_deref(), Some("42P01" | "3F000"))
}

/// A schema and the migrations that make it.
///
/// ```no_run
/// use database_kit::Schema;
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
    retired: &'static [i64],
    records: &'static str,
}

impl Schema {
    /// The schema `name`. What was done to it is recorded in its table `_sqlx_migrations`.
    pub const fn new(name: &'static str, migrations: &'static Migrator) -> Self {
        Self {
            name,
            migrations,
            retired: &[],
            records: "_sqlx_migrations",
        }
    }

    /// The same, recorded in this table, for several crates with tables in one schema.
    #[must_use]
    pub const fn recorded_in(mut self, table: &'static str) -> Self {
        self.records = table;
        self
    }

    /// The same, for databases to which earlier versions applied these migrations. They do not
    /// exist any more, so new databases do without them; a later migration removes what they
    /// created.
    #[must_use]
    pub const fn without(mut self, retired: &'static [i64]) -> Self {
        self.retired = retired;
        self
    }

    /// Creates the schema when there is none, and migrates it. Several processes may do so at once;
    /// they wait for each other. If the schema exists, its owner needs no other privilege.
    ///
    /// A schema that a newer program has migrated further stays as it is: an earlier version works
    /// with it, so its migration does not fail a rollback. A schema with a migration that this
    /// program does not know and that is not newer than all of its own is refused.
    pub async fn migrate(&self, pool: &PgPool) -> Result<(), MigrateError> {
        let mut migrator = Migrator {
            migrations: self.migrations.migrations.clone(),
            // Checked below, except for those that were retired or are newer.
            ignore_missing: true,
            ..Migrator::DEFAULT
        };
        migrator.dangerous_set_table_name(self.records());
        // A migration that fails leaves its lock with the session. A session of its own takes the
        // lock with it.
        let mut connection = connect(pool)
            .await
            .map_err(|error| sqlx::Error::Configuration(error.into()))?;
        ensure_schema(&mut connection, self.name).await?;
        if let Some(unknown) = self.unknown(&mut connection).await? {
            return Err(MigrateError::VersionMissing(unknown));
        }
        // Not `run`, whose future the compiler cannot see to be `Send`.
        migrator.run_direct(None, &mut connection, false).await?;
        connection.close().await?;
        Ok(())
    }

    /// Whether the schema is as this program needs it. A newer one is: migrations work with the
    /// code before them.
    pub async fn is_migrated(&self, pool: &PgPool) -> Result<bool, MigrateError> {
        let newest = self.migrations.iter().map(|migration| migration.version);
        let applied = self.applied(&mut *pool.acquire().await?).await?;
        Ok(!applied.is_empty() && applied.into_iter().max() >= newest.max())
    }

    /// The first applied migration that another history than this program's has: it is not known
    /// here, and neither retired nor newer than all of these.
    async fn unknown(&self, connection: &mut PgConnection) -> Result<Option<i64>, MigrateError> {
        let applied = self.applied(connection).await?;
        let own = || self.migrations.iter().map(|migration| migration.version);
        let newest = own().max();
        let complete = own().all(|version| applied.contains(&version));
        Ok(applied.iter().copied().find(|version| {
            let newer = complete && Some(*version) > newest;
            !newer && !self.migrations.version_exists(*version) && !self.retired.contains(version)
        }))
    }

    /// The applied migrations; none if they were never recorded.
    async fn applied(&self, connection: &mut PgConnection) -> Result<Vec<i64>, MigrateError> {
        match connection.list_applied_migrations(&self.records()).await {
            Ok(applied) => Ok(applied.into_iter().map(|one| one.version).collect()),
            Err(error) if is_missing(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn records(&self) -> String {
        format!("{}.{}", self.name, self.records)
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
        let away = config(Some("postgres://reader@127.0.0.1:1/nothing"));
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
        let other = "mysql://root:secret@127.0.0.1/shop";
        let other = pool(&config(Some(other)), "heliograph-test", Liveness::Always).unwrap_err();
        let told = other.to_string();
        assert!(
            told.contains("mysql://") && !told.contains("secret"),
            "{told}"
        );
    }

    #[tokio::test]
    async fn an_unreachable_database_is_told_with_its_address_and_the_cause() {
        let away = config(Some("postgres://reader:secret@127.0.0.1:1/nothing"));
        let pool = pool(&away, "heliograph-test", Liveness::Always).unwrap();
        let told = reach(&pool).await.unwrap_err().to_string();
        assert!(
            told.contains("127.0.0.1:1") && told.contains("refuses connections"),
            "{told}"
        );
        assert!(!told.contains("secret"), "{told}");
    }
}
