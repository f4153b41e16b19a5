//! The memory of one run: it reads its thread's memory, and its writes are fenced.

use std::sync::Arc;

use agent_analyst::{KeptQuery, Memories, Memory, MemoryError, Recollection, Record};
use agent_kit::TurnInput;
use async_trait::async_trait;
use conversations::{Error, Fence};
use uuid::Uuid;

use crate::store::AnalystStore;

impl Memories for AnalystStore {
    fn of(&self, turn: &TurnInput) -> Arc<dyn Memory> {
        let fence = Fence {
            run_id: Uuid::parse_str(&turn.run_id).unwrap_or_default(),
            worker: turn.attempt.worker.unwrap_or_default(),
            attempt: i32::try_from(turn.attempt.number).unwrap_or(i32::MAX),
        };
        Arc::new(RunMemory {
            store: self.clone(),
            fence,
        })
    }
}

/// The memory for a run.
struct RunMemory {
    store: AnalystStore,
    fence: Fence,
}

#[async_trait]
impl Memory for RunMemory {
    /// Of the run's own thread, whatever the key.
    async fn recall(
        &self,
        _thread_key: &str,
        _run_id: &str,
        turns: u32,
    ) -> Result<Recollection, MemoryError> {
        let recalled = self.store.recall(self.fence, turns).await;
        recalled.map_err(failure)
    }

    async fn record(&self, _thread_key: &str, record: Record) -> Result<u32, MemoryError> {
        let recorded = self.store.record(self.fence, &record).await;
        recorded.map_err(failure)
    }

    async fn query(
        &self,
        thread_key: &str,
        turn_id: Option<u32>,
    ) -> Result<Option<KeptQuery>, MemoryError> {
        let thread_id = Uuid::parse_str(thread_key);
        let thread_id = thread_id.map_err(|error| MemoryError::Failed(error.into()))?;
        let kept = self.store.remembered_query(thread_id, turn_id).await;
        kept.map_err(failure)
    }
}

fn failure(error: Error) -> MemoryError {
    match error {
        Error::LostFence | Error::NotFound => MemoryError::Lost,
        Error::Unavailable(_) => MemoryError::Unavailable(error.into()),
        other => MemoryError::Failed(other.into()),
    }
}
