//! Conversion of a row's columns, in any of the stores.

use graph::{CheckpointError, CheckpointId, TaskWrite};
use serde::{Serialize, de::DeserializeOwned};

/// JSON for a column. It holds no NUL: strings have theirs escaped.
pub(crate) fn encode(value: &impl Serialize) -> Result<String, CheckpointError> {
    serde_json::to_string(value).map_err(|source| CheckpointError::Serialize { source })
}

/// Decodes a column of this checkpoint.
pub(crate) fn decode<T: DeserializeOwned>(
    id: CheckpointId,
    column: &str,
    json: &str,
) -> Result<T, CheckpointError> {
    serde_json::from_str(json)
        .map_err(|error| CheckpointError::corrupt(format!("{column} of {id}"), error))
}

/// Writes for a column: in order of task.
pub(crate) fn encode_writes(mut writes: Vec<TaskWrite>) -> Result<String, CheckpointError> {
    writes.sort_by_key(|write| write.task);
    encode(&writes)
}

/// The stored writes of this checkpoint with new ones, which replace those of the same tasks.
pub(crate) fn merge_writes(
    id: CheckpointId,
    stored: &str,
    new: &[TaskWrite],
) -> Result<String, CheckpointError> {
    let mut merged: Vec<TaskWrite> = decode(id, "writes", stored)?;
    merged.retain(|old| new.iter().all(|new| new.task != old.task));
    merged.extend_from_slice(new);
    encode_writes(merged)
}

/// Why a write failed: the database, which may be worth another try, or what was to be written or
/// was found there.
pub(crate) enum WriteError {
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
