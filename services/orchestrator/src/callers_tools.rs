//! The tools service as assistants see it: calls with the caller's identity.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agent_kit::{Tools, ToolsError};
use async_trait::async_trait;
use contracts::tools::{ToolDefinition, ToolEnvelope, ToolStatus};
use conversations::Owner;
use serde_json::Value;
use service_client::{Error, ToolsClient};
use service_kit::context::RequestContext;
use service_kit::problem::chain;
use tokio::time::Instant;
use tracing::{Instrument, Span};

use crate::credentials::{Caller, Rights};

/// Time that a list of tools is taken as current. Tenants add tools while the services run, and the
/// tools service may be replaced by one with others.
const LIST_LIFETIME: Duration = Duration::from_secs(5);

/// Users whose list is remembered; beyond it the memory starts again.
const KEPT_USERS: usize = 1_024;

/// Time that an answer is taken as recent. Newest readings are minutes old anyway, and someone who
/// has added a device hardly greets sooner.
const RECENT: Duration = Duration::from_secs(5);

/// Recent answers that are kept at most; beyond, the old ones go, and new ones are not kept.
const KEPT_ANSWERS: usize = 256;

/// A call: with which rights, of which tool, with which arguments.
type CallKey = (Arc<Rights>, String, String);

/// A list and when it came.
type Listed = (Instant, Arc<[ToolDefinition]>);

/// The tools service and what it says that it can do.
pub(crate) struct Toolbox {
    client: ToolsClient,
    /// The newest list of each user, and when it came: each may use those of the upstreams that he
    /// has connected.
    listed: Mutex<HashMap<Owner, Listed>>,
    /// Answers to [`Tools::call_recent`], and when they came.
    recent: Mutex<HashMap<CallKey, (Instant, ToolEnvelope)>>,
}

impl Toolbox {
    pub(crate) fn new(client: ToolsClient) -> Self {
        Self {
            client,
            listed: Mutex::default(),
            recent: Mutex::default(),
        }
    }

    pub(crate) fn client(&self) -> &ToolsClient {
        &self.client
    }

    fn listed(&self, owner: &Owner) -> Option<Listed> {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.get(owner).cloned()
    }

    fn recent(&self, key: &CallKey) -> Option<ToolEnvelope> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, answer) = recent.get(key)?;
        (at.elapsed() < RECENT).then(|| answer.clone())
    }

    /// Keeps an answer. One without a result is none to keep: it may have one in a moment.
    fn keep_recent(&self, key: CallKey, answer: &ToolEnvelope) {
        if answer.status != ToolStatus::Ok {
            return;
        }
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() >= KEPT_ANSWERS {
            recent.retain(|_, (at, _)| at.elapsed() < RECENT);
        }
        if recent.len() < KEPT_ANSWERS {
            recent.insert(key, (Instant::now(), answer.clone()));
        }
    }

    /// Keeps a list; one that says the same as another is that one, since what is made of it is
    /// kept with it.
    fn keep(&self, owner: &Owner, tools: Vec<ToolDefinition>) -> Arc<[ToolDefinition]> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let same = listed.values().find(|(_, same)| **same == *tools);
        let list = same.map_or_else(|| tools.into(), |(_, same)| Arc::clone(same));
        if listed.len() >= KEPT_USERS && !listed.contains_key(owner) {
            listed.clear();
        }
        listed.insert(owner.clone(), (Instant::now(), Arc::clone(&list)));
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
            tracing::warn!(error = %chain(&error), "there is no identity to call tools with");
            if error.may_pass() {
                ToolsError::Unavailable
            } else {
                ToolsError::Refused
            }
        })
    }
}

#[async_trait]
impl Tools for CallersTools {
    async fn call(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        let span = tracing::info_span!(
            "execute_tool",
            otel.name = %format_args!("execute_tool {name}"),
            otel.status_code = tracing::field::Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = name,
            gen_ai.tool.r#type = "function",
        );
        let call = async {
            let token = self.token().await?;
            let call = self.toolbox.client.call_tool(&token, name, &arguments);
            self.within_request(call).await.map_err(|error| {
                Span::current().record("otel.status_code", "ERROR");
                tracing::warn!(tool = name, error = %chain(&error), "a tool call failed");
                in_the_assistants_words(error)
            })
        };
        call.instrument(span).await
    }

    async fn call_recent(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        let Some(rights) = self.caller.rights() else {
            return self.call(name, arguments).await;
        };
        let key = (Arc::clone(rights), name.to_owned(), arguments.to_string());
        if let Some(answer) = self.toolbox.recent(&key) {
            return Ok(answer);
        }
        let answer = self.call(name, arguments).await?;
        self.toolbox.keep_recent(key, &answer);
        Ok(answer)
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        let owner = self.caller.owner();
        let known = self.toolbox.listed(owner);
        if let Some((at, list)) = &known
            && at.elapsed() < LIST_LIFETIME
        {
            return Ok(Arc::clone(list));
        }
        let token = self.token().await?;
        let asked = self.within_request(self.toolbox.client.list_tools(&token));
        match (asked.await, known) {
            (Ok(list), _) => Ok(self.toolbox.keep(owner, list.tools)),
            (Err(error), Some((_, list))) => {
                tracing::warn!(error = %chain(&error), "the tools cannot be listed; an older list will do");
                Ok(list)
            }
            (Err(error), None) => {
                tracing::warn!(error = %chain(&error), "the tools cannot be listed");
                Err(in_the_assistants_words(error))
            }
        }
    }
}

/// The other service's message stays in the log, except for invalid arguments and busy sources:
/// those are about what the person asked.
fn in_the_assistants_words(error: Error) -> ToolsError {
    match error {
        Error::Unavailable { .. } => ToolsError::Unavailable,
        Error::Busy { detail } => ToolsError::Busy { detail },
        Error::Timeout { .. } => ToolsError::TimedOut,
        // The caller's identity was verified here: the clocks or the keys of the services differ.
        Error::Unauthorized { detail } => {
            tracing::error!(
                detail,
                "the tools service does not accept an identity; compare the clocks of the machines"
            );
            ToolsError::Failed
        }
        Error::Forbidden { .. } => ToolsError::Refused,
        Error::InvalidArguments { detail, .. } => ToolsError::Invalid { detail },
        Error::NotFound { .. }
        | Error::Upstream { .. }
        | Error::Unreadable { .. }
        | Error::BaseUrl(_) => ToolsError::Failed,
    }
}
