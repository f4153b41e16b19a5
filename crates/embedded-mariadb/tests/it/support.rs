//! Helpers: the cache of binaries, servers, queries.

use std::path::{Path, PathBuf};

use embedded_mariadb::{Error, Options, Server, start};
use sqlx::{Connection, MySqlConnection};
use tempfile::TempDir;

/// The cache of the workspace. The first test or program fills it.
pub(crate) fn cache_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.heliograph/cache")
}

pub(crate) async fn durable(folder: &TempDir) -> Result<Server, Error> {
    start(Options::durable(folder.path().join("data"), cache_dir())).await
}

pub(crate) async fn throw_away() -> Server {
    start(Options::throw_away(cache_dir())).await.unwrap()
}

/// Runs a query that returns one text.
pub(crate) async fn text(url: &str, query: &'static str) -> Result<String, sqlx::Error> {
    let mut connection = MySqlConnection::connect(url).await?;
    let text = sqlx::query_scalar(query).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(text)
}

pub(crate) async fn execute(url: &str, statement: &'static str) -> Result<(), sqlx::Error> {
    let mut connection = MySqlConnection::connect(url).await?;
    sqlx::raw_sql(statement).execute(&mut connection).await?;
    connection.close().await
}

/// Waits for a condition. Fails the test after a time limit.
pub(crate) async fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    for _ in 0..1_500 {
        if happened() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("waited in vain: {what}");
}
