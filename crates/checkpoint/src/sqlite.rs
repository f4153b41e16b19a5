//! Checkpoints in a SQLite file.
//!
//! The file is in WAL mode, so that readers and the writer do not wait for each other, with `synchronous = NORMAL`: a commit does
//! not wait for the disk. What is committed survives the end of the process however it comes; when the machine loses power
//! the last commits may be missing, and threads go on from the checkpoint before. The schema is in `migrations/sqlite`.

use std::{path::Path, time::Duration};

use async_trait::async_trait;
use graph::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, TaskWrite};
use serde::{Serialize, de::DeserializeOwned};
use sqlx::{
    ConnectOptions, Connection, FromRow, Sqlite, SqliteConnection,
    query::QueryAs,
    sqlite::{SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use tokio::sync::Mutex;

/// How long SQLite itself waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a statement is tried that still found the file locked after that.
const BUSY_ATTEMPTS: u32 = 4;

/// How long to wait before the second of these; doubles each time.
const BUSY_BACKOFF: Duration = Duration::from_millis(20);

/// Keeps checkpoints in a SQLite file.
#[derive(Debug)]
pub struct SqliteSaver {
    options: SqliteConnectOptions,
    /// SQLite has one writer at a time, so one connection is all that writing can use; queueing for it here is fair and costs less
    /// than queueing for the file's lock.
    writer: Slot,
    /// Reads are short and happen once per run; a pool would cost more than the queue for one connection. It is not the writer's,
    /// which may have to wait for another process.
    reader: Slot,
}

/// A connection; `None` before its first use, and after a failure that broke it until the next one.
type Slot = Mutex<Option<SqliteConnection>>;

impl SqliteSaver {
    /// Opens the file, makes it when there is none, and brings its schema up to date.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(BUSY_TIMEOUT)
            // Every superstep is a statement, and every run has a span.
            .disable_statement_logging();
        let mut writer = options
            .connect()
            .await
            .map_err(CheckpointError::unavailable)?;
        let migrations = sqlx::migrate!("migrations/sqlite");
        migrations
            .run(&mut writer)
            .await
            .map_err(CheckpointError::unavailable)?;
        Ok(Self {
            options,
            writer: Mutex::new(Some(writer)),
            reader: Mutex::new(None),
        })
    }

    /// Closes the connections, which also folds the write-ahead log into the file.
    pub async fn close(self) {
        for slot in [self.reader, self.writer] {
            if let Some(connection) = slot.into_inner()
                && let Err(error) = connection.close().await
            {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the checkpoint file did not close properly"
                );
            }
        }
    }

    async fn read(
        &self,
        query: QueryAs<'_, Sqlite, Row, SqliteArguments>,
    ) -> Result<Vec<Row>, CheckpointError> {
        let mut reader = self.reader.lock().await;
        let connection = match &mut *reader {
            Some(connection) => connection,
            none => none.insert(
                self.options
                    .connect()
                    .await
                    .map_err(CheckpointError::unavailable)?,
            ),
        };
        match query.fetch_all(connection).await {
            Ok(rows) => Ok(rows),
            Err(sqlx::Error::ColumnDecode { index, source }) => {
                Err(CheckpointError::corrupt(format!("column {index}"), source))
            }
            Err(error) => {
                drop_broken(&mut reader, &error);
                Err(CheckpointError::unavailable(error))
            }
        }
    }

    /// Runs a write, again when the file is locked, and says how many rows it changed.
    async fn write(&self, write: Write<'_>) -> Result<u64, CheckpointError> {
        let mut attempt = 1;
        loop {
            let error = match self.write_once(&write).await {
                Ok(changed) => return Ok(changed),
                Err(WriteError::Checkpoint(error)) => return Err(error),
                Err(WriteError::Database(error)) => error,
            };
            if attempt == BUSY_ATTEMPTS || !is_busy(&error) {
                return Err(CheckpointError::unavailable(error));
            }
            let wait = BUSY_BACKOFF * 2_u32.pow(attempt - 1);
            tracing::debug!(
                attempt,
                ?wait,
                "the checkpoint file is locked; the write is tried again"
            );
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn write_once(&self, write: &Write<'_>) -> Result<u64, WriteError> {
        let mut writer = self.writer.lock().await;
        let connection = match &mut *writer {
            Some(connection) => connection,
            none => none.insert(self.options.connect().await?),
        };
        let result = write.run(connection).await;
        if let Err(WriteError::Database(error)) = &result {
            drop_broken(&mut writer, error);
        }
        result
    }
}

#[async_trait]
impl Checkpointer for SqliteSaver {
    async fn put(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let write = Write::Put {
            checkpoint,
            next: encode(&checkpoint.next)?,
            writes: encode(&sorted(checkpoint.writes.clone()))?,
            metadata: encode(&checkpoint.metadata)?,
        };
        self.write(write).await.map(drop)
    }

    async fn put_writes(
        &self,
        thread_id: &str,
        id: CheckpointId,
        writes: &[TaskWrite],
    ) -> Result<(), CheckpointError> {
        self.write(Write::PutWrites {
            thread_id,
            id,
            writes,
        })
        .await
        .map(drop)
    }

    async fn get(
        &self,
        thread_id: &str,
        id: Option<CheckpointId>,
    ) -> Result<Option<Checkpoint>, CheckpointError> {
        let query = match id {
            None => sqlx::query_as(
                "SELECT id, parent_id, step, state, next, writes, metadata FROM checkpoints
                 WHERE thread_id = ? ORDER BY id DESC LIMIT 1",
            )
            .bind(thread_id),
            Some(id) => sqlx::query_as(
                "SELECT id, parent_id, step, state, next, writes, metadata FROM checkpoints
                 WHERE thread_id = ? AND id = ? LIMIT 1",
            )
            .bind(thread_id)
            .bind(id),
        };
        let newest = self.read(query).await?.pop();
        newest.map(|row| row.into_checkpoint(thread_id)).transpose()
    }

    async fn list(
        &self,
        thread_id: &str,
        limit: u32,
        before: Option<CheckpointId>,
    ) -> Result<Vec<Checkpoint>, CheckpointError> {
        let query = sqlx::query_as(
            "SELECT id, parent_id, step, state, next, writes, metadata FROM checkpoints
             WHERE thread_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
        )
        .bind(thread_id)
        .bind(before.unwrap_or(CheckpointId::max()))
        .bind(limit);
        let rows = self.read(query).await?;
        rows.into_iter()
            .map(|row| row.into_checkpoint(thread_id))
            .collect()
    }

    async fn delete_thread(&self, thread_id: &str) -> Result<(), CheckpointError> {
        self.write(Write::DeleteThread { thread_id })
            .await
            .map(drop)
    }

    async fn prune(&self, thread_id: &str, keep: u32) -> Result<u64, CheckpointError> {
        self.write(Write::Prune { thread_id, keep }).await
    }
}

/// What is written; each of these is one commit.
enum Write<'a> {
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
}

impl Write<'_> {
    async fn run(&self, connection: &mut SqliteConnection) -> Result<u64, WriteError> {
        let query = match self {
            Self::PutWrites { thread_id, id, writes } => return put_writes(connection, thread_id, *id, writes).await,
            Self::Put { checkpoint, next, writes, metadata } => sqlx::query(
                "INSERT INTO checkpoints (thread_id, id, parent_id, step, state, next, writes, metadata)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (thread_id, id) DO UPDATE
                 SET parent_id = excluded.parent_id, step = excluded.step, state = excluded.state,
                     next = excluded.next, writes = excluded.writes, metadata = excluded.metadata",
            )
            .bind(&*checkpoint.thread_id)
            .bind(checkpoint.id)
            .bind(checkpoint.parent_id)
            .bind(checkpoint.step)
            .bind(&*checkpoint.state)
            .bind(&**next)
            .bind(&**writes)
            .bind(&**metadata),
            Self::DeleteThread { thread_id } => {
                sqlx::query("DELETE FROM checkpoints WHERE thread_id = ?").bind(*thread_id)
            }
            Self::Prune { thread_id, keep } => sqlx::query(
                "DELETE FROM checkpoints
                 WHERE thread_id = ?1 AND id NOT IN
                     (SELECT id FROM checkpoints WHERE thread_id = ?1 ORDER BY id DESC LIMIT ?2)",
            )
            .bind(*thread_id)
            .bind(*keep),
        };
        Ok(query.execute(connection).await?.rows_affected())
    }
}

