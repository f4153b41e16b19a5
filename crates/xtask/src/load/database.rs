//! The work of the database for the turns of a round.

use std::time::Duration;

use anyhow::Context;
use sqlx::PgPool;

use super::proc::{self, Usage};

/// Longer than a server process keeps its counts to itself after its last statement.
const COUNTED_WITHIN: Duration = Duration::from_secs(11);

/// The database of a load.
pub(crate) struct Database {
    pool: PgPool,
    /// The server, if it is a process of this machine.
    server: Option<u32>,
    /// Whether the server counts statements.
    counts_statements: bool,
}

/// Counts since the server started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    /// Transactions, those that only read included.
    pub(crate) transactions: i64,
    /// Statements; `None` if the server does not count them.
    pub(crate) statements: Option<i64>,
    /// Rows that were added or changed.
    pub(crate) rows: i64,
    /// Records of the write-ahead log.
    pub(crate) wal_records: i64,
    /// Bytes of the write-ahead log.
    pub(crate) wal_bytes: i64,
}

/// A table with its indexes and what is stored out of line.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Its name, with the schema.
    pub(crate) name: String,
    /// Its size in bytes.
    pub(crate) bytes: i64,
}

impl Database {
    pub(crate) async fn new(pool: PgPool) -> anyhow::Result<Self> {
        let pid = sqlx::query_scalar!(r#"SELECT pg_backend_pid() AS "pid!""#)
            .fetch_one(&pool)
            .await?;
        let server = u32::try_from(pid)
            .ok()
            .and_then(|pid| proc::parent_of(pid, "postgres"));
        let loaded = sqlx::query_scalar!(
            r#"SELECT current_setting('shared_preload_libraries') LIKE '%pg_stat_statements%' AS "loaded!""#
        )
        .fetch_one(&pool)
        .await?;
        if loaded {
            sqlx::raw_sql("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
                .execute(&pool)
                .await?;
        }
        Ok(Self {
            pool,
            server,
            counts_statements: loaded,
        })
    }

    /// The CPU time and the memory of all processes of the server; `None` on another machine.
    pub(crate) fn usage(&self) -> Option<Usage> {
        self.server.and_then(proc::usage_of_family)
    }

    /// The counts so far, once all processes of the server have reported theirs.
    pub(crate) async fn counts(&self) -> anyhow::Result<Counts> {
        tokio::time::sleep(COUNTED_WITHIN).await;
        let counted = sqlx::query_file!("queries/load_counts.sql")
            .fetch_one(&self.pool)
            .await?;
        let statements = if self.counts_statements {
            sqlx::query_scalar::<_, Option<i64>>(
                "SELECT sum(calls)::bigint FROM pg_stat_statements WHERE toplevel",
            )
            .fetch_one(&self.pool)
            .await
            .context("pg_stat_statements cannot be read")?
        } else {
            None
        };
        Ok(Counts {
            transactions: counted.transactions,
            statements,
            rows: counted.rows,
            wal_records: counted.wal_records,
            wal_bytes: counted.wal_bytes,
        })
    }

    /// The largest tables of the services.
    pub(crate) async fn tables(&self) -> anyhow::Result<Vec<Table>> {
        Ok(sqlx::query_file_as!(Table, "queries/load_tables.sql")
            .fetch_all(&self.pool)
            .await?)
    }

    pub(crate) async fn close(self) {
        self.pool.close().await;
    }
}
