//! The server that a test process uses, and the databases on it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use embedded_postgres::{Options, Server, databases};
use sqlx::postgres::PgPool;
use sqlx::{Connection, PgConnection};
use tokio::sync::OnceCell;

/// Names a server to use instead of a throw-away one.
const ADDRESS_VARIABLE: &str = "HELIOGRAPH_TEST_DATABASE_URL";
/// Begins the name of every database that tests make: `heliograph_test_<run>_<what>`.
const PREFIX: &str = "heliograph_test_";

/// A server with the databases of one test run, which is one process.
#[derive(Debug)]
pub(super) struct Cluster {
    /// The server, if this process started it. It is never stopped: it ends with the process.
    _server: Option<Server>,
    /// The address of a database to manage others from.
    admin_url: String,
    /// Sets this run's databases apart from others' on the same server.
    run: String,
    /// Holds the advisory lock that says that this run is alive. Open as long as the process is.
    _alive: PgConnection,
    /// The templates asked for so far; each is filled once.
    templates: Mutex<HashMap<String, Arc<OnceCell<()>>>>,
    /// Numbers the databases.
    next: AtomicUsize,
}

impl Cluster {
    /// This process's cluster, started by whichever test comes first.
    pub(super) async fn shared() -> anyhow::Result<&'static Self> {
        static SHARED: OnceCell<Cluster> = OnceCell::const_new();
        SHARED.get_or_try_init(Self::open).await
    }

    async fn open() -> anyhow::Result<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "tests have no main that could read it"
        )]
        if let Ok(url) = std::env::var(ADDRESS_VARIABLE) {
            return Self::on(url, None).await.context(ADDRESS_VARIABLE);
        }
        // The workspace's own cache: filled once, for tests and for development.
        let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.heliograph/cache");
        let server = embedded_postgres::start(Options::throw_away(cache)).await?;
        Self::on(server.url("postgres"), Some(server)).await
    }

    /// Uses the server at `admin_url`, and removes what runs that are no more have left there.
    pub(super) async fn on(admin_url: String, server: Option<Server>) -> anyhow::Result<Self> {
        let mut alive = PgConnection::connect(&admin_url).await?;
        let run = format!(
            "{}x{:08x}",
            std::process::id(),
            NEXT_RUN.fetch_add(1, Ordering::Relaxed) ^ started_at()
        );
        anyhow::ensure!(
            try_lock(&mut alive, &run).await?,
            "another test run calls itself {run}"
        );
        remove_left_over(&mut alive).await?;
        Ok(Self {
            _server: server,
            admin_url,
            run,
            _alive: alive,
            templates: Mutex::default(),
            next: AtomicUsize::new(0),
        })
    }

    /// The name of the template `key`, made and filled on first use.
    pub(super) async fn template<F, Fut, E>(&self, key: &str, migrate: F) -> anyhow::Result<String>
    where
        F: FnOnce(PgPool) -> Fut,
        Fut: Future<Output = Result<(), E>>,
        E: Into<anyhow::Error>,
    {
        let name = format!("{PREFIX}{}_template_{key}", self.run);
        let filled = {
            let mut templates = self
                .templates
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            Arc::clone(templates.entry(name.clone()).or_default())
        };
        filled.get_or_try_init(|| self.fill(&name, migrate)).await?;
        Ok(name)
    }

    async fn fill<F, Fut, E>(&self, name: &str, migrate: F) -> anyhow::Result<()>
    where
        F: FnOnce(PgPool) -> Fut,
        Fut: Future<Output = Result<(), E>>,
        E: Into<anyhow::Error>,
    {
        let mut admin = PgConnection::connect(&self.admin_url).await?;
        // What a migration that failed in an earlier test has left.
        databases::drop(&mut admin, name).await?;
        databases::create(&mut admin, name).await?;
        let pool = super::pool(&self.url(name))?;
        let migrated = migrate(pool.clone()).await;
        // A database with sessions cannot be copied.
        pool.close().await;
        admin.close().await?;
        migrated.map_err(Into::into)
    }

    /// Creates a database for one test and returns its name.
    pub(super) async fn create(&self, template: Option<&str>) -> anyhow::Result<String> {
        let name = format!(
            "{PREFIX}{}_{}",
            self.run,
            self.next.fetch_add(1, Ordering::Relaxed)
        );
        let mut admin = PgConnection::connect(&self.admin_url).await?;
        match template {
            Some(template) => databases::create_from_template(&mut admin, &name, template).await?,
            None => databases::create(&mut admin, &name).await?,
        }
        admin.close().await?;
        Ok(name)
    }

    /// Drops a database, from a thread without a runtime.
    pub(super) fn drop_blocking(&self, name: &str) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let mut admin = PgConnection::connect(&self.admin_url).await?;
            databases::drop(&mut admin, name).await?;
            Ok(admin.close().await?)
        })
    }

    pub(super) fn url(&self, database: &str) -> String {
        with_database(&self.admin_url, database)
    }
}

/// Distinguishes the clusters of one process.
static NEXT_RUN: AtomicUsize = AtomicUsize::new(0);

/// Distinguishes this process from an earlier one with the same number.
fn started_at() -> usize {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    usize::try_from(since.as_nanos() % u128::from(u32::MAX)).unwrap_or_default()
}

/// Takes the advisory lock that represents a run, unless its holder lives.
async fn try_lock(connection: &mut PgConnection, run: &str) -> Result<bool, sqlx::Error> {
    let query = sqlx::query_scalar("SELECT pg_try_advisory_lock(hashtextextended($1, 0))");
    query
        .bind(format!("{PREFIX}{run}"))
        .fetch_one(connection)
        .await
}

async fn unlock(connection: &mut PgConnection, run: &str) -> Result<(), sqlx::Error> {
    let query = sqlx::query("SELECT pg_advisory_unlock(hashtextextended($1, 0))");
    query
        .bind(format!("{PREFIX}{run}"))
        .execute(connection)
        .await
        .map(drop)
}

/// Drops the databases of runs whose lock is free.
async fn remove_left_over(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let query = "SELECT datname FROM pg_database WHERE starts_with(datname, $1) ORDER BY datname";
    let names: Vec<String> = sqlx::query_scalar(query)
        .bind(PREFIX)
        .fetch_all(&mut *connection)
        .await?;
    for name in names {
        let Some((run, _)) = name
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split_once('_'))
        else {
            continue;
        };
        if try_lock(connection, run).await? {
            databases::drop(connection, &name).await?;
            unlock(connection, run).await?;
        }
    }
    Ok(())
}

/// The same address with another database.
fn with_database(url: &str, database: &str) -> String {
    let (address, query) = url
        .split_once('?')
        .map_or((url, None), |(address, query)| (address, Some(query)));
    let authority = address.find("://").map_or(0, |scheme| scheme + 3);
    let end = address[authority..]
        .find('/')
        .map_or(address.len(), |slash| authority + slash);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}/{database}{query}", &address[..end])
}

#[cfg(test)]
mod tests {
    use super::with_database;

    #[test]
    fn only_the_database_of_an_address_changes() {
        assert_eq!(
            with_database("postgres://u:p@h:1/a?x=/y", "b"),
            "postgres://u:p@h:1/b?x=/y"
        );
        assert_eq!(with_database("postgres://u@h", "b"), "postgres://u@h/b");
        assert_eq!(with_database("postgres://u@h/", "b"), "postgres://u@h/b");
    }
}
