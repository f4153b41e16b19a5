//! Upstreams: APIs of others, read with the user's own rights. Which there are, and which of their
//! operations are tools, is [configuration](config); nothing here knows any of them by name.
//!
//! A call goes: the operation makes a request of the arguments, [`crate::credentials`] give the
//! token, the exchange is made within limits, and what is wanted is picked from the answer. What
//! goes wrong is a failure with a code; it ends the call and not the run. Tools of MCP
//! servers (`mcp`) go the same way.

pub mod config;
mod directory;
mod exchange;
mod failure;
mod mcp;
mod operation;
mod picking;
mod probe;
mod safe_text;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contracts::tools::upstreams::error_codes;
use contracts::tools::{ToolDefinition, ToolEnvelope};
use http::StatusCode;
use secrecy::ExposeSecret;
use serde_json::Value;

use crate::credentials::{self, Credentials, Held, Owner};
use crate::error::Error;
use crate::toolbox::{Call, Family, json};

pub use directory::{AddedUpstream, BrokenUpstream, Directory, Upstream};
pub(crate) use exchange::{Content, Outgoing, UpstreamResponse, exchange};
pub(crate) use failure::Failure;
use mcp::RemoteTool;
use operation::Operation;
pub(crate) use probe::{Probe, forget, probe, standing};

/// The tools that upstreams offer.
pub struct Upstreams {
    /// By the tool's name.
    operations: HashMap<String, Offered>,
    definitions: Vec<ToolDefinition>,
    credentials: Arc<Credentials>,
}

/// An operation and whose it is.
struct Offered {
    upstream: Arc<Upstream>,
    operation: Offer,
}

/// A request to an upstream that is a tool.
enum Offer {
    /// A request to an HTTP API.
    Http(Operation),
    /// A tool of an MCP server.
    Mcp(RemoteTool),
}

impl Offer {
    fn definition(&self) -> ToolDefinition {
        match self {
            Self::Http(operation) => operation.definition(),
            Self::Mcp(tool) => tool.definition(),
        }
    }

    fn timeout(&self) -> Duration {
        match self {
            Self::Http(operation) => operation.timeout(),
            Self::Mcp(tool) => tool.timeout(),
        }
    }

    fn pick(&self, value: Value, arguments: &Value) -> Value {
        match self {
            Self::Http(operation) => operation.pick(value, arguments),
            Self::Mcp(tool) => tool.pick(value, arguments),
        }
    }
}

impl Upstreams {
    /// The tools of the upstreams of the configuration.
    pub fn new(
        directory: &Directory,
        credentials: Arc<Credentials>,
    ) -> Result<Self, BrokenUpstream> {
        Self::of(directory.fixed(), credentials)
    }

