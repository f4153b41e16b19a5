//! Limits on the rows that a statement may read, judged by the tenant's own rows.
//!
//! The database's estimate counts the rows of all tenants, so it decides nothing about a table with
//! a row filter: a refusal would reveal something about them. Mostly, a statement is too expensive
//! because tables are not joined. That is visible without the database, and the tenant's rows in
//! each table are counted.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sql_guard::Counted;

use crate::catalogue::Catalogue;
use crate::connection::Pool;
use crate::run::{Limits, Work, run};
use crate::{Dialect, TargetError};

/// Time that a count is taken for true.
const LASTS: Duration = Duration::from_mins(10);
/// Number of counts that are kept.
const MOST: usize = 1000;

/// Counts of tenants' rows, by the statement that gives them.
#[derive(Debug, Default)]
pub(crate) struct OwnRows(Mutex<HashMap<String, (Instant, u64)>>);

impl OwnRows {
    /// Fails if tables that nothing joins give more rows than `limit`.
    pub(crate) async fn afford(
        &self,
        pool: &Pool,
        catalogue: &Catalogue,
        products: &[Vec<Vec<Counted>>],
        limits: &Limits,
        limit: u64,
    ) -> Result<(), TargetError> {
        for groups in products {
            let mut rows: u64 = 1;
            for group in groups {
                let mut largest = 1;
                for table in group {
                    let count = self.count(pool, catalogue, table, limits, limit).await?;
                    largest = largest.max(count);
                }
                rows = rows.saturating_mul(largest);
            }
            if rows > limit {
                return Err(TargetError::TooExpensive {
                    estimated: None,
                    limit,
                });
            }
        }
        Ok(())
    }

    /// Number of rows of a table that the tenant has; beyond `limit` it does not matter.
    async fn count(
        &self,
        pool: &Pool,
        catalogue: &Catalogue,
        table: &Counted,
        limits: &Limits,
        limit: u64,
    ) -> Result<u64, TargetError> {
        let Some(rows) = &table.rows else {
            let known = catalogue.table(&table.table);
            return Ok(known.and_then(|table| table.rows).unwrap_or(1));
        };
        if let Some(count) = self.kept(rows) {
            return Ok(count);
        }
        let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let sql = match catalogue.dialect {
            Dialect::MySql => format!("SELECT COUNT(*) AS n FROM ({rows} LIMIT {most}) AS own"),
            Dialect::PostgreSql => {
                format!("SELECT COUNT(*)::bigint AS n FROM ({rows} LIMIT {most}) AS own")
            }
        };
        let work = Work {
            sql: &sql,
            filtered: true,
            fenced: false,
            sink: None,
        };
        let found = run(pool, work, limits, pool.safe()).await?;
        let count = found
            .rows
            .first()
            .and_then(|row| row.get("n"))
            .and_then(serde_json::Value::as_u64)
            .unwrap_or(1);
        self.keep(rows, count);
        Ok(count)
    }

    fn kept(&self, rows: &str) -> Option<u64> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (counted, count) = counts.get(rows)?;
        (counted.elapsed() < LASTS).then_some(*count)
    }

    fn keep(&self, rows: &str, count: u64) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MOST {
            counts.clear();
        }
        counts.insert(rows.to_owned(), (Instant::now(), count));
    }
}
