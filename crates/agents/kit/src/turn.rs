//! The input of one turn of a conversation.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use contracts::tools::upstreams::CredentialStatus;
use llm::ChatModel;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::schedules::{NoSchedules, Schedules};
use crate::{PastMessage, ThreadContext, Tools, first_word};

/// The input of a turn. Everything in it is this turn's own: an assistant itself holds nothing of
/// any person.
pub struct TurnInput {
    /// The thread, as its owner names it; [`contracts::run::RunEvent::Started`] repeats it.
    pub thread_id: String,
    /// The thread's key in the checkpointer, and in whatever else remembers: unique over all
    /// owners. `None` runs without memory.
    pub thread_key: Option<Arc<str>>,
    /// The run. Ids of calls and text blocks are made from it, so it has to be unique and of
    /// `[A-Za-z0-9_-]`.
    pub run_id: String,
    /// Which attempt at the run this is.
    pub attempt: Attempt,
    /// The message that the run writes; the same as before when an AI SDK client answers a picker
    /// in place.
    pub message_id: String,
    /// The user's input.
    pub message: UserInput,
    /// IANA zone of the person, when the client sent it.
    pub timezone: Option<String>,
    /// The context of the thread, for assistants that read the thread.
    pub context: ThreadContext,
    /// The time of the turn.
    pub now: DateTime<Utc>,
    /// The tools, with the person's identity.
    pub tools: Arc<dyn Tools>,
    /// The person's credential for the upstream.
    pub credentials: Arc<dyn Credentials>,
    /// The person's schedules.
    pub schedules: Arc<dyn Schedules>,
    /// The model; `None` answers by rules alone.
    pub model: Option<Arc<dyn ChatModel>>,
    /// From the start of the turn to the first word of its answer, over everything that models are
    /// asked for it. Then the rules answer.
    pub first_word: Duration,
    /// The earlier messages of the thread, oldest first, without this turn's message. Only a model
    /// reads it.
    pub history: Vec<PastMessage>,
    /// Whether the turn runs without a user who waits for it, as for a schedule: its answer is read
    /// later, so that nothing is announced or offered.
    pub unattended: bool,
    /// Stops the run.
    pub cancellation: CancellationToken,
}

impl TurnInput {
    /// The first attempt at a run that answers by rules, in a thread of its own that nothing
    /// remembers. Set the fields for more.
    pub fn new(
        run_id: impl Into<String>,
        message: UserInput,
        now: DateTime<Utc>,
        tools: Arc<dyn Tools>,
    ) -> Self {
        let run_id = run_id.into();
        Self {
            thread_id: format!("thread_{run_id}"),
            thread_key: None,
            message_id: format!("msg_{run_id}"),
            run_id,
            attempt: Attempt::default(),
            message,
            timezone: None,
            context: ThreadContext::default(),
            now,
            tools,
            credentials: Arc::new(NoCredentials),
            schedules: Arc::new(NoSchedules),
            model: None,
            first_word: first_word::DEFAULT,
            history: Vec::new(),
            unattended: false,
            cancellation: CancellationToken::new(),
        }
    }
}

/// An attempt at a run, which begins again when the process that worked on it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// Counted from 1.
    pub number: u32,
    /// Who works on it, where a store that several processes write to has to know.
    pub worker: Option<Uuid>,
}

impl Attempt {
    /// Whether the run was begun before and cut off, maybe after the assistant had remembered it.
    pub fn is_again(self) -> bool {
        self.number > 1
    }
}

impl Default for Attempt {
    fn default() -> Self {
        Self {
            number: 1,
            worker: None,
        }
    }
}

/// A person's credential for the upstream service: whether it can be used, never what it is.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// Ensures that it is valid for the next minute, refreshing it when it is not, and returns its
    /// state; `None` when there is no upstream.
    async fn ensure(&self) -> Option<CredentialStatus>;
}

/// For runs without an upstream.
#[derive(Debug, Clone, Copy)]
struct NoCredentials;

#[async_trait]
impl Credentials for NoCredentials {
    async fn ensure(&self) -> Option<CredentialStatus> {
        None
    }
}

/// The user's input. Runs are stored with it as JSON: `{"kind": "text", …}` or
/// `{"kind": "selection", …}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub enum UserInput {
    /// A message.
    Text(String),
    /// The answer to a picker as a value: AI SDK clients' `addToolOutput`.
    SelectionOutput {
        /// The picker's call.
        call_id: String,
        /// A value, a list of values, or an object that holds one as `selection`, `value`, `date`
        /// or `start` and `end`.
        output: Value,
    },
}

/// [`UserInput`] as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Stored {
    Text { text: String },
    Selection { call_id: String, output: Value },
}

impl From<Stored> for UserInput {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Text { text } => Self::Text(text),
            Stored::Selection { call_id, output } => Self::SelectionOutput { call_id, output },
        }
    }
}

impl From<UserInput> for Stored {
    fn from(input: UserInput) -> Self {
        match input {
            UserInput::Text(text) => Self::Text { text },
            UserInput::SelectionOutput { call_id, output } => Self::Selection { call_id, output },
        }
    }
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

    #[test]
    fn runs_are_stored_with_the_input_in_the_form_of_every_release() {
        for (input, stored) in [
            (
                UserInput::Text("hi".to_owned()),
                json!({ "kind": "text", "text": "hi" }),
            ),
            (
                UserInput::SelectionOutput {
                    call_id: "call".to_owned(),
                    output: json!(["a"]),
                },
                json!({ "kind": "selection", "call_id": "call", "output": ["a"] }),
            ),
        ] {
            assert_eq!(serde_json::to_value(&input).unwrap(), stored);
            assert_eq!(serde_json::from_value::<UserInput>(stored).unwrap(), input);
        }
    }
}
