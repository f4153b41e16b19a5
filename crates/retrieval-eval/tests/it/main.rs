//! How well the demo's documents are found with the real model, and how exact the vector index is.

#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

mod demo;
mod exactness;

knowledge::document_reader_for_tests!();

use sqlx::migrate::Migrator;
use test_support::database::TestDatabase;

static MIGRATIONS: Migrator = sqlx::migrate!("../../services/tools/migrations");

/// A database with the tables of the tools service.
async fn database() -> TestDatabase {
    TestDatabase::new("retrieval-eval", |pool| async move {
        sqlx::raw_sql("CREATE SCHEMA IF NOT EXISTS tools")
            .execute(&pool)
            .await?;
        MIGRATIONS.run(&pool).await.map_err(sqlx::Error::from)
    })
    .await
    .unwrap()
}
