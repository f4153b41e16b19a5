//! One turn of a conversation: what comes in, and what the nodes of its run share.

use std::sync::Arc;

use agent_kit::{Account, PastMessage, Performance, Tools};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use llm::ChatModel;
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::{
    ModelOptions,
    model::{Site, toolbox::Toolboxes},
};

/// The input of a turn. Everything in it is this turn's own: the assistant itself holds nothing of
/// any person.
pub struct TurnInput {
    /// The thread, as its owner names it; it is repeated in [`contracts::run::RunEvent::Started`].
    pub thread_id: String,
    /// The thread's key in the checkpointer: unique over all owners. `None` runs without memory.
    pub thread_key: Option<Arc<str>>,
    /// The run. Ids of calls and text blocks are made from it, so it has to be unique and of
    /// `[A-Za-z0-9_-]`.
    pub run_id: String,
    /// The message that the run writes; the same as before when an AI SDK client answers a picker
    /// in place.
    pub message_id: String,
    /// The user's input.
    pub message: UserInput,
    /// IANA zone of the person, for greetings. Kept in the thread; `None` keeps the one of an
    /// earlier turn.
    pub user_timezone: Option<String>,
    /// The time of the turn.
    pub now: DateTime<Utc>,
    /// The tools, with the person's identity.
    pub tools: Arc<dyn Tools>,
    /// The model; `None` answers by rules alone.
    pub model: Option<Arc<dyn ChatModel>>,
    /// The earlier messages of the thread, oldest first, without this turn's message. Only a model
    /// reads it; when it is empty the model reads the thread's own memory instead.
    pub history: Vec<PastMessage>,
    /// Stops the run.
    pub cancellation: CancellationToken,
}

/// The user's input.
#[derive(Debug, Clone, PartialEq)]
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

/// The state that the assistant's turns share: nothing of any person.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) options: ModelOptions,
    pub(crate) toolboxes: Toolboxes,
}

/// The state that the nodes of a run share.
pub(crate) struct Turn {
    pub(crate) message: UserInput,
    pub(crate) now: DateTime<Utc>,
    pub(crate) history: Vec<PastMessage>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) performance: Arc<Performance>,
    site: OnceCell<Arc<Site>>,
}

impl Turn {
    pub(crate) fn new(input: TurnInput, shared: Arc<Shared>) -> Self {
        Self {
            message: input.message,
            now: input.now,
            history: input.history,
            shared,
            performance: Arc::new(Performance::new(input.run_id, input.tools, input.model)),
            site: OnceCell::new(),
        }
    }

    /// A new id, unique in the thread because the run's id is.
    pub(crate) fn new_id(&self, prefix: &str) -> String {
        self.performance.new_id(prefix)
    }

    /// The model, while it has not failed.
    pub(crate) fn model(&self) -> Option<&Arc<dyn ChatModel>> {
        self.performance.model()
    }

    /// The person's tools.
    pub(crate) fn tools(&self) -> &Arc<dyn Tools> {
        self.performance.tools()
    }

    /// The usage and failures of the run's models.
    pub(crate) fn account(&self) -> &Account {
        self.performance.account()
    }

    /// The permissions and limits of the model.
    pub(crate) fn options(&self) -> &ModelOptions {
        &self.shared.options
    }

    /// The person's devices and their clock, asked for once; without devices the clock is the
    /// person's.
    pub(crate) async fn site(&self, persons: Tz) -> Arc<Site> {
        let site = self
            .site
            .get_or_init(|| async { Arc::new(Site::of(&**self.tools(), self.now, persons).await) })
            .await;
        Arc::clone(site)
    }
}
