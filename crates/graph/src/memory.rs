//! A checkpointer that keeps everything in the process.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use async_trait::async_trait;

use crate::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, TaskWrite, earliest_id};

/// Keeps checkpoints in memory: for tests, and for programs whose threads need not outlive them.
///
/// It grows until something is [pruned](Checkpointer::prune) or deleted.
#[derive(Debug, Default)]
pub struct MemorySaver {
    threads: Mutex<HashMap<Arc<str>, Thread>>,
}

type Thread = BTreeMap<CheckpointId, Checkpoint>;

impl MemorySaver {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn threads(&self) -> MutexGuard<'_, HashMap<Arc<str>, Thread>> {
        // No code below leaves the map half changed, so a poisoned lock is safe to use.
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Checkpointer for MemorySaver {
    async fn put(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let mut checkpoint = checkpoint.clone();
        checkpoint.writes.sort_by_key(|write| write.task);
        let mut threads = self.threads();
        threads
            .entry(checkpoint.thread_id.clone())
            .or_default()
            .insert(checkpoint.id, checkpoint);
        Ok(())
    }

    async fn put_writes(
        &self,
        thread_id: &str,
        id: CheckpointId,
        writes: &[TaskWrite],
    ) -> Result<(), CheckpointError> {
        let mut threads = self.threads();
        let Some(checkpoint) = threads
            .get_mut(thread_id)
            .and_then(|thread| thread.get_mut(&id))
        else {
            return Err(CheckpointError::NotFound {
                thread_id: thread_id.to_owned(),
                id,
            });
        };
        for write in writes {
            match checkpoint
                .writes
                .binary_search_by_key(&write.task, |stored| stored.task)
            {
                Ok(at) => checkpoint.writes[at] = write.clone(),
                Err(at) => checkpoint.writes.insert(at, write.clone()),
            }
        }
        Ok(())
    }

    async fn get(
        &self,
        thread_id: &str,
        id: Option<CheckpointId>,
    ) -> Result<Option<Checkpoint>, CheckpointError> {
        let threads = self.threads();
        let Some(thread) = threads.get(thread_id) else {
            return Ok(None);
        };
        Ok(match id {
            Some(id) => thread.get(&id).cloned(),
            None => thread.last_key_value().map(|(_, newest)| newest.clone()),
        })
    }

    async fn list(
        &self,
        thread_id: &str,
        limit: u32,
        before: Option<CheckpointId>,
    ) -> Result<Vec<Checkpoint>, CheckpointError> {
        let threads = self.threads();
        let Some(thread) = threads.get(thread_id) else {
            return Ok(Vec::new());
        };
        let newest_first = thread.values().rev();
        let older =
            newest_first.filter(|checkpoint| before.is_none_or(|before| checkpoint.id < before));
        Ok(older.take(limit as usize).cloned().collect())
    }

    async fn delete_thread(&self, thread_id: &str) -> Result<(), CheckpointError> {
        self.threads().remove(thread_id);
        Ok(())
    }

    async fn prune(&self, thread_id: &str, keep: u32) -> Result<u64, CheckpointError> {
        let mut threads = self.threads();
        let Some(thread) = threads.get_mut(thread_id) else {
            return Ok(0);
        };
        let mut removed = 0;
        while thread.len() > keep as usize {
            thread.pop_first();
            removed += 1;
        }
        if thread.is_empty() {
            threads.remove(thread_id);
        }
        Ok(removed)
    }

    async fn delete_idle(&self, before: SystemTime) -> Result<u64, CheckpointError> {
        let before = earliest_id(before);
        let mut threads = self.threads();
        let there = threads.len();
        threads.retain(|_, thread| {
            thread
                .last_key_value()
                .is_some_and(|(newest, _)| *newest >= before)
        });
        Ok((there - threads.len()) as u64)
    }
}
