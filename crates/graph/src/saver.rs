//! Storing the checkpoints of a run: when, and what happens when that fails.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Durability, NextTask, State,
    StreamItem, StreamModes, TaskWrite, Warning, compiled::IdSource, task::Listener,
};

/// Stores the checkpoints of a run. After the first failure it stores nothing more: the run
/// continues without.
pub(crate) struct Saver<S: State> {
    store: Option<Store>,
    listener: Option<Listener<S>>,
    /// The checkpoint that the run is at.
    current: CheckpointId,
    /// The newest that is stored, or being stored.
    stored: Option<CheckpointId>,
}

pub(crate) struct Store {
    pub(crate) checkpointer: Arc<dyn Checkpointer>,
    pub(crate) thread_id: Arc<str>,
    pub(crate) ids: IdSource,
    pub(crate) durability: Durability,
    pub(crate) timeout: Duration,
    pub(crate) metadata: Map<String, Value>,
}

/// The result of storing a checkpoint, with its id and step.
pub(crate) struct Saved {
    id: CheckpointId,
    step: u32,
    result: Result<(), CheckpointError>,
}

pub(crate) type Saving = BoxFuture<'static, Saved>;

/// The position of a run between two supersteps.
pub(crate) struct Position<'a, S> {
    pub(crate) step: u32,
    pub(crate) state: &'a S,
    pub(crate) next: Vec<NextTask>,
}

impl<S: State> Saver<S> {
    /// `stored` is the checkpoint that the run begins from.
    pub(crate) fn new(
        store: Option<Store>,
        listener: Option<Listener<S>>,
        stored: Option<CheckpointId>,
    ) -> Self {
        Self {
            store,
            listener,
            current: stored.unwrap_or(Uuid::nil()),
            stored,
        }
    }

    /// The checkpoint that the run is at; nil when it has none.
    pub(crate) fn current(&self) -> CheckpointId {
        self.current
    }

    /// Whether positions are worth describing.
    pub(crate) fn is_active(&self) -> bool {
        self.store.is_some()
    }

    /// The run has come to a new position between two supersteps. What is returned is still being
    /// stored, and has to be awaited and [noted](Self::note) before the next position.
    pub(crate) async fn advance(&mut self, position: Position<'_, S>) -> Option<Saving> {
        let store = self.store.as_ref()?;
        let parent = self.stored;
        self.current = successor((store.ids)(), parent.max(Some(self.current)));
        if store.durability == Durability::Exit {
            return None;
        }
        let saving = store.save(self.current, parent, position, Vec::new());
        self.stored = Some(self.current);
        if store.durability == Durability::Async {
            return Some(saving);
        }
        let saved = saving.await;
        self.note(saved).await;
        None
    }

    /// Takes note of the result of a checkpoint.
    pub(crate) async fn note(&mut self, saved: Saved) {
        let Saved { id, step, result } = saved;
        let listener = self.listener.as_ref();
        match result {
            Ok(()) => {
                if let Some(listener) =
                    listener.filter(|listener| listener.modes.contains(StreamModes::CHECKPOINTS))
                {
                    listener.send(StreamItem::Checkpoint { id, step }).await;
                }
            }
            Err(error) => {
                self.store = None;
                tracing::warn!(%id, error = &error as &dyn std::error::Error, "a checkpoint could not be stored; the run goes on without");
                if let Some(listener) = listener {
                    listener
                        .send(StreamItem::Warning(Warning::CheckpointFailed { error }))
                        .await;
                }
            }
        }
    }

    /// The run ends here: stores what is not stored yet, with what is known of unfinished tasks.
    pub(crate) async fn close(
        &mut self,
        position: Position<'_, S>,
        writes: Result<Vec<TaskWrite>, CheckpointError>,
    ) {
        let Some(store) = &self.store else { return };
        let (id, step) = (self.current, position.step);
        let saved = match writes {
            Err(error) => Saved {
                id,
                step,
                result: Err(error),
            },
            Ok(writes) if self.stored != Some(id) => {
                store.save(id, self.stored, position, writes).await
            }
            Ok(writes) if writes.is_empty() => return,
            Ok(writes) => {
                let put = store.checkpointer.put_writes(&store.thread_id, id, &writes);
                Saved {
                    id,
                    step,
                    result: within(store.timeout, put).await,
                }
            }
        };
        self.stored = Some(id);
        self.note(saved).await;
    }
}

impl Store {
    fn save<S: State>(
        &self,
        id: CheckpointId,
        parent_id: Option<CheckpointId>,
        position: Position<'_, S>,
        writes: Vec<TaskWrite>,
    ) -> Saving {
        let (checkpointer, timeout) = (Arc::clone(&self.checkpointer), self.timeout);
        let Position { step, state, next } = position;
        let checkpoint = serde_json::to_vec(state).map(|state| Checkpoint {
            thread_id: Arc::clone(&self.thread_id),
            id,
            parent_id,
            step,
            state,
            next,
            writes,
            metadata: self.metadata.clone(),
        });
        Box::pin(async move {
            let result = match checkpoint {
                Ok(checkpoint) => within(timeout, checkpointer.put(&checkpoint)).await,
                Err(source) => Err(CheckpointError::Serialize { source }),
            };
            Saved { id, step, result }
        })
    }
}

pub(crate) async fn within<T>(
    timeout: Duration,
    call: impl Future<Output = Result<T, CheckpointError>>,
) -> Result<T, CheckpointError> {
    match tokio::time::timeout(timeout, call).await {
        Ok(result) => result,
        Err(_) => Err(CheckpointError::TimedOut { after: timeout }),
    }
}

/// The id, or the successor of the one before it when a clock went back.
fn successor(id: CheckpointId, before: Option<CheckpointId>) -> CheckpointId {
    match before {
        Some(before) if id <= before => Uuid::from_u128(before.as_u128().wrapping_add(1)),
        _ => id,
    }
}