    /// The tools of these upstreams.
    pub(crate) fn of<'a>(
        upstreams: impl Iterator<Item = &'a Arc<Upstream>>,
        credentials: Arc<Credentials>,
    ) -> Result<Self, BrokenUpstream> {
        let mut operations = HashMap::new();
        let mut definitions = Vec::new();
        for upstream in upstreams {
            let mut offers = Vec::new();
            for config in upstream.operations() {
                offers.push(Offer::Http(Operation::new(upstream, config)?));
            }
            for config in upstream.tools() {
                offers.push(Offer::Mcp(RemoteTool::new(upstream, config)));
            }
            for operation in offers {
                let definition = operation.definition();
                let upstream = Arc::clone(upstream);
                let offered = Offered {
                    upstream,
                    operation,
                };
                operations.entry(definition.name.clone()).or_insert(offered);
                definitions.push(definition);
            }
        }
        Ok(Self {
            operations,
            definitions,
            credentials,
        })
    }

    /// Of tools with the same name the first.
    pub(crate) fn without_repeats(mut self) -> Self {
        let mut names = HashSet::new();
        let is_first = |definition: &ToolDefinition| names.insert(definition.name.clone());
        self.definitions.retain(is_first);
        self
    }

    /// The time that the slowest of them has, and a little to say so.
    pub(crate) fn slowest(&self) -> Duration {
        let timeouts = self
            .operations
            .values()
            .map(|offered| offered.operation.timeout());
        timeouts.max().unwrap_or_default() + Duration::from_secs(1)
    }

    async fn run(&self, call: &Call<'_>, offered: &Offered) -> Result<Value, credentials::Error> {
        let Offered {
            upstream,
            operation,
        } = offered;
        if !upstream.serves(&call.caller.tenant) {
            let message = format!("`{}` is not set up for your organisation.", upstream.name());
            return Err(Failure::new(error_codes::MISSING_TOKEN, message).into());
        }
        let caller = call.caller;
        let owner = Owner::of(caller);
        let held = if upstream.is_personal() {
            Some(self.credentials.usable(&owner, upstream).await?)
        } else {
            None
        };
        let answer = ask(offered, &caller.subject, call, held.as_ref()).await?;
        let refused = answer.status == StatusCode::UNAUTHORIZED;
        let (answer, held) = match held {
            Some(held) if refused && !held.refreshed => {
                let renewed = self.credentials.renew(&owner, upstream, &held).await?;
                let answer = ask(offered, &caller.subject, call, Some(&renewed)).await?;
                (answer, Some(renewed))
            }
            held => (answer, held),
        };
        let mut value = read(upstream, &answer, held.as_ref())?;
        safe_text::redact(&mut value, &secrets(upstream, held.as_ref()));
        Ok(operation.pick(value, &call.arguments))
    }
}

#[async_trait]
impl Family for Upstreams {
    fn definitions(&self) -> Vec<ToolDefinition> {
        self.definitions.clone()
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        let Some(offered) = self.operations.get(call.name) else {
            return Err(Error::UnknownTool(Vec::new()));
        };
        // The refresh and the second try are within the time that the call has; a refresh continues
        // without the call.
        let answered = tokio::time::timeout(offered.operation.timeout(), self.run(call, offered));
        let answered = answered.await.unwrap_or_else(|_| {
            Err(Failure::unavailable(offered.upstream.name(), "took too long").into())
        });
        match answered {
            Ok(value) => json(&ToolEnvelope::ok(value)),
            Err(credentials::Error::Failed(failure)) => {
                tracing::info!(
                    tool = call.name,
                    code = failure.code(),
                    "an upstream's tool has no result"
                );
                json(&failure.into_envelope())
            }
            Err(credentials::Error::Database(error)) => Err(error.into()),
        }
    }
}

async fn ask(
    offered: &Offered,
    subject: &str,
    call: &Call<'_>,
    held: Option<&Held>,
) -> Result<UpstreamResponse, Failure> {
    let upstream = &offered.upstream;
    let token = held.map(|held| &held.token);
    match &offered.operation {
        Offer::Http(operation) => {
            let request = operation.request(subject, &call.arguments)?;
            exchange(upstream, &request, token).await
        }
        Offer::Mcp(tool) => {
            let secrets = secrets(upstream, held);
            tool.call(upstream, &call.arguments, token, &secrets).await
        }
    }
}

/// The JSON of a good answer.
fn read(
    upstream: &Upstream,
    answer: &UpstreamResponse,
    held: Option<&Held>,
) -> Result<Value, Failure> {
    if !answer.status.is_success() {
        let said = safe_text::excerpt(&answer.body, &secrets(upstream, held));
        return Err(Failure::status(
            upstream.name(),
            answer.status,
            said.as_deref(),
        ));
    }
    serde_json::from_slice(&answer.body)
        .map_err(|_| Failure::invalid_response(upstream.name(), "is not JSON"))
}

/// The texts that an answer must not repeat.
fn secrets<'a>(upstream: &'a Upstream, held: Option<&'a Held>) -> Vec<&'a str> {
    let tokens = held
        .into_iter()
        .flat_map(|held| std::iter::once(&held.token).chain(&held.refresh_token));
    upstream
        .secrets()
        .chain(tokens)
        .map(ExposeSecret::expose_secret)
        .collect()
}
