//! The assistant's view of the tools service: one call, made with the identity of the user who
//! asks.

use std::sync::Arc;

use async_trait::async_trait;
use contracts::tools::{ToolDefinition, ToolEnvelope};
use serde_json::Value;

use crate::Account;

/// The tools, as one person may use them. Made again for each turn, because it carries that
/// person's identity.
#[async_trait]
pub trait Tools: Send + Sync {
    /// Calls the tool of this name (see [`contracts::tools::names`]) with these arguments.
    async fn call(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError>;

    /// [`Self::call`] for what may be a few seconds old: an implementation may return the answer
    /// that it had for the same call of someone with the same rights.
    async fn call_recent(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        self.call(name, arguments).await
    }

    /// What `GET /api/tools` lists: what a model may call. Asked for once in each turn that needs
    /// it; an implementation that keeps the list should return the same allocation, by which what
    /// is made of it is recognised.
    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError>;
}

/// The same tools, noting in the run's account when their service does not answer.
pub(crate) struct Watched {
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) account: Arc<Account>,
}

impl Watched {
    fn note(&self, error: &ToolsError) {
        match error {
            ToolsError::Unavailable | ToolsError::TimedOut | ToolsError::Failed => {
                self.account.miss_tools();
            }
            // The service answered, and its answer is reported.
            ToolsError::Busy { .. } | ToolsError::Refused | ToolsError::Invalid { .. } => {}
        }
    }
}

#[async_trait]
impl Tools for Watched {
    async fn call(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        let answer = self.tools.call(name, arguments).await;
        answer.inspect_err(|error| self.note(error))
    }

    async fn call_recent(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        let answer = self.tools.call_recent(name, arguments).await;
        answer.inspect_err(|error| self.note(error))
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        let listed = self.tools.definitions().await;
        listed.inspect_err(|error| self.note(error))
    }
}

/// A call without an envelope. `Display` is for logs; [`ToolsError::for_people`] is for the
/// answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ToolsError {
    /// The service, or its database, cannot be reached.
    #[error("the tools service cannot be reached")]
    Unavailable,
    /// The needed resource has as much in progress as permitted.
    #[error("the tools service is busy: {detail}")]
    Busy {
        /// With what, and when to try again, in words that are safe to show.
        detail: String,
    },
    /// No answer in time.
    #[error("the tools service did not answer in time")]
    TimedOut,
    /// The caller may not do that.
    #[error("the tools service refused the caller")]
    Refused,
    /// The arguments are out of their bounds.
    #[error("the tools service does not accept the arguments: {detail}")]
    Invalid {
        /// Which and why, in words that are safe to show.
        detail: String,
    },
    /// The service failed.
    #[error("the tools service failed")]
    Failed,
}

impl ToolsError {
    /// A sentence for the person who asked; holds no internals.
    pub fn for_people(&self) -> String {
        match self {
            Self::Unavailable => "The data service cannot be reached at the moment.".to_owned(),
            Self::Busy { detail } => detail.clone(),
            Self::TimedOut => "The data service did not answer in time.".to_owned(),
            Self::Refused => "You do not have access to these data.".to_owned(),
            Self::Invalid { detail } => {
                format!("The data service does not accept this request: {detail}")
            }
            Self::Failed => "The data service ran into a problem of its own.".to_owned(),
        }
    }
}
