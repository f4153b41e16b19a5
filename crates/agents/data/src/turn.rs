//! What the nodes of a run share.

use std::sync::Arc;

use agent_kit::{PastMessage, Performance, TurnInput, UserInput};
use chrono::{DateTime, Utc};

use crate::DataOptions;

/// What the nodes of a run share.
pub(crate) struct Turn {
    pub(crate) message: UserInput,
    pub(crate) now: DateTime<Utc>,
    pub(crate) history: Vec<PastMessage>,
    pub(crate) options: Arc<DataOptions>,
    /// The target that the request names beside the message.
    pub(crate) target: Option<String>,
    pub(crate) performance: Arc<Performance>,
}

impl Turn {
    pub(crate) fn new(input: TurnInput, options: Arc<DataOptions>, target: Option<String>) -> Self {
        Self {
            message: input.message,
            now: input.now,
            history: input.history,
            options,
            target,
            performance: Arc::new(Performance::new(input.run_id, input.tools, input.model)),
        }
    }
}
