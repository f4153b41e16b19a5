//! Checkpoints in PostgreSQL: the table `orchestrator.checkpoints`, which `migrations/postgres`
//! makes.
//!
//! Every call is one statement (adding pending writes: one transaction) on one connection, and may
//! be repeated. So one that meets a dead connection, because the server was restarted or a proxy
//! cut it, is made once more on one that has just answered.

use std::{borrow::Cow, time::SystemTime};

use async_trait::async_trait;
use graph::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, TaskWrite, earliest_id};
use sqlx::{
    Connection, PgConnection, PgPool, Postgres,
    migrate::{Migrate, MigrateError, Migrator},
    pool::PoolConnection,
};

use crate::columns::{WriteError, encode, encode_writes};
use statement::{IDLE_BATCH, Read, Row, Write};

mod statement;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

/// The migrations that this crate applied to the schema; other owners of its tables have records of
/// their own.
const RECORDS: &str = "orchestrator._checkpoint_migrations";

/// Keeps checkpoints in PostgreSQL. Cheap to clone.
///
/// It takes any text of up to two kilobytes as the id of a thread, and holds one of the pool's
/// connections during a call only.
#[derive(Debug, Clone)]
pub struct PostgresSaver {
    pool: PgPool,
    history: Option<u32>,
}

impl PostgresSaver {
    /// A saver on a [migrated](Self::migrate) database. It asks nothing of it yet.
    pub fn new(pool: PgPool) -> Self {
        Self {
            pool,
            history: None,
        }
    }

    /// Keeps this many checkpoints of each thread, at least one, older ones going as new ones come,
    /// in the same statement. Without this all are kept until they are pruned.
    #[must_use]
    pub fn with_history(mut self, keep: u32) -> Self {
        self.history = Some(keep.max(1));
        self
    }

    /// Creates the tables, or migrates them. Several processes may do so at once; they wait for
    /// each other.
    pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
        let mut migrator = Migrator {
            migrations: MIGRATIONS.migrations.clone(),
            ..Migrator::DEFAULT
        };
        migrator.dangerous_set_table_name(RECORDS);
        // A migration that fails leaves its lock with the session. A session of its own takes the
        // lock with it.
        let mut connection = PgConnection::connect_with(&pool.connect_options()).await?;
        let is_missing = sqlx::query_scalar!(
            r#"SELECT to_regnamespace('orchestrator') IS NULL AS "is_missing!""#
        )
        .fetch_one(&mut connection)
        .await?;
        if is_missing {
            // Asked for only then: it needs a privilege on the database that the schema's owner
            // need not have.
            migrator.create_schema("orchestrator");
        }
        // Not `run`, whose future the compiler cannot see to be `Send`.
        migrator.run_direct(None, &mut connection, false).await?;
        connection.close().await?;
        Ok(())
    }

    /// Whether the tables are as this program needs them.
    pub async fn is_migrated(pool: &PgPool) -> Result<bool, MigrateError> {
        let newest = MIGRATIONS.iter().map(|migration| migration.version);
        let mut connection = pool.acquire().await?;
        let applied = match connection.list_applied_migrations(RECORDS).await {
            Ok(applied) => applied,
            Err(MigrateError::Execute(error)) if is_missing(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        let applied = applied.iter().map(|migration| migration.version);
        Ok(applied.max() >= newest.max())
    }

    async fn read(&self, read: Read<'_>) -> Result<Vec<Row>, CheckpointError> {
        let first = match self.pool.acquire().await {
            Ok(mut connection) => read.run(&mut connection).await,
            Err(error) => Err(error),
        };
        let result = match first {
            Err(error) if is_broken(&error) => match self.living_connection(&error).await {
                Ok(mut connection) => read.run(&mut connection).await,
                Err(error) => Err(error),
            },
            other => other,
        };
        result.map_err(failed)
    }

    /// Says how many rows (of [`Write::DeleteIdle`]: threads) were changed.
    async fn write(&self, write: Write<'_>) -> Result<u64, CheckpointError> {
        let first = match self.pool.acquire().await {
            Ok(mut connection) => write.run(&mut connection).await,
            Err(error) => Err(error.into()),
        };
        let result = match first {
            Err(WriteError::Database(error)) if is_broken(&error) => {
                match self.living_connection(&error).await {
                    Ok(mut connection) => write.run(&mut connection).await,
                    Err(error) => Err(error.into()),
                }
            }
            other => other,
        };
        result.map_err(|error| match error {
            WriteError::Database(error) => failed(error),
            WriteError::Checkpoint(error) => error,
        })
    }

    /// A connection that has just answered, after one that was broken: the pool may hold more of
    /// them.
    async fn living_connection(
        &self,
        broken: &sqlx::Error,
    ) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        tracing::debug!(
            error = broken as &dyn std::error::Error,
            "a connection was broken; the call is made on another one"
        );
        let mut others = self.pool.options().get_max_connections();
        loop {
            let mut connection = self.pool.acquire().await?;
            match connection.ping().await {
                Ok(()) => return Ok(connection),
                Err(error) if others == 0 => return Err(error),
                // Detached, so that it does not come back.
                Err(_) => drop(connection.detach()),
            }
            others -= 1;
        }
    }
}

