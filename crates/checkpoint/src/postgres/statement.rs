//! The statements that read and write.

use graph::{Checkpoint, CheckpointError, CheckpointId, TaskWrite};
use sqlx::{Connection, PgConnection};

use crate::columns::{WriteError, decode, merge_writes};

/// Number of threads that are deleted at once, so that no statement takes long.
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

    pub(super) async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Row>, sqlx::Error> {
        match *self {
            Self::One { thread_id, id } => {
                sqlx::query_as!(Row, r#"SELECT id, parent_id, step, state, next::text AS "next!", writes::text AS "writes!", metadata::text AS "metadata!"
                       FROM orchestrator.checkpoints
                       WHERE thread_id = $1
                         AND id = $2"#, thread_id, id)
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
                    "queries/postgres/checkpoints.sql",
                    thread_id,
                    before,
                    i64::from(limit)
                )
                .fetch_all(connection)
                .await
            }
        }
    }
}

/// A statement that writes. Each is one commit, and idempotent.
pub(super) enum Write<'a> {
    Put {
        checkpoint: &'a Checkpoint,
        thread_id: &'a str,
        next: String,
        writes: String,
        metadata: String,
        /// Number of the thread's checkpoints that are kept.
        keep: Option<u32>,
    },
    /// Changes no row when there is no such checkpoint.
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
    pub(super) async fn run(&self, connection: &mut PgConnection) -> Result<u64, WriteError> {
        let done = match self {
            Self::PutWrites {
                thread_id,
                id,
                writes,
            } => return put_writes(connection, thread_id, *id, writes).await,
            Self::DeleteIdle { before } => return Ok(delete_idle(connection, *before).await?),
            Self::Put {
                checkpoint,
                thread_id,
                next,
                writes,
                metadata,
                keep: None,
            } => {
                sqlx::query_file!(
                    "queries/postgres/put.sql",
                    thread_id,
                    checkpoint.id,
                    checkpoint.parent_id,
                    i64::from(checkpoint.step),
                    checkpoint.state,
                    next,
                    writes,
                    metadata,
                )
                .execute(connection)
                .await?
            }
            Self::Put {
                checkpoint,
                thread_id,
                next,
                writes,
                metadata,
                keep: Some(keep),
            } => {
                sqlx::query_file!(
                    "queries/postgres/put_and_prune.sql",
                    thread_id,
                    checkpoint.id,
                    checkpoint.parent_id,
                    i64::from(checkpoint.step),
                    checkpoint.state,
                    next,
                    writes,
                    metadata,
                    // The new one is not among those that the statement sees.
                    i64::from(*keep) - 1,
                )
                .execute(connection)
                .await?
            }
            Self::DeleteThread { thread_id } => {
                sqlx::query!(
                    "DELETE FROM orchestrator.checkpoints WHERE thread_id = $1",
                    thread_id
                )
                .execute(connection)
                .await?
            }
            // The newest that is too many, and all before it.
            Self::Prune { thread_id, keep } => {
                sqlx::query!(
                    "DELETE FROM orchestrator.checkpoints
                     WHERE thread_id = $1 AND id <=
                         (SELECT id FROM orchestrator.checkpoints
                          WHERE thread_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
                    thread_id,
                    i64::from(*keep),
                )
                .execute(connection)
                .await?
            }
        };
        Ok(done.rows_affected())
    }
}

async fn put_writes(
    connection: &mut PgConnection,
    thread_id: &str,
    id: CheckpointId,
    writes: &[TaskWrite],
) -> Result<u64, WriteError> {
    let mut transaction = connection.begin().await?;
    let stored = sqlx::query_scalar!(
        r#"SELECT writes::text AS "writes!" FROM orchestrator.checkpoints
           WHERE thread_id = $1 AND id = $2 FOR NO KEY UPDATE"#,
        thread_id,
        id,
    )
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(stored) = stored else {
        return Ok(0);
    };
    let updated = sqlx::query!(
        "UPDATE orchestrator.checkpoints SET writes = $3::text::json WHERE thread_id = $1 AND id = $2",
        thread_id,
        id,
        merge_writes(id, &stored, writes)?,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(updated.rows_affected())
}

async fn delete_idle(
    connection: &mut PgConnection,
    before: CheckpointId,
) -> Result<u64, sqlx::Error> {
    let threads = sqlx::query_file_scalar!(
        "queries/postgres/delete_idle.sql",
        before,
        i64::from(IDLE_BATCH)
    )
    .fetch_one(connection)
    .await?;
    Ok(threads.unsigned_abs())
}

pub(super) struct Row {
    id: CheckpointId,
    parent_id: Option<CheckpointId>,
    step: i64,
    state: Vec<u8>,
    next: String,
    writes: String,
    metadata: String,
}

impl Row {
    pub(super) fn into_checkpoint(self, thread_id: &str) -> Result<Checkpoint, CheckpointError> {
        let step = self.step.try_into();
        Ok(Checkpoint {
            thread_id: thread_id.into(),
            next: decode(self.id, "next", &self.next)?,
            writes: decode(self.id, "writes", &self.writes)?,
            metadata: decode(self.id, "metadata", &self.metadata)?,
            step: step
                .map_err(|error| CheckpointError::corrupt(format!("step of {}", self.id), error))?,
            id: self.id,
            parent_id: self.parent_id,
            state: self.state,
        })
    }
}
