//! Helpers for the tests of all crates: a database per test, a disk that is soon full, a strict
//! reader of event streams, requests that are almost right, scripted model providers, a real
//! embedding model, packages from npm and pip.
//!
//! Only ever a dev-dependency, and it depends on none of the services: they depend on it.
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! use test_support::database::TestDatabase;
//!
//! let database = TestDatabase::new("example", |pool| async move {
//!     sqlx::raw_sql("CREATE TABLE t (n int)").execute(&pool).await.map(drop)
//! })
//! .await?;
//! sqlx::query("INSERT INTO t VALUES (1)").execute(database.pool()).await?;
//! # Ok(())
//! # }
//! ```

pub mod callsites;
pub mod database;
pub mod disk;
pub mod mariadb;
pub mod model;
pub mod npm;
pub mod openapi;
pub mod pip;
pub mod provider;
pub mod smtp;
pub mod sse;
pub mod tls;
pub mod upstream;
