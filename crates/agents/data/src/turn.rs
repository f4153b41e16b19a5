//! One turn of a conversation: what comes in, and what the nodes of its run share.

use std::sync::Arc;

use agent_kit::{PastMessage, Performance, Tools};
use chrono::{DateTime, Utc};
use llm::ChatModel;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::DataOptions;

/// What a turn is given. Everything in it is this turn's own: the assistant itself holds nothing of any person.
pub struct TurnInput {
    /// The thread, as its owner names it; it is told back in [`contracts::run::RunEvent::Started`].
    pub thread_id: String,
    /// The thread's key in the checkpointer: unique over all owners. `None` runs without memory.
    pub thread_key: Option<Arc<str>>,
    /// The run. Ids of calls and text blocks are made from it, so it has to be unique and of `[A-Za-z0-9_-]`.
    pub run_id: String,
    /// The message that the run writes.
    pub message_id: String,
    /// What the person sent.
    pub message: UserInput,
    /// The time of the turn.
    pub now: DateTime<Utc>,
    /// The tools, with the person's identity.
    pub tools: Arc<dyn Tools>,
    /// The model; `None` answers by rules alone.
    pub model: Option<Arc<dyn ChatModel>>,
    /// What was said before in the thread, oldest first, without this turn's message. Only a model reads it.
    pub history: Vec<PastMessage>,
    /// Stops the run.
    pub cancellation: CancellationToken,
}

/// What the person sent.
#[derive(Debug, Clone, PartialEq)]
pub enum UserInput {
    /// A message.
    Text(String),
    /// The answer to a picker as a value: AI SDK clients' `addToolOutput`.
    SelectionOutput {
        /// The picker's call.
        call_id: String,
        /// A value, or an object that holds one as `selection` or `value`.
        output: Value,
    },
}

impl UserInput {
    /// The words, or the chosen value.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Text(text) => text.trim().to_owned(),
            Self::SelectionOutput { output, .. } => chosen(output),
        }
    }
}

fn chosen(output: &Value) -> String {
    match output {
        Value::String(text) => text.trim().to_owned(),
        Value::Object(members) => ["selection", "value"]
            .iter()
            .find_map(|key| members.get(*key))
            .map(chosen)
            .unwrap_or_default(),
        Value::Array(items) => items.first().map(chosen).unwrap_or_default(),
        _ => String::new(),
    }
}

/// What the nodes of a run share.
pub(crate) struct Turn {
    pub(crate) message: UserInput,
    pub(crate) now: DateTime<Utc>,
    pub(crate) history: Vec<PastMessage>,
    pub(crate) options: Arc<DataOptions>,
    pub(crate) performance: Arc<Performance>,
}

impl Turn {
    pub(crate) fn new(input: TurnInput, options: Arc<DataOptions>) -> Self {
        Self {
            message: input.message,
            now: input.now,
            history: input.history,
            options,
            performance: Arc::new(Performance::new(input.run_id, input.tools, input.model)),
        }
    }
}
