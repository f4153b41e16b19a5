//! Pools of connections, and what is set on each connection before it is used.

use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};
use sql_guard::Dialect;
#[cfg(feature = "mariadb")]
use sqlx::AssertSqlSafe;
#[cfg(feature = "mariadb")]
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlPool, MySqlPoolOptions};
use sqlx::pool::PoolOptions;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Database};

use crate::error::{Away, Failure, Safe, failure};
#[cfg(feature = "mariadb")]
use crate::introspect::introspect_mysql;
use crate::introspect::{Introspection, introspect_postgres};
use crate::{TargetConfig, TargetError};

/// What `MySQL` 8 does by default, whatever the server is set to: a literal means what the guard
/// takes it to mean.
#[cfg(feature = "mariadb")]
const MYSQL_MODE: &str = "SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
    ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'";
/// The same for `MariaDB`. Its check of GROUP BY also refuses columns that the grouped ones decide;
/// the guard groups by them.
#[cfg(feature = "mariadb")]
const MARIADB_MODE: &str = "SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION'";

/// Everything that is printed is printed one way, and nothing is written.
const POSTGRESQL_SESSION: &str = "SET standard_conforming_strings = on; SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, YMD'; \
    SET IntervalStyle = 'iso_8601'; SET bytea_output = 'hex'; SET default_transaction_read_only = on";

/// Number of prepared statements that a connection keeps: statements are rarely repeated.
const STATEMENTS: usize = 10;

/// A pool of connections to one database.
#[derive(Debug)]
pub(crate) struct Pool {
    kind: Kind,
    safe: Safe,
    max: u32,
    statement_timeout: Duration,
    /// The schemas that are shown, as configured.
    schemas: Arc<[String]>,
    /// Whether a `MySQL` server is a `MariaDB`; known after the first connection.
    #[cfg_attr(
        not(feature = "mariadb"),
        expect(dead_code, reason = "only MySQL's dialect asks for it")
    )]
    mariadb: Arc<OnceLock<bool>>,
    changed: Changed,
}

/// When the database's tables were last seen to have changed. A connection from before keeps
/// statements prepared over the tables as they were.
type Changed = Arc<Mutex<Option<Instant>>>;

#[derive(Debug)]
pub(crate) enum Kind {
    #[cfg(feature = "mariadb")]
    MySql(Arc<MySqlPool>),
    PostgreSql(Arc<PgPool>),
}

#[cfg(feature = "mariadb")]
fn mysql_options(options: MySqlConnectOptions, config: &TargetConfig) -> MySqlConnectOptions {
    let options = match &config.kept.ca_certificate {
        Some(pem) => options.ssl_ca_from_pem(pem.clone().into_bytes()),
        None => options,
    };
    options
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        .charset("utf8mb4")
        .timezone(Some("+00:00".to_owned()))
        .statement_cache_capacity(STATEMENTS)
        .disable_statement_logging()
}

fn postgres_options(options: PgConnectOptions, config: &TargetConfig) -> PgConnectOptions {
    let options = match &config.kept.ca_certificate {
        Some(pem) => options.ssl_root_cert_from_pem(pem.clone().into_bytes()),
        None => options,
    };
    options
        .application_name("heliograph")
        .statement_cache_capacity(STATEMENTS)
        .disable_statement_logging()
}

