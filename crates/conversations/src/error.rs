//! What can go wrong with stored conversations.

use uuid::Uuid;

/// Why the store could not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing, or it is not the owner's.
    #[error("not found")]
    NotFound,
    /// The thread exists already.
    #[error("the thread exists already")]
    Exists,
    /// Another run has the thread.
    #[error("the thread is busy with run {run_id}")]
    Busy {
        /// The run that has it, or the first that waits for it.
        run_id: Uuid,
    },
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// The input cannot be stored or understood; the text says what about it.
    #[error("{0}")]
    Invalid(&'static str),
    /// The run is not this worker's any more: its lease was lost, or it has ended.
    #[error("the run is not this worker's any more")]
    LostFence,
    /// The database cannot be reached, or is too busy. Asking again later may help.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),
    /// The database refused what it should not have refused.
    #[error("the database failed")]
    Database(#[source] sqlx::Error),
}

/// Codes of PostgreSQL that mean "not now": connection, resources, operator intervention, rollback,
/// not in the state for it (a lock that is not to be had, a database that takes no connections).
const PASSING: [&str; 5] = ["08", "53", "57", "40", "55"];
/// A text with a character that PostgreSQL cannot store: NUL, in `jsonb` and in `text`.
const NOT_STORABLE: [&str; 2] = ["22P05", "22021"];
/// A limit of PostgreSQL: a name or key that is too long for its index.
const TOO_LONG: &str = "54000";

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::RowNotFound => Self::NotFound,
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(error),
            sqlx::Error::Database(database) => match database.code().as_deref() {
                Some(code) if NOT_STORABLE.contains(&code) => {
                    Self::Invalid("a text holds a character that cannot be stored")
                }
                Some(TOO_LONG) => Self::Invalid("a name or key is too long"),
                Some(code) if PASSING.iter().any(|class| code.starts_with(class)) => {
                    Self::Unavailable(error)
                }
                _ => Self::Database(error),
            },
            _ => Self::Database(error),
        }
    }
}
