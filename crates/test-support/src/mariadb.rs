//! A MariaDB per test process, and databases on it.
//!
//! The server is a throw-away one, started when the first test asks for a database, in a second or
//! less; it goes down with the process. A test that changes anything takes a database of its own
//! ([`TestMariaDb::empty`]); tests that only read share one that is filled once
//! ([`TestMariaDb::shared`]).

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use embedded_mariadb::{Options, Server};
use tokio::sync::OnceCell;

/// A database on this process's server.
#[derive(Debug)]
pub struct TestMariaDb {
    name: String,
    server: &'static Server,
    /// Whether it goes with this value.
    own: bool,
}

impl TestMariaDb {
    /// A database with nothing in it, dropped with this value.
    pub async fn empty() -> anyhow::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let server = server().await?;
        server.create_database(&name).await?;
        Ok(Self {
            name,
            server,
            own: true,
        })
    }

    /// The database `key`, which `fill` fills, given its administrator's address, when this process
    /// asks for it the first time. It is there until the process ends. Only for tests that do not
    /// change it.
    pub async fn shared<F, Fut, E>(key: &str, fill: F) -> anyhow::Result<Self>
    where
        F: FnOnce(String) -> Fut,
        Fut: Future<Output = Result<(), E>>,
        E: Into<anyhow::Error>,
    {
        static FILLED: Mutex<Option<HashMap<String, Arc<OnceCell<()>>>>> = Mutex::new(None);
        let server = server().await?;
        let filled = {
            let mut all = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
            let all = all.get_or_insert_default();
            Arc::clone(all.entry(key.to_owned()).or_default())
        };
        let name = format!("shared_{key}");
        let make = async || {
            // What a filling that failed in an earlier test has left.
            server.drop_database(&name).await?;
            server.create_database(&name).await?;
            fill(server.url(&name)).await.map_err(Into::into)
        };
        filled
            .get_or_try_init(make)
            .await
            .with_context(|| format!("the shared database {key}"))?;
        Ok(Self {
            name,
            server,
            own: false,
        })
    }

    /// The administrator's address, password included.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// The address for another user, whose name and password are letters and digits.
    pub fn url_as(&self, user: &str, password: &str) -> String {
        self.server.url_as(user, password, &self.name)
    }

    /// The database's name on its server.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for TestMariaDb {
    /// On a thread of its own: the test's runtime is blocked by this call.
    fn drop(&mut self) {
        if !self.own {
            return;
        }
        let (server, name) = (self.server, self.name.clone());
        let dropped = std::thread::spawn(move || drop_blocking(server, &name)).join();
        // A failure leaves a database behind, which goes with the server; the test's result stands.
        if let Ok(Err(error)) = dropped {
            tracing::warn!(%error, database = self.name, "a test database was not dropped");
        }
    }
}

/// This process's server, started by whichever test comes first. It is never stopped: it ends with
/// the process.
async fn server() -> anyhow::Result<&'static Server> {
    static SERVER: OnceCell<Server> = OnceCell::const_new();
    let start = async || {
        // The workspace's own cache: filled once, for tests and for development.
        let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.heliograph/cache");
        embedded_mariadb::start(Options::throw_away(cache)).await
    };
    Ok(SERVER.get_or_try_init(start).await?)
}

fn drop_blocking(server: &Server, name: &str) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(server.drop_database(name))?)
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection, MySqlConnection};

    use super::*;

    async fn execute(url: &str, statement: &'static str) -> Result<(), sqlx::Error> {
        let mut connection = MySqlConnection::connect(url).await?;
        sqlx::raw_sql(statement)
            .execute(&mut connection)
            .await
            .map(drop)
    }

    #[tokio::test]
    async fn a_database_of_ones_own_goes_with_its_value() {
        let (one, two) = tokio::join!(TestMariaDb::empty(), TestMariaDb::empty());
        let (one, two) = (one.unwrap(), two.unwrap());
        let table = "CREATE TABLE t (n INT)";
        execute(&one.url(), table).await.unwrap();
        execute(&two.url(), table).await.unwrap();
        let url = one.url();
        drop(one);
        let error = execute(&url, "DO 1").await.unwrap_err();
        assert!(error.to_string().contains("Unknown database"), "{error}");
        execute(&two.url(), "SELECT n FROM t").await.unwrap();
    }

    #[tokio::test]
    async fn a_shared_database_is_filled_once_and_stays() {
        static FILLED: AtomicUsize = AtomicUsize::new(0);
        async fn fill(url: String) -> Result<(), sqlx::Error> {
            if FILLED.fetch_add(1, Ordering::SeqCst) == 0 {
                execute(&url, "CREATE TABLE t (n INT)").await?;
                return execute(&url, "nonsense").await;
            }
            execute(&url, "CREATE TABLE t (n INT)").await
        }
        TestMariaDb::shared("t", fill).await.unwrap_err();
        let (one, two) = tokio::join!(
            TestMariaDb::shared("t", fill),
            TestMariaDb::shared("t", fill)
        );
        drop(one.unwrap());
        execute(&two.unwrap().url(), "SELECT n FROM t")
            .await
            .unwrap();
        assert_eq!(FILLED.load(Ordering::SeqCst), 2);
    }
}
