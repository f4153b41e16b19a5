//! The statements that read and write.

use std::collections::HashSet;

use graph::{Checkpoint, CheckpointError, CheckpointId, TaskWrite};
use sqlx::{Connection, SqliteConnection};

use crate::columns::{WriteError, decode, merge_writes};

/// Number of threads that are deleted at once: others wait for the file in the meantime.
pub(super) const IDLE_BATCH: u32 = 200;

/// A statement that reads.
pub(super) enum Read<'a> {
    One {
        thread_id: &'a str,
        id: CheckpointId,
    },
    /// The newest before this one.
    Page {
        thread_id: &'a str,
        limit: u32,
        before: CheckpointId,
    },
}

impl<'a> Read<'a> {
    /// The newest, or the newest before `before`.
    pub(super) fn page(thread_id: &'a str, limit: u32, before: Option<CheckpointId>) -> Self {
        Self::Page {
            thread_id,
            limit,
            before: before.unwrap_or(CheckpointId::max()),
        }
    }

    pub(super) async fn run(
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<Vec<Row>, sqlx::Error> {
        match *self {
            Self::One { thread_id, id } => {
                sqlx::query_file_as!(Row, "queries/sqlite/checkpoint.sql", thread_id, id)
                    .fetch_all(connection)
                    .await
            }
            Self::Page {
                thread_id,
                limit,
                before,
            } => {
                sqlx::query_file_as!(
                    Row,
                    "queries/sqlite/checkpoints.sql",
                    thread_id,
                    before,
                    limit
                )
                .fetch_all(connection)
                .await
            }
        }
    }
}

/// A statement that writes; each of these is one commit.
pub(super) enum Write<'a> {
    Put {
        checkpoint: &'a Checkpoint,
        next: String,
        writes: String,
        metadata: String,
    },
    PutWrites {
        thread_id: &'a str,
        id: CheckpointId,
        writes: &'a [TaskWrite],
    },
    DeleteThread {
        thread_id: &'a str,
    },
    Prune {
        thread_id: &'a str,
        keep: u32,
    },
    /// Deletes some of the threads that have nothing from this id on.
    DeleteIdle {
        before: CheckpointId,
    },
}

impl Write<'_> {
    /// Says how many rows it changed; [`Write::DeleteIdle`], how many threads.
    pub(super) async fn run(&self, connection: &mut SqliteConnection) -> Result<u64, WriteError> {
        let done = match self {
            Self::PutWrites {
                thread_id,
                id,
                writes,
            } => return put_writes(connection, thread_id, *id, writes).await,
            Self::DeleteIdle { before } => return Ok(delete_idle(connection, *before).await?),
            Self::Put {
                checkpoint,
                next,
                writes,
                metadata,
            } => {
                sqlx::query_file!(
                    "queries/sqlite/put.sql",
                    checkpoint.thread_id,
                    checkpoint.id,
                    checkpoint.parent_id,
                    checkpoint.step,
                    checkpoint.state,
                    next,
                    writes,
                    metadata,
                )
                .execute(connection)
                .await?
            }
            Self::DeleteThread { thread_id } => {
                sqlx::query!("DELETE FROM checkpoints WHERE thread_id = ?", thread_id)
                    .execute(connection)
                    .await?
            }
            // The newest that is too many, and all before it.
            Self::Prune { thread_id, keep } => {
                sqlx::query!(
                    "DELETE FROM checkpoints
                     WHERE thread_id = ?1 AND id <=
                         (SELECT id FROM checkpoints WHERE thread_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                    thread_id,
                    keep,
                )
                .execute(connection)
                .await?
            }
        };
        Ok(done.rows_affected())
    }
}

async fn put_writes(
    connection: &mut SqliteConnection,
    thread_id: &str,
    id: CheckpointId,
    writes: &[TaskWrite],
) -> Result<u64, WriteError> {
    // Immediate, because a transaction that begins by reading cannot wait for the lock when it
    // comes to writing.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let stored = sqlx::query_scalar!(
        "SELECT writes FROM checkpoints WHERE thread_id = ? AND id = ?",
        thread_id,
        id,
    )
    .fetch_optional(&mut *transaction)
    .await?;
    let stored = stored.ok_or_else(|| CheckpointError::NotFound {
        thread_id: thread_id.to_owned(),
        id,
    })?;
    let merged = merge_writes(id, &stored, writes)?;
    let updated = sqlx::query!(
        "UPDATE checkpoints SET writes = ? WHERE thread_id = ? AND id = ?",
        merged,
        thread_id,
        id,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(updated.rows_affected())
}

async fn delete_idle(
    connection: &mut SqliteConnection,
    before: CheckpointId,
) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query_scalar!(
        "DELETE FROM checkpoints
         WHERE thread_id IN
             (SELECT thread_id FROM checkpoints GROUP BY thread_id HAVING max(id) < ? LIMIT ?)
         RETURNING thread_id",
        before,
        IDLE_BATCH,
    )
    .fetch_all(connection)
    .await?;
    Ok(deleted.into_iter().collect::<HashSet<_>>().len() as u64)
}

pub(super) struct Row {
    id: CheckpointId,
    parent_id: Option<CheckpointId>,
    step: u32,
    state: Vec<u8>,
    next: String,
    writes: String,
    metadata: String,
}

impl Row {
    pub(super) fn into_checkpoint(self, thread_id: &str) -> Result<Checkpoint, CheckpointError> {
        Ok(Checkpoint {
            thread_id: thread_id.into(),
            next: decode(self.id, "next", &self.next)?,
            writes: decode(self.id, "writes", &self.writes)?,
            metadata: decode(self.id, "metadata", &self.metadata)?,
            id: self.id,
            parent_id: self.parent_id,
            step: self.step,
            state: self.state,
        })
    }
}
