//! The analyst's memory in the database: lists, attempts and queries.

mod memory;
mod told;

use std::sync::Arc;

use agent_analyst::{Memories, Memory};
use agent_kit::TurnInput;
use async_trait::async_trait;
use conversations::{Fence, Owner, Store};
use uuid::Uuid;

use super::hosted::ThreadMemory;
use super::{Remembered, StateError};
use memory::RunMemory;

/// The memory of all threads of the analyst.
pub(crate) struct AnalystMemory(pub(crate) Store);

impl Memories for AnalystMemory {
    fn of(&self, turn: &TurnInput) -> Arc<dyn Memory> {
        let fence = Fence {
            run_id: Uuid::parse_str(&turn.run_id).unwrap_or_default(),
            worker: turn.attempt.worker.unwrap_or_default(),
            attempt: i32::try_from(turn.attempt.number).unwrap_or(i32::MAX),
        };
        Arc::new(RunMemory::new(self.0.clone(), fence))
    }
}

#[async_trait]
impl ThreadMemory for AnalystMemory {
    async fn state(
        &self,
        owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError> {
        let thread_id = Uuid::parse_str(thread_key)?;
        let memory = self.0.memory(owner, thread_id, told::NEWEST).await?;
        Ok(told::remembered(memory)?)
    }

    async fn asks(&self, owner: &Owner, thread_key: &str) -> Result<bool, StateError> {
        let thread_id = Uuid::parse_str(thread_key)?;
        let question = self.0.open_question(owner, thread_id).await?;
        Ok(question.is_some())
    }
}