async fn put_writes(
    connection: &mut SqliteConnection,
    thread_id: &str,
    id: CheckpointId,
    writes: &[TaskWrite],
) -> Result<u64, WriteError> {
    // Immediate, because a transaction that begins by reading can not wait for the lock when it comes to writing.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let stored: Option<String> =
        sqlx::query_scalar("SELECT writes FROM checkpoints WHERE thread_id = ? AND id = ?")
            .bind(thread_id)
            .bind(id)
            .fetch_optional(&mut *transaction)
            .await?;
    let Some(stored) = stored else {
        return Err(CheckpointError::NotFound {
            thread_id: thread_id.to_owned(),
            id,
        }
        .into());
    };
    let mut merged: Vec<TaskWrite> = decode(id, "writes", stored.as_bytes())?;
    merged.retain(|old| writes.iter().all(|new| new.task != old.task));
    merged.extend_from_slice(writes);
    let updated = sqlx::query("UPDATE checkpoints SET writes = ? WHERE thread_id = ? AND id = ?")
        .bind(encode(&sorted(merged))?)
        .bind(thread_id)
        .bind(id)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(updated.rows_affected())
}

#[derive(FromRow)]
struct Row {
    id: CheckpointId,
    parent_id: Option<CheckpointId>,
    step: u32,
    state: Vec<u8>,
    next: String,
    writes: String,
    metadata: String,
}

