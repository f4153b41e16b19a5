//! Helpers: the cache of binaries, folders that the server's user can reach, queries.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use embedded_postgres::{Error, Options, Server, start};
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;

/// The cache of the workspace. The first test or program fills it.
pub(crate) fn cache_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.heliograph/cache")
}

/// A folder that all users can enter, which root's server requires.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

pub(crate) async fn durable(folder: &TempDir) -> Result<Server, Error> {
    start(Options::durable(folder.path().join("data"), cache_dir())).await
}

/// Runs a query that returns one number.
pub(crate) async fn number(url: &str, query: &'static str) -> Result<i64, sqlx::Error> {
    let mut connection = PgConnection::connect(url).await?;
    let number = sqlx::query_scalar(query).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(number)
}

pub(crate) async fn execute(url: &str, statement: &'static str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::raw_sql(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
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
