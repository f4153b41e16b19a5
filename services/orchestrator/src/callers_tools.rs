//! The tools service as assistants see it: calls with the caller's identity.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agent_kit::{Tools, ToolsError};
use async_trait::async_trait;
use contracts::tools::{ToolDefinition, ToolEnvelope};
use serde_json::Value;
use service_client::{Error, ToolsClient};
use service_kit::context::RequestContext;
use service_kit::problem::chain;
use tokio::time::Instant;

use crate::credentials::Caller;

/// How long a list of tools is taken as current. The tools service may be replaced under us by one with other tools.
const LIST_LIFETIME: Duration = Duration::from_mins(1);

/// The tools service and what it says that it can do.
pub(crate) struct Toolbox {
    client: ToolsClient,
    /// The newest list and when it came.
    listed: Mutex<Option<(Instant, Arc<[ToolDefinition]>)>>,
}

impl Toolbox {
    pub(crate) fn new(client: ToolsClient) -> Self {
        Self {
            client,
            listed: Mutex::default(),
        }
    }

    pub(crate) fn client(&self) -> &ToolsClient {
        &self.client
    }

    fn listed(&self) -> Option<(Instant, Arc<[ToolDefinition]>)> {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.clone()
    }

    /// Keeps a list; one that says the same as before stays the one it was, since what is made of it is kept with it.
    fn keep(&self, tools: Vec<ToolDefinition>) -> Arc<[ToolDefinition]> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let list = match listed.take() {
            Some((_, same)) if *same == *tools => same,
            _ => tools.into(),
        };
        *listed = Some((Instant::now(), Arc::clone(&list)));
        list
    }
}

/// The tools, for one caller.
pub(crate) struct CallersTools {
    toolbox: Arc<Toolbox>,
    caller: Arc<Caller>,
    /// The request that the calls belong to; the run's own tasks do not know it.
    request: Option<RequestContext>,
}

impl CallersTools {
    pub(crate) fn new(toolbox: Arc<Toolbox>, caller: Arc<Caller>) -> Self {
        Self {
            toolbox,
            caller,
            request: RequestContext::current(),
        }
    }

    async fn within_request<F: Future>(&self, call: F) -> F::Output {
        match self.request.clone() {
            Some(request) => request.scope(call).await,
            None => call.await,
        }
    }

    async fn token(&self) -> Result<secrecy::SecretString, ToolsError> {
        self.caller.token().await.map_err(|error| {
            tracing::warn!(error = %chain(&error), "nobody's identity to call tools with");
            ToolsError::Refused
        })
    }
}

#[async_trait]
impl Tools for CallersTools {
    async fn call(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        let token = self.token().await?;
        let call = self.toolbox.client.call_tool(&token, name, &arguments);
        self.within_request(call).await.map_err(|error| {
            tracing::warn!(tool = name, error = %chain(&error), "a tool call failed");
            in_the_assistants_words(error)
        })
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        let known = self.toolbox.listed();
        if let Some((at, list)) = &known
            && at.elapsed() < LIST_LIFETIME
        {
            return Ok(Arc::clone(list));
        }
        let token = self.token().await?;
        let asked = self.within_request(self.toolbox.client.list_tools(&token));
        match (asked.await, known) {
            (Ok(list), _) => Ok(self.toolbox.keep(list.tools)),
            (Err(error), Some((_, list))) => {
                tracing::warn!(error = %chain(&error), "the tools can not be listed; an older list will do");
                Ok(list)
            }
            (Err(error), None) => {
                tracing::warn!(error = %chain(&error), "the tools can not be listed");
                Err(in_the_assistants_words(error))
            }
        }
    }
}

/// What the other service said stays in the log, save what is wrong with the arguments and what is busy: that is about what the person asked.
fn in_the_assistants_words(error: Error) -> ToolsError {
    match error {
        Error::Unavailable { .. } => ToolsError::Unavailable,
        Error::Busy { detail } => ToolsError::Busy { detail },
        Error::Timeout { .. } => ToolsError::TimedOut,
        Error::Unauthorized { .. } | Error::Forbidden { .. } => ToolsError::Refused,
        Error::InvalidArguments { detail, .. } => ToolsError::Invalid { detail },
        Error::NotFound { .. }
        | Error::Upstream { .. }
        | Error::Unreadable { .. }
        | Error::BaseUrl(_) => ToolsError::Failed,
    }
}
