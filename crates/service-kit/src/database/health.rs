//! Whether a service can work with its database: reach it, find its tables there, and write.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::MigrateError;
use sqlx::{Connection, PgConnection, PgPool};
use tokio::time::{Instant, timeout};

use crate::health::Unready;
use database_kit::reason;

/// A healthy database gives a connection sooner, however busy the machine is.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// A pool that has no connection by then is asked why, by making one beside it.
const ASK_WHY_AFTER: Duration = Duration::from_millis(300);

/// Writing is tried this often, however often readiness is asked for.
const WRITE_INTERVAL: Duration = Duration::from_secs(10);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Looks after a service's database for its readiness. Cheap to clone.
#[derive(Clone)]
pub struct DatabaseHealth {
    pool: PgPool,
    service: &'static str,
    writes: Arc<tokio::sync::Mutex<Option<Tried>>>,
    interval: Duration,
}

struct Tried {
    at: Instant,
    result: Result<(), Unready>,
}

impl DatabaseHealth {
    /// A check of this service's own database.
    pub fn new(pool: PgPool, service: &'static str) -> Self {
        Self {
            pool,
            service,
            writes: Arc::default(),
            interval: WRITE_INTERVAL,
        }
    }

    /// Sets how often writing is tried.
    #[must_use]
    pub fn write_interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Fails with [`Unready`] where the reason is one that an operator can act on. `is_migrated`
    /// looks for the service's tables.
    pub async fn check<F, Fut>(&self, is_migrated: F) -> Result<(), BoxError>
    where
        F: FnOnce(PgPool) -> Fut,
        Fut: Future<Output = Result<bool, MigrateError>>,
    {
        self.reach().await?;
        self.migrated(is_migrated(self.pool.clone()).await)?;
        self.writable().await
    }

    /// Fails with [`Unready`] unless the tables are there and as this program needs them.
    pub fn migrated(&self, is_migrated: Result<bool, MigrateError>) -> Result<(), BoxError> {
        match is_migrated {
            Ok(true) => Ok(()),
            Ok(false) => Err(Unready(format!(
                "the tables of the schema `{service}` are missing or older than this program: run `heliograph-{service} migrate` or `heliograph migrate --service {service}`",
                service = self.service
            ))
            .into()),
            Err(MigrateError::Execute(error)) => Err(self.explained(error)),
            Err(error) => Err(error.into()),
        }
    }

    /// Gets a connection, or says why there is none: a pool alone would only say that it waited.
    pub async fn reach(&self) -> Result<(), BoxError> {
        match timeout(CONNECT_TIMEOUT, self.acquire()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(self.explained(error)),
            Err(_elapsed) => {
                Err(Unready("the database gave no connection in time".to_owned()).into())
            }
        }
    }

    /// A pool tries again and again, whatever the database says; one connection beside it fails at
    /// once.
    async fn acquire(&self) -> Result<(), sqlx::Error> {
        let mut acquired = pin!(self.pool.acquire());
        tokio::select! {
            connection = acquired.as_mut() => return connection.map(drop),
            () = tokio::time::sleep(ASK_WHY_AFTER) => {}
        }
        let options = self.pool.connect_options();
        tokio::select! {
            connection = acquired.as_mut() => return connection.map(drop),
            beside = PgConnection::connect_with(&options) => {
                // It has answered; nothing else of it is needed.
                let _ = beside?.close().await;
            }
        }
        acquired.await.map(drop)
    }

    async fn writable(&self) -> Result<(), BoxError> {
        // A caller that comes while another one tries waits for the result.
        let mut tried = self.writes.lock().await;
        if let Some(tried) = tried.as_ref()
            && tried.at.elapsed() < self.interval
        {
            return tried.result.clone().map_err(Into::into);
        }
        let result = match try_to_write(&self.pool).await {
            Ok(()) => Ok(()),
            Err(Refusal::ReadOnly) => Err(Unready("the database is read-only".to_owned())),
            Err(Refusal::Database(error)) => {
                tracing::warn!(service = self.service, %error, "the database could not write");
                let known = reason(&error).unwrap_or("the database cannot write to its disk");
                Err(Unready(known.to_owned()))
            }
        };
        *tried = Some(Tried {
            at: Instant::now(),
            result: result.clone(),
        });
        result.map_err(Into::into)
    }

    fn explained(&self, error: sqlx::Error) -> BoxError {
        match reason(&error) {
            Some(reason) => {
                tracing::debug!(service = self.service, %error, "the database cannot be used");
                Unready(self.with_names(reason, &error)).into()
            }
            None => error.into(),
        }
    }

    /// The reason with the role and the object, where one of them is at fault.
    fn with_names(&self, reason: &str, error: &sqlx::Error) -> String {
        let Some(refused) = error.as_database_error() else {
            return reason.to_owned();
        };
        let options = self.pool.connect_options();
        let role = options.get_username();
        match refused.code().as_deref() {
            Some("42501") => {
                let refused = refused.message();
                format!("{reason}: `{role}`, {refused}")
            }
            Some("28P01" | "28000") => format!("{reason}: `{role}`"),
            Some("3D000") => {
                let database = options.get_database().unwrap_or(role);
                format!("{reason}: `{database}`")
            }
            _ => reason.to_owned(),
        }
    }
}

/// Why nothing can be written.
enum Refusal {
    ReadOnly,
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// Finds a read-only server, and a disk that takes no more.
async fn try_to_write(pool: &PgPool) -> Result<(), Refusal> {
    let mut transaction = pool.begin().await?;
    // The role's or the database's default counts, too.
    let read_only = sqlx::query_scalar!(
        r#"SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "read_only!""#
    )
    .fetch_one(&mut *transaction)
    .await?;
    if read_only {
        return Err(Refusal::ReadOnly);
    }
    sqlx::query!("SET LOCAL work_mem = '64kB'")
        .execute(&mut *transaction)
        .await?;
    // Writes half a megabyte to the server's disk and leaves nothing behind: a sort that does not
    // fit into the memory that it may use. It needs no table and no privilege, and is not logged as
    // a change.
    let spilled = sqlx::query_scalar!(
        "SELECT count(*) FROM (
             SELECT n, repeat('x', 100) AS ballast FROM generate_series(1, 4000) n ORDER BY ballast, n DESC OFFSET 0
         ) spilled"
    )
    .fetch_one(&mut *transaction)
    .await;
    transaction.rollback().await?;
    match spilled {
        // The operator allows no temporary files of this size: nothing is learned about the disk.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("53400") => Ok(()),
        other => Ok(other.map(drop)?),
    }
}
