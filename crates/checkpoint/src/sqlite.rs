//! Checkpoints in a SQLite file.
//!
//! The file is in WAL mode, so that readers and the writer do not wait for each other, with
//! `synchronous = NORMAL`: a commit does not wait for the disk. What is committed survives the end
//! of the process however it comes; when the machine loses power the last commits may be missing,
//! and threads continue from the checkpoint before. Only its owner can read the file: what users
//! asked is in it. The schema is in `migrations/sqlite`.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use graph::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, TaskWrite, earliest_id};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, SqliteConnection,
    migrate::MigrateError,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use tokio::sync::Mutex;

use crate::columns::{WriteError, encode, encode_writes};
use locked::{Backoff, failed};
use statement::{IDLE_BATCH, Read, Row, Write};

mod locked;
mod private;
mod statement;

/// The path of the file, and the settings of its lock.
///
/// A call that finds the file locked by another process is tried `retry_attempts` times, each of
/// which waits `busy_timeout` for the lock, with `retry_delay` between the first and the second,
/// twice that before the third, and so on; then it fails as [`CheckpointError::Unavailable`]. With
/// the defaults that is after some 15 seconds, or when the run's
/// [`checkpoint_timeout`](graph::RunConfig::checkpoint_timeout) ends it before.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The file; made when there is none.
    pub path: PathBuf,
    /// Time that SQLite itself waits for another process's lock.
    pub busy_timeout: Duration,
    /// Number of times that a call is tried that still finds the file locked after that; at least
    /// once.
    pub retry_attempts: u32,
    /// Time to wait before the second attempt; doubles each time.
    pub retry_delay: Duration,
    /// Number of checkpoints that each thread keeps, older ones going as new ones come; `None`
    /// keeps all until they are pruned.
    pub history: Option<u32>,
}

impl SqliteOptions {
    /// The defaults, for this file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            busy_timeout: Duration::from_secs(5),
            retry_attempts: 3,
            retry_delay: Duration::from_millis(100),
            history: None,
        }
    }

    fn connect_options(&self) -> SqliteConnectOptions {
        SqliteConnectOptions::new()
            .filename(&self.path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(self.busy_timeout)
            // Deleted data is overwritten: a person's words are removed from the file, not only
            // from its tables.
            .pragma("secure_delete", "on")
            // Every superstep is a statement, and every run has a span.
            .disable_statement_logging()
    }
}

/// Keeps checkpoints in a SQLite file.
#[derive(Debug)]
pub struct SqliteSaver {
    options: SqliteOptions,
    connect: SqliteConnectOptions,
    /// SQLite has one writer at a time, so one connection is all that writing can use; queueing for
    /// it here is fair and costs less than queueing for the file's lock.
    writer: Slot,
    /// Reads are short and happen once per run; a pool would cost more than the queue for one
    /// connection. It is not the writer's, which may have to wait for another process.
    reader: Slot,
}

/// A connection; `None` before its first use, and after a failure that broke it until the next one.
type Slot = Mutex<Option<SqliteConnection>>;

