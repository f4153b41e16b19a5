//! One turn of a conversation: what comes in, and what the nodes of its run share.

use std::sync::Arc;

use agent_kit::{PastMessage, Performance, Tools};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use contracts::tools::upstreams::CredentialStatus;
use llm::ChatModel;
use tokio_util::sync::CancellationToken;

use crate::AdvisorOptions;

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
    pub message: String,
    /// The inventory that the thread is about.
    pub inventory_id: Option<String>,
    /// The time of the turn.
    pub now: DateTime<Utc>,
    /// The tools, with the person's identity.
    pub tools: Arc<dyn Tools>,
    /// The person's credential for the upstream.
    pub credentials: Arc<dyn Credentials>,
    /// The model; `None` answers by rules alone.
    pub model: Option<Arc<dyn ChatModel>>,
    /// What was said before in the thread, oldest first, without this turn's message. Only a model reads it.
    pub history: Vec<PastMessage>,
    /// Stops the run.
    pub cancellation: CancellationToken,
}

/// A person's credential for the upstream service: whether it can be used, never what it is.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// Sees to it that it is good for the next minute, refreshing it when it is not, and says how it is; `None` when there is no upstream.
    async fn ensure(&self) -> Option<CredentialStatus>;
}

/// Where there is no upstream.
#[derive(Debug, Clone, Copy)]
pub struct NoCredentials;

#[async_trait]
impl Credentials for NoCredentials {
    async fn ensure(&self) -> Option<CredentialStatus> {
        None
    }
}

/// What the nodes of a run share.
pub(crate) struct Turn {
    pub(crate) message: String,
    pub(crate) inventory_id: Option<String>,
    pub(crate) now: DateTime<Utc>,
    pub(crate) history: Vec<PastMessage>,
    pub(crate) credentials: Arc<dyn Credentials>,
    pub(crate) options: Arc<AdvisorOptions>,
    pub(crate) performance: Arc<Performance>,
}

impl Turn {
    pub(crate) fn new(input: TurnInput, options: Arc<AdvisorOptions>) -> Self {
        Self {
            message: input.message,
            inventory_id: input.inventory_id,
            now: input.now,
            history: input.history,
            credentials: input.credentials,
            options,
            performance: Arc::new(Performance::new(input.run_id, input.tools, input.model)),
        }
    }
}
