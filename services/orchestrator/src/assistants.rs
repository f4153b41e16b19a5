//! The assistants, behind one small trait: the code that runs a turn knows no more of them than
//! this.

mod analyst;
pub(crate) mod built_in;
mod hosted;
mod introductions;
mod model_choice;
mod past;

use std::sync::Arc;

use agent_kit::schedules::Schedules;
use agent_kit::{Objection, Tools};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use contracts::data_overview::DataOverview;
use contracts::run::RunEvent;
use conversations::window::Window;
use conversations::{Fence, Owner};
use futures::stream::BoxStream;
use llm::ModelOptions;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::credentials::Caller;
use crate::delegation::Credentials;

pub use agent_kit::{Remembered, ThreadContext, UserInput};
pub(crate) use hosted::Hosted;
pub use introductions::Introduction;

/// Something that answers messages.
#[async_trait]
pub trait Assistant: Send + Sync + 'static {
    /// Its name on the wire.
    fn name(&self) -> &'static str;

    /// How it introduces itself to a person who has these data. `None`: it is not known at the
    /// moment what there is.
    fn introduction(&self, _data: Option<&DataOverview>) -> Introduction {
        Introduction::plain(self.name())
    }

    /// Whether a turn that a crash cut off may simply be run again, because its steps only read.
    fn is_repeatable(&self) -> bool;

    /// Whether it needs the window of history with each turn; it costs a read of the database.
    fn reads_history(&self) -> bool;

    /// Whether it needs to know what its thread is about ([`Turn::context`]); it costs a read of
    /// the database.
    fn reads_thread(&self) -> bool {
        false
    }

    /// The objection to a question at set times, as [`agent_kit::Assistant::objection`].
    async fn objection(
        &self,
        _question: &str,
        _tools: &dyn Tools,
        _now: DateTime<Utc>,
    ) -> Option<Objection> {
        None
    }

    /// Answers. The last event is [`RunEvent::Finished`] or [`RunEvent::Failed`]; a cancelled turn
    /// closes what it had opened and ends soon. Dropping the stream stops it.
    fn run(&self, turn: Turn) -> BoxStream<'static, RunEvent>;

    /// The memory of a thread of this owner, in its public shape; `None` before its first
    /// answer.
    async fn state(
        &self,
        owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError>;

    /// Whether it waits for the person in a thread of this owner: asked for each thread of a list,
    /// so better be quick.
    async fn asks(&self, owner: &Owner, thread_key: &str) -> Result<bool, StateError> {
        let state = self.state(owner, thread_key).await?;
        Ok(state.is_some_and(|state| state.asks))
    }

    /// Copies the memory of a thread that is not in its checkpoints to a copy of the thread.
    async fn copy_memory(&self, _from: Uuid, _to: Uuid) -> Result<(), StateError> {
        Ok(())
    }
}

/// The error when a thread's state cannot be read.
pub type StateError = Box<dyn std::error::Error + Send + Sync>;

/// One turn of a conversation.
pub struct Turn {
    /// The thread, as its owner names it.
    pub thread_id: String,
    /// The thread's key in the checkpoint store.
    pub thread_key: Arc<str>,
    /// The run; of `[0-9a-f]`, unique.
    pub run_id: String,
    /// The right to write to the run, for assistants that keep more of a thread than its
    /// checkpoint.
    pub fence: Fence,
    /// The message that the run writes.
    pub message_id: String,
    /// The user's input.
    pub input: UserInput,
    /// IANA zone of the person.
    pub timezone: Option<String>,
    /// Options for the models.
    pub model_options: ModelOptions,
    /// The conversation before this message, as far as a model may see it.
    pub history: Arc<Window>,
    /// The context of the thread, for assistants that read it.
    pub context: ThreadContext,
    /// The time of the turn.
    pub now: DateTime<Utc>,
    /// The person's credential for the upstream API, for assistants that look things up there.
    pub credentials: Credentials,
    /// The person's schedules, for assistants that make some.
    pub schedules: Arc<dyn Schedules>,
    /// Whether it runs without a user who waits for it.
    pub unattended: bool,
    /// On whose behalf.
    pub caller: Arc<Caller>,
    /// Stops the turn.
    pub cancellation: CancellationToken,
}

/// The assistants that there are, in the order in which pages offer them.
#[derive(Clone, Default)]
pub struct Registry(Vec<Arc<dyn Assistant>>);

impl Registry {
    /// The same with one more, in place of one of its name.
    #[must_use]
    pub fn with(mut self, assistant: Arc<dyn Assistant>) -> Self {
        let name = assistant.name();
        match self.0.iter_mut().find(|known| known.name() == name) {
            Some(known) => *known = assistant,
            None => self.0.push(assistant),
        }
        self
    }

    /// The assistant of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Assistant>> {
        self.0.iter().find(|assistant| assistant.name() == name)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Assistant>> {
        self.0.iter()
    }

    /// All names, in alphabetical order.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.0.iter().map(|assistant| assistant.name()).collect();
        names.sort_unstable();
        names
    }
}