impl SqliteSaver {
    /// [`SqliteSaver::open_with`] the defaults.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        Self::open_with(SqliteOptions::new(path.as_ref())).await
    }

    /// Opens the file, creates it when there is none, and migrates its schema.
    pub async fn open_with(options: SqliteOptions) -> Result<Self, CheckpointError> {
        let connect = options.connect_options();
        private::keep(&options.path);
        Self::open_on(options, connect).await
    }

    async fn open_on(
        options: SqliteOptions,
        connect: SqliteConnectOptions,
    ) -> Result<Self, CheckpointError> {
        let mut backoff = Backoff::new(&options);
        let writer = loop {
            match opened(&connect, options.history).await {
                Ok(connection) => break connection,
                Err(error) if backoff.another_attempt(&error).await => {}
                Err(error) => return Err(failed(error)),
            }
        };
        Ok(Self {
            options,
            connect,
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

    async fn read(&self, read: Read<'_>) -> Result<Vec<Row>, CheckpointError> {
        let mut backoff = Backoff::new(&self.options);
        loop {
            match self.read_once(&read).await {
                Ok(rows) => return Ok(rows),
                Err(error) if backoff.another_attempt(&error).await => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    async fn read_once(&self, read: &Read<'_>) -> Result<Vec<Row>, sqlx::Error> {
        let mut reader = self.reader.lock().await;
        let connection = self.connected(&mut reader).await?;
        let result = read.run(connection).await;
        if let Err(error) = &result {
            drop_broken(&mut reader, error);
        }
        result
    }

    /// Runs a write, again when the file is locked, and says how many rows (of
    /// [`Write::DeleteIdle`]: threads) it changed.
    async fn write(&self, write: Write<'_>) -> Result<u64, CheckpointError> {
        let mut backoff = Backoff::new(&self.options);
        loop {
            match self.write_once(&write).await {
                Ok(changed) => return Ok(changed),
                Err(WriteError::Checkpoint(error)) => return Err(error),
                Err(WriteError::Database(error)) if backoff.another_attempt(&error).await => {}
                Err(WriteError::Database(error)) => return Err(failed(error)),
            }
        }
    }

    async fn write_once(&self, write: &Write<'_>) -> Result<u64, WriteError> {
        let mut writer = self.writer.lock().await;
        let connection = self.connected(&mut writer).await?;
        let result = write.run(connection).await;
        if let Err(WriteError::Database(error)) = &result {
            drop_broken(&mut writer, error);
        }
        result
    }

    /// Moves what the write-ahead log holds into the file, and empties it. Where a reader is in the
    /// way the next deletion does it, or the last connection that closes.
    async fn empty_log(&self) {
        let mut writer = self.writer.lock().await;
        let emptied = match self.connected(&mut writer).await {
            Ok(connection) => sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
                .execute(connection)
                .await
                .map(drop),
            Err(error) => Err(error),
        };
        if let Err(error) = emptied {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "cannot empty the write-ahead log of the checkpoints"
            );
        }
    }

    async fn connected<'a>(
        &self,
        slot: &'a mut Option<SqliteConnection>,
    ) -> Result<&'a mut SqliteConnection, sqlx::Error> {
        Ok(match slot {
            Some(connection) => connection,
            none => {
                let mut connection = self.connect.connect().await?;
                prune_with_put(&mut connection, self.options.history).await?;
                none.insert(connection)
            }
        })
    }
}

#[async_trait]
impl Checkpointer for SqliteSaver {
    async fn put(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let write = Write::Put {
            checkpoint,
            next: encode(&checkpoint.next)?,
            writes: encode_writes(checkpoint.writes.clone())?,
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
        let write = Write::PutWrites {
            thread_id,
            id,
            writes,
        };
        self.write(write).await.map(drop)
    }

    async fn get(
        &self,
        thread_id: &str,
        id: Option<CheckpointId>,
    ) -> Result<Option<Checkpoint>, CheckpointError> {
        let read = match id {
            None => Read::page(thread_id, 1, None),
            Some(id) => Read::One { thread_id, id },
        };
        let row = self.read(read).await?.pop();
        row.map(|row| row.into_checkpoint(thread_id)).transpose()
    }

    async fn list(
        &self,
        thread_id: &str,
        limit: u32,
        before: Option<CheckpointId>,
    ) -> Result<Vec<Checkpoint>, CheckpointError> {
        let rows = self.read(Read::page(thread_id, limit, before)).await?;
        rows.into_iter()
            .map(|row| row.into_checkpoint(thread_id))
            .collect()
    }

    async fn delete_thread(&self, thread_id: &str) -> Result<(), CheckpointError> {
        let write = Write::DeleteThread { thread_id };
        self.write(write).await?;
        self.empty_log().await;
        Ok(())
    }

    async fn prune(&self, thread_id: &str, keep: u32) -> Result<u64, CheckpointError> {
        self.write(Write::Prune { thread_id, keep }).await
    }

    async fn delete_idle(&self, before: SystemTime) -> Result<u64, CheckpointError> {
        let before = earliest_id(before);
        let mut deleted = 0;
        loop {
            let batch = self.write(Write::DeleteIdle { before }).await?;
            deleted += batch;
            if batch < u64::from(IDLE_BATCH) {
                return Ok(deleted);
            }
        }
    }
}

/// A connection to the file with its schema up to date.
async fn opened(
    connect: &SqliteConnectOptions,
    history: Option<u32>,
) -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = migrated(connect).await?;
    prune_with_put(&mut connection, history).await?;
    Ok(connection)
}

/// Has a connection remove the checkpoints of a thread that are too many when it stores one, in the
/// same statement and commit. The trigger is the connection's own, and not in the file.
async fn prune_with_put(
    connection: &mut SqliteConnection,
    history: Option<u32>,
) -> Result<(), sqlx::Error> {
    let Some(keep) = history else { return Ok(()) };
    let trigger = format!(
        "CREATE TEMP TRIGGER kept AFTER INSERT ON main.checkpoints
         BEGIN
             DELETE FROM checkpoints
             WHERE thread_id = NEW.thread_id AND id <= (
                 SELECT id FROM checkpoints WHERE thread_id = NEW.thread_id
                 ORDER BY id DESC LIMIT 1 OFFSET {keep}
             );
         END"
    );
    sqlx::raw_sql(AssertSqlSafe(trigger))
        .execute(connection)
        .await
        .map(drop)
}

async fn migrated(connect: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = connect.connect().await?;
    let migrations = sqlx::migrate!("migrations/sqlite");
    // Not `run`, whose future the compiler cannot see to be `Send`.
    match migrations.run_direct(None, &mut connection, false).await {
        Ok(()) => Ok(connection),
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => Err(error),
        Err(error) => Err(sqlx::Error::Migrate(Box::new(error))),
    }
}

/// An error that the database itself reports leaves the connection in order; any other may not.
fn drop_broken(connection: &mut Option<SqliteConnection>, error: &sqlx::Error) {
    if error.as_database_error().is_none() {
        *connection = None;
    }
}

#[cfg(test)]
mod tests;
