//! The retrieval quality on the demonstration's documents with the real model, and the recall of
//! the vector index.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

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
