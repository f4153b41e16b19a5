//! Checkpoints, and the small interface of the stores that keep them.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{BoxError, Interrupt, Targets};

/// Names a checkpoint: a UUID of version 7, so that ids sort by time of creation.
pub type CheckpointId = Uuid;

/// A thread's state between two supersteps, and all that is needed to continue from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The thread; ids are the caller's and may be any text.
    pub thread_id: Arc<str>,
    /// This checkpoint. Greater than its parent's id.
    pub id: CheckpointId,
    /// The checkpoint that this one follows; `None` for the first of a thread.
    pub parent_id: Option<CheckpointId>,
    /// Number of supersteps that the thread has behind it.
    pub step: u32,
    /// The state as JSON; a store need not look inside.
    pub state: Vec<u8>,
    /// The tasks of the next superstep, in order; empty when the run is over.
    pub next: Vec<NextTask>,
    /// Results of tasks of the next superstep that ran already, by index in `next`.
    pub writes: Vec<TaskWrite>,
    /// Data by which the caller finds the checkpoint again, see
    /// [`RunConfig::metadata`](crate::RunConfig::metadata).
    pub metadata: Map<String, Value>,
}

impl Checkpoint {
    /// When it was made, from its id.
    pub fn created_at(&self) -> SystemTime {
        created_at(self.id)
    }

    /// The questions that the thread waits on.
    pub fn interrupts(&self) -> impl Iterator<Item = &Interrupt> {
        self.writes.iter().filter_map(|write| match &write.record {
            TaskRecord::Waiting { interrupt, .. } => interrupt.as_ref(),
            TaskRecord::Finished { .. } => None,
        })
    }
}

/// The smallest id of a checkpoint that is created at this time, or later; see
/// [`Checkpointer::delete_idle`].
pub fn earliest_id(time: SystemTime) -> CheckpointId {
    let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH);
    let millis = since_epoch.map_or(0, |since| since.as_millis());
    // Version and variant, with zeros for what is random.
    Uuid::from_u128((millis << 80) | (0x7 << 76) | (0b10 << 62))
}

pub(crate) fn created_at(id: CheckpointId) -> SystemTime {
    let since_epoch = id.get_timestamp().map_or(Duration::ZERO, |stamp| {
        let (seconds, nanos) = stamp.to_unix();
        Duration::new(seconds, nanos)
    });
    SystemTime::UNIX_EPOCH + since_epoch
}

/// A task that a checkpoint has scheduled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextTask {
    /// The node, with the names of its subgraphs before it.
    pub node: Arc<str>,
    /// Its input, when it was [sent](crate::Target::send) one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
}

/// A pending write: what is known of a task whose superstep is not complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskWrite {
    /// The task's index in [`Checkpoint::next`].
    pub task: u32,
    /// The result so far.
    pub record: TaskRecord,
}

/// The result so far of a task whose superstep is not complete, because a sibling failed or a task
/// waits for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum TaskRecord {
    /// It finished, and will not run again.
    Finished {
        /// Its updates, which are not yet in the state.
        updates: Vec<Value>,
        /// The targets, unless it follows its edges.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        goto: Option<Targets>,
    },
    /// It runs again, with the answers that there are so far.
    Waiting {
        /// The question that it waits on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interrupt: Option<Interrupt>,
        /// Answers given before, by key.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        answers: BTreeMap<String, Value>,
    },
}

/// A store of checkpoints.
///
/// Implementations must pass the suite in `graph::conformance` (feature `conformance`). Threads are
/// single-writer: the caller sees to it that at most one run is active on a thread. Calls for
/// different threads come concurrently.
#[async_trait]
pub trait Checkpointer: Send + Sync + 'static {
    /// Stores a checkpoint with its pending writes, all or nothing. Storing an id again replaces
    /// it.
    async fn put(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError>;

    /// Adds pending writes to a stored checkpoint, all or nothing, replacing those of the same
    /// tasks.
    async fn put_writes(
        &self,
        thread_id: &str,
        id: CheckpointId,
        writes: &[TaskWrite],
    ) -> Result<(), CheckpointError>;

    /// The checkpoint with this id, or the thread's newest, with its pending writes in order of
    /// task.
    async fn get(
        &self,
        thread_id: &str,
        id: Option<CheckpointId>,
    ) -> Result<Option<Checkpoint>, CheckpointError>;

    /// The thread's checkpoints, newest first: at most `limit`, and only those older than `before`.
    async fn list(
        &self,
        thread_id: &str,
        limit: u32,
        before: Option<CheckpointId>,
    ) -> Result<Vec<Checkpoint>, CheckpointError>;

    /// Deletes the thread. A missing thread is not an error.
    async fn delete_thread(&self, thread_id: &str) -> Result<(), CheckpointError>;

    /// Forgets all but the newest `keep` checkpoints of the thread, and says how many went.
    async fn prune(&self, thread_id: &str, keep: u32) -> Result<u64, CheckpointError>;

    /// Forgets the threads whose newest checkpoint was [made](Checkpoint::created_at) before this
    /// time, to the millisecond, and says how many went. A thread that gets a checkpoint in the
    /// meantime keeps it.
    async fn delete_idle(&self, before: SystemTime) -> Result<u64, CheckpointError>;
}

/// Why a checkpoint could not be stored or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The store cannot be reached or refuses; trying later may help.
    #[error("the checkpoint store is unavailable")]
    Unavailable {
        /// The store's error.
        source: BoxError,
    },
    /// The store did not answer in time.
    #[error("the checkpoint store did not answer within {after:?}")]
    TimedOut {
        /// Time that it was given.
        after: Duration,
    },
    /// The stored data cannot be read.
    #[error("a stored checkpoint is unreadable: {detail}")]
    Corrupt {
        /// Which, and which part of it.
        detail: String,
        /// The error of the decoder.
        source: BoxError,
    },
    /// The state or an update cannot be written as JSON.
    #[error("the state cannot be serialized")]
    Serialize {
        /// The serializer's error.
        source: serde_json::Error,
    },
    /// Pending writes were put to a checkpoint that is not stored.
    #[error("there is no checkpoint {id} in thread `{thread_id}`")]
    NotFound {
        /// The thread.
        thread_id: String,
        /// The checkpoint.
        id: CheckpointId,
    },
}

impl CheckpointError {
    /// [`CheckpointError::Unavailable`] with its cause.
    pub fn unavailable(source: impl Into<BoxError>) -> Self {
        Self::Unavailable {
            source: source.into(),
        }
    }

    /// [`CheckpointError::Corrupt`] with its cause.
    pub fn corrupt(detail: impl Into<String>, source: impl Into<BoxError>) -> Self {
        Self::Corrupt {
            detail: detail.into(),
            source: source.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_id_of_a_time_is_of_that_time_and_before_all_others() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_123);
        let id = earliest_id(time);
        assert_eq!((created_at(id), id.get_version_num()), (time, 7));
        let later = Uuid::now_v7();
        assert!(id < later);
        assert!(earliest_id(created_at(later)) <= later);
        assert!(later < earliest_id(created_at(later) + Duration::from_millis(1)));
        let before_the_epoch = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(
            earliest_id(before_the_epoch),
            earliest_id(SystemTime::UNIX_EPOCH)
        );
    }
}
