//! A database per test, copied from a template that is migrated once.
//!
//! Each test process starts a throw-away server when its first test asks for a database; it goes
//! down with the process. When `HELIOGRAPH_TEST_DATABASE_URL` names a server (as a user who may
//! create databases), that one is used instead, and what earlier, killed test runs left there is
//! removed.

mod cluster;

use anyhow::Context;
use sqlx::postgres::{PgPool, PgPoolOptions};

use cluster::Cluster;

/// Connections that one test may hold at a time: many tests run at once on one server.
const POOL_SIZE: u32 = 8;

/// A database for one test, dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    url: String,
    pool: PgPool,
    cluster: &'static Cluster,
}

impl TestDatabase {
    /// A copy of the template `key`, which `migrate` fills when this process asks for it the first
    /// time.
    ///
    /// Within one process a key represents one schema: the first caller's `migrate` is the one that
    /// runs.
    pub async fn new<F, Fut, E>(key: &str, migrate: F) -> anyhow::Result<Self>
    where
        F: FnOnce(PgPool) -> Fut,
        Fut: Future<Output = Result<(), E>>,
        E: Into<anyhow::Error>,
    {
        let cluster = Cluster::shared().await?;
        let template = cluster
            .template(key, migrate)
            .await
            .with_context(|| format!("the template {key}"))?;
        Self::within(cluster, Some(&template)).await
    }

    /// A database with nothing in it.
    pub async fn empty() -> anyhow::Result<Self> {
        Self::within(Cluster::shared().await?, None).await
    }

    async fn within(cluster: &'static Cluster, template: Option<&str>) -> anyhow::Result<Self> {
        let name = cluster.create(template).await?;
        let url = cluster.url(&name);
        let pool = pool(&url)?;
        Ok(Self {
            name,
            url,
            pool,
            cluster,
        })
    }

    /// The address, password included, for code that makes its own pool.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The database's name, unique on its server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A pool on it. It connects when it is first used.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }
}

impl Drop for TestDatabase {
    /// Drops the database, ending its sessions, on a thread of its own: the test's runtime is
    /// blocked by this call.
    fn drop(&mut self) {
        let (cluster, name) = (self.cluster, self.name.clone());
        let dropped = std::thread::spawn(move || cluster.drop_blocking(&name)).join();
        // A failure leaves a database behind, which the server's end or the next run removes; the
        // test's result stands.
        if let Ok(Err(error)) = dropped {
            tracing::warn!(%error, database = self.name, "a test database was not dropped");
        }
    }
}

fn pool(url: &str) -> Result<PgPool, sqlx::Error> {
    PgPoolOptions::new()
        .max_connections(POOL_SIZE)
        .connect_lazy(url)
}

#[cfg(test)]
mod tests;
