//! Tables in the place of a search engine.
//!
//! A query is one generated statement with bound values, in a transaction that cannot write, sees
//! one snapshot, and has a time limit.

mod introspect;
mod rows;

use std::time::{Duration, Instant};

use contracts::tools::search::{IndexDescription, QueryStructure, Total, TotalRelation};
use search::sql::{self, RowReader, Statement, Table};
use secrecy::ExposeSecret;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Postgres, SqlSafeStr, Transaction};

use crate::answer::SourceResult;
use crate::{IndexConfig, SourceConfig, SourceError, certificate};

/// Connections to a source's own database.
const POOL_SIZE: u32 = 5;

/// Time that a query waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Time that this client waits beyond the database's own time limit, which the database reports
/// itself.
const GRACE: Duration = Duration::from_secs(2);

/// A database whose tables are indices.
pub(crate) struct Database {
    pool: PgPool,
}

/// A query of a table.
pub(crate) struct Asked<'a> {
    pub(crate) config: &'a SourceConfig,
    pub(crate) table: &'a Table,
    pub(crate) index: &'a IndexDescription,
    pub(crate) structure: &'a QueryStructure,
    pub(crate) tenant: &'a str,
}

impl Database {
    /// The source's own database, or that of the service. It connects when it is first asked.
    pub(crate) fn open(
        config: &SourceConfig,
        own: Option<&PgPool>,
    ) -> Result<Database, SourceError> {
        let invalid = || SourceError::Configuration {
            name: config.name.clone(),
            reason: "its url is no database URL".to_owned(),
        };
        let Some(url) = &config.url else {
            let own = own.ok_or_else(invalid)?;
            return Ok(Database { pool: own.clone() });
        };
        let options: Result<PgConnectOptions, _> = url.expose_secret().parse();
        let mut options = options.map_err(|_| invalid())?;
        if let Some(certificates) = &config.ca_certificate {
            options = options.ssl_root_cert_from_pem(certificates.clone().into_bytes());
        }
        let pool = PgPoolOptions::new()
            .max_connections(POOL_SIZE)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_lazy_with(options);
        Ok(Database { pool })
    }

    /// The tables and views of a schema that the role may read.
    pub(crate) async fn discover(
        &self,
        config: &SourceConfig,
        schema: &str,
    ) -> Result<Vec<IndexConfig>, SourceError> {
        let mut connection = self.connect(config).await?;
        let read = async {
            let mut transaction = begin(&mut connection, config).await?;
            introspect::discover(&mut transaction, schema).await
        };
        within(config, read).await
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }

    /// The indices with their tables, as they are now. One whose table is missing, or has no tenant
    /// where it must, is left out.
    pub(crate) async fn introspect(
        &self,
        config: &SourceConfig,
    ) -> Result<Vec<(IndexDescription, Table)>, SourceError> {
        let mut connection = self.connect(config).await?;
        let read = async {
            let mut transaction = begin(&mut connection, config).await?;
            introspect::tables(&mut transaction, config).await
        };
        within(config, read).await
    }

    /// The rows of a checked structure, at most `max_rows` of them.
    pub(crate) async fn run(
        &self,
        asked: &Asked<'_>,
        max_rows: u32,
    ) -> Result<SourceResult, SourceError> {
        let (config, structure) = (asked.config, asked.structure);
        let zone = config.zone();
        let tenant = asked.tenant();
        let refused = |problems| SourceError::Refused { problems };
        // One more than may be shown says that there are more.
        let statement =
            sql::compile(structure, asked.table, tenant, zone, max_rows + 1).map_err(refused)?;
        let counting = sql::count(structure, asked.table, tenant, zone).map_err(refused)?;
        let mut connection = self.connect(config).await?;
        let begun = Instant::now();
        let read = async {
            let mut transaction = begin(&mut connection, config).await?;
            let total = count(&mut transaction, &counting).await?;
            let rows = rows::read(&mut transaction, &statement, config.limits.max_bytes).await?;
            Ok((total, rows))
        };
        let (total, rows) = within(config, read).await?;
        let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(answer(asked, total, rows, max_rows, took))
    }

    /// Number of records that fit a checked structure that the table can be asked for.
    pub(crate) async fn count(&self, asked: &Asked<'_>) -> Result<u64, SourceError> {
        let config = asked.config;
        sql::compile(
            asked.structure,
            asked.table,
            asked.tenant(),
            config.zone(),
            1,
        )
        .map_err(|problems| SourceError::Refused { problems })?;
        let counting = sql::count(asked.structure, asked.table, asked.tenant(), config.zone())
            .map_err(|problems| SourceError::Refused { problems })?;
        let mut connection = self.connect(config).await?;
        let read = async {
            let mut transaction = begin(&mut connection, config).await?;
            count(&mut transaction, &counting).await
        };
        within(config, read).await
    }

    /// Number of records that a tenant has in a table, and a figure that changes with what these
    /// columns hold.
    pub(crate) async fn fingerprint(
        &self,
        config: &SourceConfig,
        table: &sql::Table,
        columns: &[String],
        tenant: &str,
    ) -> Result<Option<(u64, String)>, SourceError> {
        let tenant = table.tenant_column.as_ref().map(|_| tenant);
        let Some(statement) = sql::fingerprint(table, columns, tenant) else {
            return Ok(None);
        };
        let mut connection = self.connect(config).await?;
        let read = async {
            let mut transaction = begin(&mut connection, config).await?;
            let sql = AssertSqlSafe(statement.sql.clone()).into_sql_str();
            let bound = rows::bound(&statement)?;
            sqlx::query_as_with::<Postgres, (String, String), PgArguments>(sql, bound)
                .persistent(false)
                .fetch_one(&mut *transaction)
                .await
        };
        let (records, figure) = within(config, read).await?;
        Ok(Some((records.parse().unwrap_or(0), figure)))
    }

