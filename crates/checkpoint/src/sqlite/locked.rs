//! A file that is locked, and other failures.

use std::time::Duration;

use graph::CheckpointError;

use super::SqliteOptions;

/// `SQLITE_BUSY`: another connection has the file's lock.
const BUSY: i32 = 5;
/// `SQLITE_LOCKED`: another connection has the table's lock.
const LOCKED: i32 = 6;
/// `SQLITE_CORRUPT`: the file is damaged.
const CORRUPT: i32 = 11;
/// `SQLITE_NOTADB`: the file is something else.
const NOT_A_DATABASE: i32 = 26;

/// The attempts that a call has.
pub(super) struct Backoff {
    left: u32,
    delay: Duration,
}

impl Backoff {
    pub(super) fn new(options: &SqliteOptions) -> Self {
        Self {
            left: options.retry_attempts.saturating_sub(1),
            delay: options.retry_delay,
        }
    }

    /// Whether there is another attempt after one that ended so; when there is, it is time for it.
    pub(super) async fn another_attempt(&mut self, error: &sqlx::Error) -> bool {
        if self.left == 0 || !matches!(code(error), Some(BUSY | LOCKED)) {
            return false;
        }
        tracing::debug!(
            left = self.left,
            delay = ?self.delay,
            "the checkpoint file is locked; the call is tried again"
        );
        tokio::time::sleep(self.delay).await;
        self.left -= 1;
        self.delay = self.delay.saturating_mul(2);
        true
    }
}

/// The error for a call that ended with this SQLite error.
pub(super) fn failed(error: sqlx::Error) -> CheckpointError {
    match (code(&error), error) {
        (_, sqlx::Error::ColumnDecode { index, source }) => {
            CheckpointError::corrupt(format!("column {index}"), source)
        }
        (Some(CORRUPT | NOT_A_DATABASE), error) => CheckpointError::corrupt("the file", error),
        (_, error) => CheckpointError::unavailable(error),
    }
}

/// SQLite's primary result code: the low byte of the extended one.
fn code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error()?.code()?;
    Some(code.parse::<i32>().ok()? & 0xff)
}
