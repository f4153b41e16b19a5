//! Threads that go, with everything that hangs on them.

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::Error;
use crate::store::{Owner, Store};

/// The result of a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// The thread was deleted. Its checkpoints, kept under this id, are for the caller to delete.
    Deleted(Uuid),
    /// Nothing was deleted, for this run is running. Cancel it and ask again once it has ended, or
    /// refuse.
    Active(Uuid),
}

impl Store {
    /// Deletes a thread with its messages, its runs (waiting ones too) and their events, unless a
    /// run is running.
    pub async fn delete_thread(&self, owner: &Owner, name: &str) -> Result<Deletion, Error> {
        let mut transaction = self.pool.begin().await?;
        // With the row locked no run can start, and what the next statement sees is current.
        let id = locked(&mut transaction, owner, name).await?;
        let active = sqlx::query_scalar!(
            "SELECT id FROM orchestrator.runs WHERE thread_id = $1 AND status = 'running'",
            id,
        )
        .fetch_optional(&mut *transaction)
        .await?;
        if let Some(run_id) = active {
            return Ok(Deletion::Active(run_id));
        }
        sqlx::query!("DELETE FROM orchestrator.threads WHERE id = $1", id)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(Deletion::Deleted(id))
    }

    /// Deletes at most `batch` threads of a tenant, of any owner, that nothing has happened to for
    /// `age` and that no run holds or waits for, the oldest first. Returns their ids, whose
    /// checkpoints are for the caller to delete. Any number of processes may clean up at once.
    pub async fn delete_old(
        &self,
        tenant: &str,
        age: Duration,
        batch: u32,
    ) -> Result<Vec<Uuid>, Error> {
        Ok(sqlx::query_file_scalar!(
            "queries/delete_old_threads.sql",
            tenant,
            age.as_secs_f64(),
            i64::from(batch),
        )
        .fetch_all(&self.pool)
        .await?)
    }
}

/// Locks the row of a thread, and returns its id.
pub(super) async fn locked(
    connection: &mut PgConnection,
    owner: &Owner,
    name: &str,
) -> Result<Uuid, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM orchestrator.threads
             WHERE tenant = $1 AND owner = $2 AND name = $3 FOR UPDATE",
        owner.tenant,
        owner.subject,
        name,
    )
    .fetch_one(connection)
    .await?)
}
