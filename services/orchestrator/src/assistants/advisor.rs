//! The advisor behind the trait.

use std::sync::Arc;

use agent_advisor::{AdvisorAssistant, TurnInput};
use async_trait::async_trait;
use contracts::data_overview::DataOverview;
use contracts::run::RunEvent;
use contracts::tools::upstreams::CredentialStatus;
use conversations::Owner;
use futures::StreamExt;
use futures::stream::BoxStream;
use llm::Models;
use serde_json::{Value, json};

use super::model_choice::Chosen;
use super::past::past;
use super::{Assistant, Input, Introduction, Remembered, StateError, Turn, introductions};
use crate::callers_tools::{CallersTools, Toolbox};
use crate::delegation::Credentials;

/// Answers from documents, and from an upstream with the person's own rights.
pub(crate) struct Advisor {
    assistant: AdvisorAssistant,
    tools: Arc<Toolbox>,
    models: Option<Models>,
}

impl Advisor {
    pub(crate) fn new(
        assistant: AdvisorAssistant,
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
impl Assistant for Advisor {
    fn name(&self) -> &'static str {
        "advisor"
    }

    fn introduction(&self, data: Option<&DataOverview>) -> Introduction {
        introductions::advisor(data)
    }

    /// Its tools only read.
    fn is_repeatable(&self) -> bool {
        true
    }

    fn reads_history(&self) -> bool {
        self.models.is_some()
    }

    /// For the inventory that it is about.
    fn reads_thread(&self) -> bool {
        true
    }

    fn run(&self, turn: Turn) -> BoxStream<'static, RunEvent> {
        let chosen = Chosen::of(self.models.as_ref(), &turn.model_options);
        let again = turn.again;
        let input = TurnInput {
            thread_id: turn.thread_id,
            thread_key: Some(turn.thread_key),
            run_id: turn.run_id,
            message_id: turn.message_id,
            message: match turn.input {
                Input::Text { text } => text,
                Input::Selection { output, .. } => words(&output),
            },
            inventory_id: turn.inventory_id,
            now: turn.now,
            tools: Arc::new(CallersTools::new(Arc::clone(&self.tools), turn.caller)),
            credentials: Arc::new(Ensured(turn.credentials)),
            model: chosen.model.clone(),
            history: past(&turn.history),
            cancellation: turn.cancellation,
        };
        let events = if again {
            self.assistant.run_again(input).boxed()
        } else {
            self.assistant.run(input).boxed()
        };
        chosen.announced(events)
    }

    async fn state(
        &self,
        _owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError> {
        let state = self.assistant.thread(thread_key).await?;
        Ok(state.map(|state| Remembered {
            values: json!({ "sources": state.sources }),
            asks: false,
        }))
    }
}

/// A chosen value in words: it asks nothing, but a client may send one.
fn words(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The person's credential, as the advisor wants it.
struct Ensured(Credentials);

#[async_trait]
impl agent_advisor::Credentials for Ensured {
    async fn ensure(&self) -> Option<CredentialStatus> {
        self.0.ensure().await
    }
}