impl Row {
    fn into_checkpoint(self, thread_id: &str) -> Result<Checkpoint, CheckpointError> {
        Ok(Checkpoint {
            thread_id: thread_id.into(),
            next: decode(self.id, "next", self.next.as_bytes())?,
            writes: decode(self.id, "writes", self.writes.as_bytes())?,
            metadata: decode(self.id, "metadata", self.metadata.as_bytes())?,
            id: self.id,
            parent_id: self.parent_id,
            step: self.step,
            state: self.state,
        })
    }
}

/// Why a write failed: the database, which is worth another try when it is busy, or what was to be written or was found there.
enum WriteError {
    Database(sqlx::Error),
    Checkpoint(CheckpointError),
}

impl From<sqlx::Error> for WriteError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl From<CheckpointError> for WriteError {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(error)
    }
}

/// An error that the database itself reports leaves the connection in order; any other may not.
fn drop_broken(connection: &mut Option<SqliteConnection>, error: &sqlx::Error) {
    if error.as_database_error().is_none() {
        *connection = None;
    }
}

/// Whether the file was locked by another connection: `SQLITE_BUSY` (5) or `SQLITE_LOCKED` (6), in the low byte of the extended code.
fn is_busy(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    let code = code.and_then(|code| code.parse::<i32>().ok());
    code.is_some_and(|code| matches!(code & 0xff, 5 | 6))
}

fn sorted(mut writes: Vec<TaskWrite>) -> Vec<TaskWrite> {
    writes.sort_by_key(|write| write.task);
    writes
}

fn encode(value: &impl Serialize) -> Result<String, CheckpointError> {
    serde_json::to_string(value).map_err(|source| CheckpointError::Serialize { source })
}

fn decode<T: DeserializeOwned>(
    id: CheckpointId,
    column: &str,
    json: &[u8],
) -> Result<T, CheckpointError> {
    serde_json::from_slice(json)
        .map_err(|error| CheckpointError::corrupt(format!("{column} of {id}"), error))
}
