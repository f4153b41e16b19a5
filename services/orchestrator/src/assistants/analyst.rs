//! The analyst's memory in the database: lists, attempts and queries.

mod told;

use analyst_memory::AnalystStore;
use async_trait::async_trait;
use conversations::Owner;
use uuid::Uuid;

use super::hosted::ThreadMemory;
use super::{Remembered, StateError};

#[async_trait]
impl ThreadMemory for AnalystStore {
    async fn state(
        &self,
        owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError> {
        let thread_id = Uuid::parse_str(thread_key)?;
        let memory = self.memory(owner, thread_id, told::NEWEST).await?;
        Ok(told::remembered(memory)?)
    }

    async fn asks(&self, owner: &Owner, thread_key: &str) -> Result<bool, StateError> {
        let thread_id = Uuid::parse_str(thread_key)?;
        let question = self.open_question(owner, thread_id).await?;
        Ok(question.is_some())
    }

    async fn copy(&self, from: Uuid, to: Uuid) -> Result<(), StateError> {
        Ok(AnalystStore::copy(self, from, to).await?)
    }
}
