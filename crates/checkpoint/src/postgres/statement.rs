//! What is read and written, statement by statement.

use graph::{Checkpoint, CheckpointError, CheckpointId, TaskWrite};
use sqlx::{Connection, FromRow, PgConnection};

use crate::columns::{WriteError, decode, merge_writes};

/// How many threads are deleted at once, so that no statement takes long.
pub(super) const IDLE_BATCH: u32 = 200;

/// What is read.
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
        let query = match *self {
            Self::One { thread_id, id } => sqlx::query_as(
                "SELECT id, parent_id, step, state, next::text, writes::text, metadata::text
                 FROM orchestrator.checkpoints
                 WHERE thread_id = $1 AND id = $2",
            )
            .bind(thread_id)
            .bind(id),
            Self::Page {
                thread_id,
                limit,
                before,
            } => sqlx::query_as(
                "SELECT id, parent_id, step, state, next::text, writes::text, metadata::text
                 FROM orchestrator.checkpoints
                 WHERE thread_id = $1 AND id < $2
                 ORDER BY id DESC
                 LIMIT $3",
            )
            .bind(thread_id)
            .bind(before)
            .bind(i64::from(limit)),
        };
        query.fetch_all(connection).await
    }
}

/// What is written; each of these is one commit, and doing it twice is as good as once.
pub(super) enum Write<'a> {
    Put {
        checkpoint: &'a Checkpoint,
        thread_id: &'a str,
        next: String,
        writes: String,
        metadata: String,
        /// How many of the thread's checkpoints are left.
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
        let query = match self {
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
                keep,
            } => {
                let put = sqlx::query(if keep.is_some() { PUT_AND_PRUNE } else { PUT })
                    .bind(*thread_id)
                    .bind(checkpoint.id)
                    .bind(checkpoint.parent_id)
                    .bind(i64::from(checkpoint.step))
                    .bind(&*checkpoint.state)
                    .bind(&**next)
                    .bind(&**writes)
                    .bind(&**metadata);
                match keep {
                    // The new one is not among those that the statement sees.
                    Some(keep) => put.bind(i64::from(*keep) - 1),
                    None => put,
                }
            }
            Self::DeleteThread { thread_id } => {
                sqlx::query("DELETE FROM orchestrator.checkpoints WHERE thread_id = $1")
                    .bind(*thread_id)
            }
            // The newest that is too many, and all before it.
            Self::Prune { thread_id, keep } => sqlx::query(
                "DELETE FROM orchestrator.checkpoints
                 WHERE thread_id = $1 AND id <=
                     (SELECT id FROM orchestrator.checkpoints
                      WHERE thread_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
            )
            .bind(*thread_id)
            .bind(i64::from(*keep)),
        };
        Ok(query.execute(connection).await?.rows_affected())
    }
}

const PUT: &str = "INSERT INTO orchestrator.checkpoints
         (thread_id, id, parent_id, step, state, next, writes, metadata)
     VALUES ($1, $2, $3, $4, $5, $6::json, $7::json, $8::json)
     ON CONFLICT (thread_id, id) DO UPDATE
     SET parent_id = excluded.parent_id, step = excluded.step, state = excluded.state,
         next = excluded.next, writes = excluded.writes, metadata = excluded.metadata";

const PUT_AND_PRUNE: &str = "WITH put AS (
         INSERT INTO orchestrator.checkpoints
             (thread_id, id, parent_id, step, state, next, writes, metadata)
         VALUES ($1, $2, $3, $4, $5, $6::json, $7::json, $8::json)
         ON CONFLICT (thread_id, id) DO UPDATE
         SET parent_id = excluded.parent_id, step = excluded.step, state = excluded.state,
             next = excluded.next, writes = excluded.writes, metadata = excluded.metadata
     )
     DELETE FROM orchestrator.checkpoints
     WHERE thread_id = $1 AND id <> $2 AND id <=
         (SELECT id FROM orchestrator.checkpoints
          WHERE thread_id = $1 AND id <> $2 ORDER BY id DESC LIMIT 1 OFFSET $9)";

async fn put_writes(
    connection: &mut PgConnection,
    thread_id: &str,
    id: CheckpointId,
    writes: &[TaskWrite],
) -> Result<u64, WriteError> {
    let mut transaction = connection.begin().await?;
    let stored: Option<String> = sqlx::query_scalar(
        "SELECT writes::text FROM orchestrator.checkpoints
         WHERE thread_id = $1 AND id = $2 FOR NO KEY UPDATE",
    )
    .bind(thread_id)
    .bind(id)
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(stored) = stored else {
        return Ok(0);
    };
    let updated = sqlx::query(
        "UPDATE orchestrator.checkpoints SET writes = $3::json WHERE thread_id = $1 AND id = $2",
    )
    .bind(thread_id)
    .bind(id)
    .bind(merge_writes(id, &stored, writes)?)
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(updated.rows_affected())
}

async fn delete_idle(
    connection: &mut PgConnection,
    before: CheckpointId,
) -> Result<u64, sqlx::Error> {
    let threads: i64 = sqlx::query_scalar(
        "WITH idle AS (
             SELECT DISTINCT thread_id FROM orchestrator.checkpoints AS old
             WHERE id < $1 AND NOT EXISTS
                 (SELECT 1 FROM orchestrator.checkpoints AS newer
                  WHERE newer.thread_id = old.thread_id AND newer.id >= $1)
             LIMIT $2
         ), deleted AS (
             DELETE FROM orchestrator.checkpoints
             WHERE thread_id IN (SELECT thread_id FROM idle) AND id < $1
             RETURNING thread_id
         )
         SELECT count(DISTINCT thread_id) FROM deleted",
    )
    .bind(before)
    .bind(i64::from(IDLE_BATCH))
    .fetch_one(connection)
    .await?;
    Ok(threads.unsigned_abs())
}

#[derive(FromRow)]
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
