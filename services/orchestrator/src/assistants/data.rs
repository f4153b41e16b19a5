//! The data assistant behind the trait.

use std::sync::Arc;

use agent_data::{DataAssistant, DataThread, TurnInput};
use async_trait::async_trait;
use contracts::data_overview::DataOverview;
use contracts::run::RunEvent;
use conversations::Owner;
use futures::StreamExt;
use futures::stream::BoxStream;
use llm::Models;
use serde_json::json;

use super::model_choice::Chosen;
use super::past::past;
use super::{Assistant, Introduction, Remembered, StateError, Turn, introductions};
use crate::callers_tools::{CallersTools, Toolbox};

/// Answers questions about databases and documents.
pub(crate) struct Data {
    assistant: DataAssistant,
    tools: Arc<Toolbox>,
    models: Option<Models>,
}

impl Data {
    pub(crate) fn new(
        assistant: DataAssistant,
        tools: Arc<Toolbox>,
        models: Option<Models>,
    ) -> Self {
        Self {
            assistant,
            tools,
            models,
        }
    }
}

#[async_trait]
impl Assistant for Data {
    fn name(&self) -> &'static str {
        "data"
    }

    fn introduction(&self, data: Option<&DataOverview>) -> Introduction {
        introductions::data(data)
    }

    /// Its tools read, save for one that keeps a question, which is kept once however often it is; and a turn is stored in the thread as a
    /// whole or not at all.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// Only a model reads it; the rules have the thread's state.
    fn reads_history(&self) -> bool {
        self.models.is_some()
    }

    /// Its context may name the target database.
    fn reads_thread(&self) -> bool {
        true
    }

    fn run(&self, turn: Turn) -> BoxStream<'static, RunEvent> {
        let assistant = self.assistant.clone().with_target(turn.target);
        let chosen = Chosen::of(self.models.as_ref(), &turn.wishes);
        let again = turn.again;
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
        _owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError> {
        let thread = self.assistant.thread(thread_key).await?;
        Ok(thread.as_ref().map(remembered))
    }
}

/// What it remembers, in the words of document 002.
fn remembered(thread: &DataThread) -> Remembered {
    Remembered {
        asks: thread.pending.is_some() || thread.choice.is_some(),
        values: json!({
            "route": thread.state.route,
            "queries": thread.state.queries,
            "confirmable": thread.state.confirmable,
            "pending_plan": thread.pending,
            "pending_target": thread.choice,
        }),
    }
}
