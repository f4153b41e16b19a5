//! Copies of threads.

use sqlx::types::Json;
use uuid::Uuid;

use super::Thread;
use super::delete::locked;
use crate::error::Error;
use crate::store::{Owner, Store};

/// A thread that was made as a copy.
#[derive(Debug, Clone, PartialEq)]
pub struct Copied {
    /// The copy.
    pub thread: Thread,
    /// The internal id of the thread that was copied. Its checkpoints are for the caller to copy.
    pub source: Uuid,
    /// The newest message that was copied.
    last_seq: i64,
}

impl Store {
    /// Creates a thread of this new id with the messages of another one, as of now.
    /// [`Error::Busy`] while a run answers or waits in that one.
    pub async fn copy_thread(&self, owner: &Owner, name: &str, id: Uuid) -> Result<Copied, Error> {
        let mut transaction = self.pool.begin().await?;
        // With the row locked no run can start, and what the next statements see is current.
        let source = locked(&mut transaction, owner, name).await?;
        let active = sqlx::query_scalar!(
            "SELECT id FROM orchestrator.runs
             WHERE thread_id = $1 AND status IN ('running', 'queued') LIMIT 1",
            source,
        )
        .fetch_optional(&mut *transaction)
        .await?;
        if let Some(run_id) = active {
            return Err(Error::Busy { run_id });
        }
        let made = sqlx::query_file!(
            "queries/copy_thread.sql",
            source,
            owner.tenant,
            owner.subject,
            id,
        )
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Copied {
            thread: made.thread.0,
            source,
            last_seq: made.last_seq,
        })
    }

    /// Whether nothing was said in the source since its messages were copied.
    pub async fn is_current_copy(&self, copied: &Copied) -> Result<bool, Error> {
        Ok(sqlx::query_scalar!(
            r#"SELECT EXISTS (
                   SELECT FROM orchestrator.threads WHERE id = $1 AND last_seq = $2
               ) AS "is_current!""#,
            copied.source,
            copied.last_seq,
        )
        .fetch_one(&self.pool)
        .await?)
    }
}
