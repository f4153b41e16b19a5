//! The analyst behind the trait.

mod memory;
mod told;

use std::sync::Arc;

use agent_analyst::{AnalystAssistant, TurnInput};
use async_trait::async_trait;
use contracts::data_overview::DataOverview;
use contracts::run::RunEvent;
use conversations::{Owner, Store};
use futures::StreamExt;
use futures::stream::BoxStream;
use llm::Models;
use uuid::Uuid;

use super::model_choice::Chosen;
use super::past::past;
use super::{Assistant, Introduction, Remembered, StateError, Turn, introductions};
use crate::callers_tools::{CallersTools, Toolbox};
use memory::RunMemory;

/// Plans, asks back, remembers and analyses. What it remembers is in the database: lists, attempts and queries.
pub(crate) struct Analyst {
    assistant: AnalystAssistant,
    store: Store,
    tools: Arc<Toolbox>,
    models: Option<Models>,
}

impl Analyst {
    pub(crate) fn new(
        assistant: AnalystAssistant,
        store: Store,
        tools: Arc<Toolbox>,
        models: Option<Models>,
    ) -> Self {
        Self {
            assistant,
            store,
            tools,
            models,
        }
    }
}

#[async_trait]
impl Assistant for Analyst {
    fn name(&self) -> &'static str {
        "analyst"
    }

    fn introduction(&self, data: Option<&DataOverview>) -> Introduction {
        introductions::analyst(data)
    }

    /// Its tools read, and what it has recorded it does not do again.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// Only a model reads it; the rules have the memory.
    fn reads_history(&self) -> bool {
        self.models.is_some()
    }

    fn run(&self, turn: Turn) -> BoxStream<'static, RunEvent> {
        let chosen = Chosen::of(self.models.as_ref(), &turn.wishes);
        let again = turn.again;
        let memory = RunMemory::new(self.store.clone(), turn.fence);
        let assistant = self.assistant.clone().with_memory(Arc::new(memory));
        let tools = Arc::new(CallersTools::new(Arc::clone(&self.tools), turn.caller));
        let input = TurnInput {
            thread_id: turn.thread_id,
            thread_key: Some(turn.thread_key),
            message_id: turn.message_id,
            model: chosen.model.clone(),
            history: past(&turn.history),
            cancellation: turn.cancellation,
            ..TurnInput::new(turn.run_id, turn.input, turn.now, tools)
        };
        let events = if again {
            assistant.run_again(input).boxed()
        } else {
            assistant.run(input).boxed()
        };
        chosen.announced(events)
    }

    async fn state(
        &self,
        owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError> {
        let thread_id = Uuid::parse_str(thread_key)?;
        let memory = self.store.memory(owner, thread_id, told::NEWEST).await?;
        Ok(told::remembered(memory)?)
    }

    async fn asks(&self, owner: &Owner, thread_key: &str) -> Result<bool, StateError> {
        let thread_id = Uuid::parse_str(thread_key)?;
        let question = self.store.open_question(owner, thread_id).await?;
        Ok(question.is_some())
    }
}
