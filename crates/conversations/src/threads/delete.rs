//! Threads that go, with everything that hangs on them.

use std::time::Duration;

use uuid::Uuid;

use crate::error::Error;
use crate::store::{Owner, Store};

/// What became of a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// The thread is gone. Its checkpoints, kept under this id, are for the caller to delete.
    Deleted(Uuid),
    /// Nothing was deleted, for this run is running. Cancel it and ask again once it has ended, or refuse.
    Active(Uuid),
}

impl Store {
    /// Deletes a thread with its messages, its runs (waiting ones too) and their events, unless a run is running.
    pub async fn delete_thread(&self, owner: &Owner, name: &str) -> Result<Deletion, Error> {
        let mut transaction = self.pool.begin().await?;
        // With the row locked no run can start, and what the next statement sees is current.
        let id: Uuid = sqlx::query_scalar(
            "SELECT id FROM orchestrator.threads \
             WHERE tenant = $1 AND owner = $2 AND name = $3 FOR UPDATE",
        )
        .bind(&owner.tenant)
        .bind(&owner.subject)
        .bind(name)
        .fetch_one(&mut *transaction)
        .await?;
        let active: Option<Uuid> = sqlx::query_scalar(
            "SELECT id FROM orchestrator.runs WHERE thread_id = $1 AND status = 'running'",
        )
        .bind(id)
        .fetch_optional(&mut *transaction)
        .await?;
        if let Some(run_id) = active {
            return Ok(Deletion::Active(run_id));
        }
        sqlx::query("DELETE FROM orchestrator.threads WHERE id = $1")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(Deletion::Deleted(id))
    }

    /// Deletes at most `batch` threads of anybody that nothing has happened to for `age` and that no run holds or waits
    /// for, the oldest first. Returns their ids, whose checkpoints are for the caller to delete. Any number of processes may
    /// clean up at once.
    pub async fn delete_older_than(&self, age: Duration, batch: u32) -> Result<Vec<Uuid>, Error> {
        Ok(sqlx::query_scalar(
            "WITH old AS MATERIALIZED ( \
                 SELECT t.id FROM orchestrator.threads t \
                 WHERE t.last_updated < now() - make_interval(secs => $1) \
                   AND NOT EXISTS ( \
                       SELECT FROM orchestrator.runs r \
                       WHERE r.thread_id = t.id AND r.status IN ('queued', 'running')) \
                 ORDER BY t.last_updated \
                 LIMIT $2 \
                 FOR UPDATE SKIP LOCKED) \
             DELETE FROM orchestrator.threads t USING old WHERE t.id = old.id \
             RETURNING t.id",
        )
        .bind(age.as_secs_f64())
        .bind(i64::from(batch))
        .fetch_all(&self.pool)
        .await?)
    }
}