impl Pool {
    /// A pool that connects when it is first used.
    pub(crate) fn new(config: &TargetConfig) -> Result<Pool, TargetError> {
        let malformed = || TargetError::Policy {
            message: format!(
                "The url of the target '{}' is no database URL.",
                config.name
            ),
        };
        let url = config.url.as_ref().ok_or_else(malformed)?.expose_secret();
        let variables: Arc<[(String, SecretString)]> = config
            .session_variables
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let schemas: Arc<[String]> = config.schemas.clone().into();
        let mariadb = Arc::new(OnceLock::new());
        let changed = Changed::default();
        let (kind, database) = match config.dialect().ok_or_else(malformed)? {
            #[cfg(not(feature = "mariadb"))]
            Dialect::MySql => {
                return Err(TargetError::Policy {
                    message: format!(
                        "The target '{}' is a MySQL or MariaDB database, and this program was built without them (feature `mariadb`).",
                        config.name
                    ),
                });
            }
            #[cfg(feature = "mariadb")]
            Dialect::MySql => {
                let options = MySqlConnectOptions::from_str(url).map_err(|_| malformed())?;
                let database = options.get_database().map(ToOwned::to_owned);
                let options = mysql_options(options, config);
                let flavour = Arc::clone(&mariadb);
                let pool = Arc::new_cyclic(|pool| {
                    sized(MySqlPoolOptions::new(), config, pool.clone(), &changed)
                        .after_connect(move |connection, _| {
                            let (variables, flavour) =
                                (Arc::clone(&variables), Arc::clone(&flavour));
                            Box::pin(
                                async move { set_up_mysql(connection, &variables, &flavour).await },
                            )
                        })
                        .connect_lazy_with(options)
                });
                (Kind::MySql(pool), database)
            }
            Dialect::PostgreSql => {
                let options = PgConnectOptions::from_str(url).map_err(|_| malformed())?;
                let database = options.get_database().map(ToOwned::to_owned);
                let options = postgres_options(options, config);
                let space = Space {
                    target: config.name.clone(),
                    most: config.max_temp_bytes,
                    told: OnceLock::new(),
                };
                let space = Arc::new(space);
                let path = Arc::clone(&schemas);
                let confined: Arc<Confined> = Arc::new(Confined {
                    role: config.kept.role.clone(),
                    only_schema: config.kept.only_schema.clone(),
                });
                let pool = Arc::new_cyclic(|pool| {
                    sized(PgPoolOptions::new(), config, pool.clone(), &changed)
                        .after_connect(move |connection, _| {
                            let (variables, space) = (Arc::clone(&variables), Arc::clone(&space));
                            let (path, confined) = (Arc::clone(&path), Arc::clone(&confined));
                            Box::pin(async move {
                                set_up_postgres(connection, &variables, &path).await?;
                                space.limit(connection).await?;
                                confined.confine(connection).await
                            })
                        })
                        .connect_lazy_with(options)
                });
                (Kind::PostgreSql(pool), database)
            }
        };
        Ok(Pool {
            kind,
            safe: Safe::new(
                &config.name,
                database.as_deref(),
                config.session_variables.values().cloned(),
            ),
            max: config.pool_size + config.max_overflow,
            statement_timeout: config.statement_timeout(),
            schemas,
            mariadb,
            changed,
        })
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) fn safe(&self) -> &Safe {
        &self.safe
    }

    #[cfg(feature = "mariadb")]
    pub(crate) fn is_mariadb(&self) -> bool {
        self.mariadb.get().copied().unwrap_or(false)
    }

