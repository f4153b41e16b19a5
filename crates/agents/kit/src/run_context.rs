//! The context that the nodes of one run share. It is passed to the run when it starts or resumes,
//! and is never stored.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};
use llm::ChatModel;

use crate::first_word::{self, FirstWord};
use crate::schedules::Schedules;
use crate::{
    Account, Credentials, PastMessage, ThreadContext, Tools, TurnInput, UserInput, tools::Watched,
};

/// The context that the nodes of one run share: `R` of [`graph::Context`] for every assistant.
pub struct RunContext<A = ()> {
    /// The run.
    pub run_id: Arc<str>,
    /// The thread's key in what remembers threads; `None` runs without memory.
    pub thread_key: Option<Arc<str>>,
    /// The user's input.
    pub message: UserInput,
    /// The earlier messages of the thread, oldest first, without this turn's message.
    pub history: Vec<PastMessage>,
    /// IANA zone of the person, when the client sent it.
    pub timezone: Option<String>,
    /// The context of the thread.
    pub context: ThreadContext,
    /// The time of the turn.
    pub now: DateTime<Utc>,
    /// The person's credential for the upstream.
    pub credentials: Arc<dyn Credentials>,
    /// The person's schedules.
    pub schedules: Arc<dyn Schedules>,
    /// Whether the turn runs without a user who waits for it.
    pub unattended: bool,
    /// What only this assistant's nodes share: its settings, caches, a memory.
    pub assistant: A,
    services: Arc<RunServices>,
}

impl<A> RunContext<A> {
    /// Of a turn. What it was given beyond this is the runner's.
    pub fn new(turn: TurnInput, assistant: A) -> Self {
        Self {
            services: Arc::new(
                RunServices::new(&*turn.run_id, turn.tools, turn.model)
                    .with_first_word(turn.first_word),
            ),
            run_id: turn.run_id.into(),
            thread_key: turn.thread_key,
            message: turn.message,
            history: turn.history,
            timezone: turn.timezone,
            context: turn.context,
            now: turn.now,
            credentials: turn.credentials,
            schedules: turn.schedules,
            unattended: turn.unattended,
            assistant,
        }
    }

    /// The services that the nodes of every run share, whatever the assistant.
    pub fn services(&self) -> &Arc<RunServices> {
        &self.services
    }

    /// The person's tools.
    pub fn tools(&self) -> &Arc<dyn Tools> {
        self.services.tools()
    }

    /// The model, while it has not failed.
    pub fn model(&self) -> Option<&Arc<dyn ChatModel>> {
        self.services.model()
    }

    /// The usage and failures of the run's models.
    pub fn account(&self) -> &Arc<Account> {
        self.services.account()
    }
}

/// The person's tools, the model, what it cost, and new ids.
pub struct RunServices {
    run_id: String,
    made: AtomicU32,
    tools: Arc<dyn Tools>,
    model: Option<Arc<dyn ChatModel>>,
    account: Arc<Account>,
    first_word: FirstWord,
}

impl RunServices {
    /// Of a run. Ids of calls and text blocks are made from the run's, so it has to be unique and
    /// of `[A-Za-z0-9_-]`.
    pub fn new(
        run_id: impl Into<String>,
        tools: Arc<dyn Tools>,
        model: Option<Arc<dyn ChatModel>>,
    ) -> Self {
        let account = Arc::<Account>::default();
        Self {
            run_id: run_id.into(),
            made: AtomicU32::new(0),
            tools: Arc::new(Watched {
                tools,
                account: Arc::clone(&account),
            }),
            model,
            account,
            first_word: FirstWord::within(first_word::DEFAULT),
        }
    }

    /// With this limit, from now, for the first word of the answer.
    #[must_use]
    pub fn with_first_word(self, limit: Duration) -> Self {
        Self {
            first_word: FirstWord::within(limit),
            ..self
        }
    }

    pub(crate) fn first_word(&self) -> &FirstWord {
        &self.first_word
    }

    /// A new id, unique in the thread because the run's id is.
    pub fn new_id(&self, prefix: &str) -> String {
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{prefix}_{}_{number}", self.run_id)
    }

    /// The person's tools.
    pub fn tools(&self) -> &Arc<dyn Tools> {
        &self.tools
    }

    /// The model, while it has not failed.
    pub fn model(&self) -> Option<&Arc<dyn ChatModel>> {
        self.model.as_ref().filter(|_| !self.account.has_failed())
    }

    /// The usage and failures of the run's models.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }
}
