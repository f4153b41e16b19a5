//! Questions that stop a run, and the answers that let it continue.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A question that stopped a run.
///
/// It is stored with the checkpoint, so it can be shown and answered by another process on another
/// day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interrupt {
    /// Names this question among all of the thread; the key for [`Answers::with`].
    pub id: String,
    /// The node that asks, with the names of its subgraphs before it (`recovery/ask`).
    pub node: Arc<str>,
    /// The key that the node gave it.
    pub key: String,
    /// Data that the node shows to the user who answers.
    pub payload: Value,
}

impl Interrupt {
    /// The payload as the type that the node sent.
    pub fn payload_as<P: DeserializeOwned>(&self) -> Result<P, serde_json::Error> {
        P::deserialize(&self.payload)
    }
}

/// Answers to the interrupts of a thread, for [`Input::Resume`](crate::Input::Resume).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    pub(crate) only: Option<Value>,
    pub(crate) by_id: BTreeMap<String, Value>,
}

impl Answers {
    /// No answer yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The answer to the one interrupt that the thread waits on; resuming fails when it waits on
    /// several.
    pub fn one(answer: impl Into<Value>) -> Self {
        Self {
            only: Some(answer.into()),
            by_id: BTreeMap::new(),
        }
    }

    /// Adds the answer to the interrupt with this id. Interrupts without an answer stay open and
    /// stop the run again.
    #[must_use]
    pub fn with(mut self, interrupt_id: impl Into<String>, answer: impl Into<Value>) -> Self {
        self.by_id.insert(interrupt_id.into(), answer.into());
        self
    }
}