#[async_trait]
impl Checkpointer for PostgresSaver {
    async fn put(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let write = Write::Put {
            checkpoint,
            thread_id: &thread_key(&checkpoint.thread_id),
            next: encode(&checkpoint.next)?,
            writes: encode_writes(checkpoint.writes.clone())?,
            metadata: encode(&checkpoint.metadata)?,
            keep: self.history,
        };
        self.write(write).await.map(drop)
    }

    async fn put_writes(
        &self,
        thread_id: &str,
        id: CheckpointId,
        writes: &[TaskWrite],
    ) -> Result<(), CheckpointError> {
        let key = thread_key(thread_id);
        let write = Write::PutWrites {
            thread_id: &key,
            id,
            writes,
        };
        match self.write(write).await? {
            0 => Err(CheckpointError::NotFound {
                thread_id: thread_id.to_owned(),
                id,
            }),
            _ => Ok(()),
        }
    }

    async fn get(
        &self,
        thread_id: &str,
        id: Option<CheckpointId>,
    ) -> Result<Option<Checkpoint>, CheckpointError> {
        let key = thread_key(thread_id);
        let read = match id {
            None => Read::page(&key, 1, None),
            Some(id) => Read::One {
                thread_id: &key,
                id,
            },
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
        let key = thread_key(thread_id);
        let rows = self.read(Read::page(&key, limit, before)).await?;
        rows.into_iter()
            .map(|row| row.into_checkpoint(thread_id))
            .collect()
    }

    async fn delete_thread(&self, thread_id: &str) -> Result<(), CheckpointError> {
        let key = thread_key(thread_id);
        let write = Write::DeleteThread { thread_id: &key };
        self.write(write).await.map(drop)
    }

    async fn prune(&self, thread_id: &str, keep: u32) -> Result<u64, CheckpointError> {
        let key = thread_key(thread_id);
        let write = Write::Prune {
            thread_id: &key,
            keep,
        };
        self.write(write).await
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

/// A thread's id as PostgreSQL takes it, which has no NUL in its texts. Ids that have neither that
/// nor a backslash are themselves.
fn thread_key(thread_id: &str) -> Cow<'_, str> {
    if thread_id.contains(['\0', '\\']) {
        Cow::Owned(thread_id.replace('\\', "\\\\").replace('\0', "\\0"))
    } else {
        Cow::Borrowed(thread_id)
    }
}

/// Whether the connection went away, rather than the statement being refused: by its end, or by the
/// server's word (class 08, and 57P01 to 57P05: shut down, crashed, starting, dropped, idle for too
/// long).
fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        sqlx::Error::Database(error) => error
            .code()
            .is_some_and(|code| code.starts_with("08") || code.starts_with("57P")),
        _ => false,
    }
}

/// Whether the table or its schema does not exist.
fn is_missing(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .is_some_and(|code| code == "42P01" || code == "3F000")
}

fn failed(error: sqlx::Error) -> CheckpointError {
    match error {
        sqlx::Error::ColumnDecode { index, source } => {
            CheckpointError::corrupt(format!("column {index}"), source)
        }
        error => CheckpointError::unavailable(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_threads_differ_when_their_ids_do_and_hold_no_nul() {
        assert_eq!(thread_key("0193-ab 日本"), Cow::Borrowed("0193-ab 日本"));
        let keys = ["\0", "\\0", "\\", "\\\\", "\\\0", "0"].map(thread_key);
        for (n, key) in keys.iter().enumerate() {
            assert!(!key.contains('\0'));
            assert!(!keys[..n].contains(key), "{key}");
        }
    }

    #[test]
    fn only_broken_connections_are_worth_another_one() {
        let gone = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        assert!(is_broken(&sqlx::Error::Io(gone)));
        assert!(!is_broken(&sqlx::Error::PoolTimedOut));
        assert!(!is_broken(&sqlx::Error::RowNotFound));
    }
}