    /// Replaces every connection before it is used again: the tables changed.
    pub(crate) fn replace_connections(&self) {
        *self.changed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Number of connections that are open.
    pub(crate) fn size(&self) -> u32 {
        match &self.kind {
            #[cfg(feature = "mariadb")]
            Kind::MySql(pool) => pool.size(),
            Kind::PostgreSql(pool) => pool.size(),
        }
    }

    pub(crate) async fn ping(&self) -> Result<(), TargetError> {
        // A connection is tested before it is given out.
        match &self.kind {
            #[cfg(feature = "mariadb")]
            Kind::MySql(pool) => pool.acquire().await.map(drop),
            Kind::PostgreSql(pool) => pool.acquire().await.map(drop),
        }
        .map_err(|error| self.told(&error))
    }

    pub(crate) async fn close(&self) {
        match &self.kind {
            #[cfg(feature = "mariadb")]
            Kind::MySql(pool) => pool.close().await,
            Kind::PostgreSql(pool) => pool.close().await,
        }
    }

    /// Whether the database is one of this product: a target over it would show what the product
    /// keeps.
    pub(crate) async fn is_own(&self) -> Result<bool, TargetError> {
        match &self.kind {
            #[cfg(feature = "mariadb")]
            Kind::MySql(_) => Ok(false),
            Kind::PostgreSql(pool) => sqlx::query_scalar::<_, bool>(
                "SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                     WHERE n.nspname IN ('tools', 'orchestrator', 'bff') AND c.relname = '_sqlx_migrations')",
            )
            .fetch_one(&**pool)
            .await
            .map_err(|error| self.told(&error)),
        }
    }

    /// The server in its own words, and whether the connection is encrypted.
    pub(crate) async fn server(&self) -> Result<(String, bool), sqlx::Error> {
        match &self.kind {
            #[cfg(feature = "mariadb")]
            Kind::MySql(pool) => {
                let mut connection = pool.acquire().await?;
                let version: String = sqlx::query_scalar("SELECT VERSION()")
                    .fetch_one(&mut *connection)
                    .await?;
                let cipher: Option<(String, String)> =
                    sqlx::query_as("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
                        .fetch_optional(&mut *connection)
                        .await?;
                let name = if self.is_mariadb() {
                    "MariaDB"
                } else {
                    "MySQL"
                };
                Ok((
                    format!("{name} {version}"),
                    cipher.is_some_and(|(_, cipher)| !cipher.is_empty()),
                ))
            }
            Kind::PostgreSql(pool) => {
                let (version, encrypted): (String, bool) = sqlx::query_as(
                    "SELECT current_setting('server_version'), coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)",
                )
                .fetch_one(&**pool)
                .await?;
                Ok((format!("PostgreSQL {version}"), encrypted))
            }
        }
    }

    pub(crate) async fn introspect(&self) -> Result<Introspection, TargetError> {
        match &self.kind {
            #[cfg(feature = "mariadb")]
            Kind::MySql(pool) => introspect_mysql(pool).await,
            Kind::PostgreSql(pool) => introspect_postgres(pool, &self.schemas).await,
        }
        .map_err(|error| self.told(&error))
    }

    /// The error for a failure that no statement of a user caused.
    pub(crate) fn told(&self, error: &sqlx::Error) -> TargetError {
        let failure = match self.sorted(error) {
            Failure::Wrong(message) | Failure::UnknownName(message) => Failure::Broken(message),
            other => other,
        };
        TargetError::of(failure, &self.safe, self.statement_timeout, 0)
    }

    /// Sorts an error; a wait for a connection that was in vain may mean that all connections are
    /// in use.
    pub(crate) fn sorted(&self, error: &sqlx::Error) -> Failure {
        let idle = match &self.kind {
            #[cfg(feature = "mariadb")]
            Kind::MySql(pool) => pool.num_idle(),
            Kind::PostgreSql(pool) => pool.num_idle(),
        };
        match error {
            sqlx::Error::PoolTimedOut if self.size() >= self.max && idle == 0 => {
                Failure::Away(Away::Busy)
            }
            other => failure(other),
        }
    }
}

/// The documented pool: some connections stay, more are made under load and closed after use, all
/// are replaced after a while, and one that died is noticed before it is used.
fn sized<DB: Database>(
    options: PoolOptions<DB>,
    config: &TargetConfig,
    pool: Weak<sqlx::Pool<DB>>,
    changed: &Changed,
) -> PoolOptions<DB> {
    let changed = Arc::clone(changed);
    let size = config.pool_size;
    let lifetime = Duration::from_secs(config.recycle_seconds);
    options
        .max_connections(size + config.max_overflow)
        .min_connections(0)
        .acquire_timeout(Duration::from_millis(config.acquire_timeout_ms))
        .max_lifetime(lifetime)
        .idle_timeout(None)
        .test_before_acquire(true)
        // The lifetime alone is looked at when a connection is given back.
        .before_acquire(move |_, about| {
            let changed = *changed.lock().unwrap_or_else(PoisonError::into_inner);
            let is_of_before = changed.is_some_and(|changed| about.age >= changed.elapsed());
            Box::pin(async move { Ok(about.age < lifetime && !is_of_before) })
        })
        .after_release(move |_, _| {
            let open = pool.upgrade().map_or(0, |pool| pool.size());
            Box::pin(async move { Ok(open <= size) })
        })
}

#[cfg(feature = "mariadb")]
async fn set_up_mysql(
    connection: &mut MySqlConnection,
    variables: &[(String, SecretString)],
    mariadb: &OnceLock<bool>,
) -> Result<(), sqlx::Error> {
    let version: String = sqlx::query_scalar("SELECT VERSION()")
        .fetch_one(&mut *connection)
        .await?;
    let is_mariadb = version.to_lowercase().contains("mariadb");
    // Servers behind one address are of one kind.
    let _ = mariadb.set(is_mariadb);
    let mode = if is_mariadb { MARIADB_MODE } else { MYSQL_MODE };
    sqlx::raw_sql(mode).execute(&mut *connection).await?;
    for (name, value) in variables {
        // The name was checked to be a word; the value is bound.
        sqlx::query(AssertSqlSafe(format!("SET @{name} = ?")))
            .bind(value.expose_secret())
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Limits the space that PostgreSQL may use for temporary files of a session.
struct Space {
    target: String,
    most: u64,
    /// Whether it was said that there is no limit.
    told: OnceLock<()>,
}

impl Space {
    /// Sets the limit if the target's role may, unless there is one.
    async fn limit(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let (limit, version, is_superuser): (String, i32, bool) = sqlx::query_as(
            "SELECT current_setting('temp_file_limit'), current_setting('server_version_num')::int, current_setting('is_superuser') = 'on'",
        )
        .fetch_one(&mut *connection)
        .await?;
        if limit != "-1" {
            return Ok(());
        }
        // Before PostgreSQL 15 only a superuser may.
        let may = is_superuser
            || (version >= 150_000
                && sqlx::query_scalar("SELECT has_parameter_privilege('temp_file_limit', 'SET')")
                    .fetch_one(&mut *connection)
                    .await?);
        if may {
            let kilobytes = self
                .most
                .div_ceil(1024)
                .clamp(1, i32::MAX.unsigned_abs().into());
            return sqlx::query("SELECT set_config('temp_file_limit', $1, false)")
                .bind(format!("{kilobytes}kB"))
                .execute(&mut *connection)
                .await
                .map(drop);
        }
        if self.told.set(()).is_ok() {
            tracing::warn!(
                target_database = self.target,
                "temporary files of a query have no limit: let a superuser run ALTER ROLE … SET temp_file_limit (see deploy/sql)"
            );
        }
        Ok(())
    }
}

/// The role and schema of a connection.
struct Confined {
    role: Option<String>,
    only_schema: Option<String>,
}

impl Confined {
    /// The path first: afterwards the role may not be allowed to see anything else.
    async fn confine(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        if let Some(schema) = &self.only_schema {
            sqlx::query("SELECT set_config('search_path', quote_ident($1), false)")
                .bind(schema)
                .execute(&mut *connection)
                .await?;
        }
        if let Some(role) = &self.role {
            sqlx::query("SELECT set_config('role', $1, false)")
                .bind(role)
                .execute(&mut *connection)
                .await?;
        }
        Ok(())
    }
}

async fn set_up_postgres(
    connection: &mut PgConnection,
    variables: &[(String, SecretString)],
    schemas: &[String],
) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(POSTGRESQL_SESSION)
        .execute(&mut *connection)
        .await?;
    // A table's own name means the first schema's; functions of extensions are found where they
    // were.
    if let Some(first) = schemas.first() {
        sqlx::query(
            "SELECT set_config('search_path', concat_ws(', ', quote_ident($1), nullif(current_setting('search_path'), '')), false)",
        )
        .bind(first)
        .execute(&mut *connection)
        .await?;
    }
    for (name, value) in variables {
        sqlx::query("SELECT set_config($1, $2, false)")
            .bind(name)
            .bind(value.expose_secret())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