    /// A connection from the pool, waited for within the pool's own limit. The wait does not count
    /// as the query's time: a database that cannot be reached is not a slow query.
    async fn connect(
        &self,
        config: &SourceConfig,
    ) -> Result<PoolConnection<Postgres>, SourceError> {
        let connection = self.pool.acquire().await;
        connection.map_err(|error| told(config, &error))
    }
}

async fn begin<'c>(
    connection: &'c mut PgConnection,
    config: &SourceConfig,
) -> Result<Transaction<'c, Postgres>, sqlx::Error> {
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    let mut transaction = connection.begin_with(begin).await?;
    let limits = format!(
        "SET LOCAL statement_timeout = {}; SET LOCAL TimeZone = 'UTC'",
        config.limits.timeout_ms
    );
    sqlx::raw_sql(AssertSqlSafe(limits))
        .execute(&mut *transaction)
        .await?;
    Ok(transaction)
}

impl Asked<'_> {
    /// Of a source without a tenant's column all tenants see everything.
    fn tenant(&self) -> Option<&str> {
        self.table.tenant_column.as_ref().map(|_| self.tenant)
    }
}

fn answer(
    asked: &Asked<'_>,
    total: u64,
    read: rows::Rows,
    max_rows: u32,
    took: u64,
) -> SourceResult {
    let structure = asked.structure;
    let mut partial: Vec<String> = Vec::new();
    let mut values = read.values;
    let grouped = !structure.group_by.is_empty();
    if let (true, Some(limit), Some(first)) = (grouped, structure.limit, values.first()) {
        let groups = sql::outermost_groups(first).unwrap_or(0);
        if groups > u64::from(limit) {
            partial.push(format!("Only {limit} of {groups} groups are here."));
        }
    }
    if values.len() > max_rows as usize {
        values.truncate(max_rows as usize);
        if grouped {
            partial.push(format!("Only the first {max_rows} groups are here."));
        }
    }
    if read.cut {
        partial.push(format!(
            "Only the first {} rows are here: the answer is too large.",
            values.len()
        ));
    }
    let reader = RowReader::new(structure, asked.index, asked.config.zone());
    let rows = values
        .into_iter()
        .map(|values| reader.read(values))
        .collect();
    SourceResult {
        rows,
        total: Total {
            value: total,
            relation: TotalRelation::Eq,
        },
        took_ms: took,
        partial: (!partial.is_empty()).then(|| partial.join(" ")),
    }
}

async fn count(connection: &mut PgConnection, statement: &Statement) -> Result<u64, sqlx::Error> {
    let sql = AssertSqlSafe(statement.sql.clone()).into_sql_str();
    let bound = rows::bound(statement)?;
    let count: i64 = sqlx::query_scalar_with::<Postgres, _, PgArguments>(sql, bound)
        .persistent(false)
        .fetch_one(connection)
        .await?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Runs what asks the database, no longer than it may, and says what went wrong.
async fn within<T>(
    config: &SourceConfig,
    asked: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, SourceError> {
    match tokio::time::timeout(config.limits.timeout() + GRACE, asked).await {
        Ok(answered) => answered.map_err(|error| told(config, &error)),
        Err(_) => Err(SourceError::TimedOut {
            name: config.name.clone(),
            after: config.limits.timeout(),
        }),
    }
}

/// The error for a failure, without the database's own message, which is only logged.
fn told(config: &SourceConfig, error: &sqlx::Error) -> SourceError {
    let away = |reason| SourceError::Unavailable {
        name: config.name.clone(),
        reason,
    };
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    let code = code.as_deref().unwrap_or_default();
    match error {
        // The pool tries again as long as connections are refused, so it can be either.
        sqlx::Error::PoolTimedOut => away("cannot be reached, or has no connection free"),
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) => {
            let about_certificate = certificate::refused(error, certificate::OF_DATABASE);
            let is_tls = matches!(error, sqlx::Error::Tls(_));
            away(match about_certificate {
                Some(why) => why,
                None if is_tls => "answers, but does not encrypt the connection as its url asks",
                None => "cannot be reached",
            })
        }
        sqlx::Error::PoolClosed => away("cannot be reached"),
        _ if code == "57014" => SourceError::TimedOut {
            name: config.name.clone(),
            after: config.limits.timeout(),
        },
        _ if code.starts_with("28") || code == "3D000" => away("refuses our login"),
        _ if code.starts_with("08") || code.starts_with("53") || code.starts_with("57P") => {
            away("cannot answer at the moment")
        }
        _ => {
            tracing::error!(source = config.name, %error, "a search source failed");
            SourceError::Failed {
                name: config.name.clone(),
                reason: match code {
                    "42P01" | "42703" => "has changed: its tables are not as they were".to_owned(),
                    "42501" => "does not let us read this".to_owned(),
                    _ => "could not answer the query".to_owned(),
                },
            }
        }
    }
}
