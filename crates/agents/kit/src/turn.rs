//! What comes in with one turn of a conversation.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use llm::ChatModel;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{PastMessage, Tools};

/// What a turn is given. Everything in it is this turn's own: an assistant itself holds nothing of any person.
pub struct TurnInput {
    /// The thread, as its owner names it; it is told back in [`contracts::run::RunEvent::Started`].
    pub thread_id: String,
    /// The thread's key in the checkpointer, and in whatever else remembers: unique over all owners. `None` runs without memory.
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
        /// A value or several, or an object that holds them as `selection` or `value`.
        output: Value,
    },
}

impl UserInput {
    /// The words, or the chosen values with commas between them.
    pub fn words(&self) -> String {
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
        Value::Array(items) => items.iter().map(chosen).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_picker_is_answered_in_several_shapes() {
        for (output, words) in [
            (json!(" Port of Miami "), "Port of Miami"),
            (json!({ "selection": "run" }), "run"),
            (json!({ "value": ["a", "b"] }), "a, b"),
            (json!(["a"]), "a"),
            (json!(7), ""),
        ] {
            let call_id = "call".to_owned();
            let input = UserInput::SelectionOutput { call_id, output };
            assert_eq!(input.words(), words);
        }
        assert_eq!(UserInput::Text(" hi\n".to_owned()).words(), "hi");
    }
}
