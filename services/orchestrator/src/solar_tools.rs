//! The tools service as the site assistant sees it: calls with the caller's identity.

use agent_site::{Tools, ToolsError};
use async_trait::async_trait;
use contracts::tools::ToolEnvelope;
use secrecy::SecretString;
use serde_json::Value;
use service_client::{Error, ToolsClient};
use service_kit::context::RequestContext;
use service_kit::problem::chain;

/// The tools, for one caller.
pub(crate) struct CallersTools {
    client: ToolsClient,
    token: SecretString,
    /// The request that the calls belong to; the run's own tasks do not know it.
    request: Option<RequestContext>,
}

impl CallersTools {
    pub(crate) fn new(client: ToolsClient, token: SecretString) -> Self {
        Self {
            client,
            token,
            request: RequestContext::current(),
        }
    }
}

#[async_trait]
impl Tools for CallersTools {
    async fn call(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        let call = self.client.call_tool(&self.token, name, &arguments);
        let answer = match self.request.clone() {
            Some(request) => request.scope(call).await,
            None => call.await,
        };
        answer.map_err(|error| {
            tracing::warn!(tool = name, error = %chain(&error), "a tool call failed");
            in_the_assistants_words(error)
        })
    }
}

/// What the other service said stays in the log, save what is wrong with the arguments: that is about what the person asked.
fn in_the_assistants_words(error: Error) -> ToolsError {
    match error {
        Error::Unavailable { .. } => ToolsError::Unavailable,
        Error::Timeout { .. } => ToolsError::TimedOut,
        Error::Unauthorized { .. } | Error::Forbidden { .. } => ToolsError::Refused,
        Error::InvalidArguments { detail, .. } => ToolsError::Invalid { detail },
        Error::NotFound { .. }
        | Error::Upstream { .. }
        | Error::Unreadable { .. }
        | Error::BaseUrl(_) => ToolsError::Failed,
    }
}
