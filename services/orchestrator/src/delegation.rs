//! Delegated credentials: a message may carry a user's token for an upstream API, so that data are
//! read with the user's own rights. It goes to the tools service, which keeps it encrypted and
//! makes the calls; here it is held no longer than that takes.

use std::sync::Arc;

use async_trait::async_trait;
use contracts::tools::upstreams::{CredentialState, CredentialStatus, PutCredential, error_codes};
use service_client::{Error, ToolsClient};
use service_kit::context::RequestContext;
use service_kit::problem::chain;

use crate::config::DelegationConfig;
use crate::credentials::Caller;

/// The warning codes for a credential that is not used.
const REFUSED: &str = "credential_refused";
const NOT_KEPT: &str = "credential_not_kept";

/// The upstream that tokens in requests are for.
pub(crate) struct Delegation {
    upstream: String,
    client: ToolsClient,
    /// For handing over: a person waits for the answer in the meantime.
    hasty: ToolsClient,
}

impl Delegation {
    /// `None` when no upstream is configured; then tokens are dropped.
    pub(crate) fn new(config: &DelegationConfig, client: &ToolsClient) -> Option<Self> {
        Some(Self {
            upstream: config.upstream.clone()?,
            client: client.clone(),
            hasty: client.clone().with_timeout(config.timeout()),
        })
    }

    /// Hands a credential over. When that fails the caller is warned, and that is all: the run does
    /// without.
    pub(crate) async fn hand_over(&self, caller: &Caller, credential: &PutCredential) {
        let Ok(token) = caller.token().await else {
            return caller.warn(NOT_KEPT, not_kept());
        };
        let kept = self
            .hasty
            .put_credential(&token, &self.upstream, credential);
        match kept.await {
            // One that has run out may still be refreshed.
            Ok(status) if status.state != CredentialState::Refused => {}
            Ok(status) => {
                let reason = status.message.unwrap_or_default();
                caller.warn(REFUSED, refused(&reason));
            }
            Err(Error::InvalidArguments { .. }) => {
                caller.warn(REFUSED, refused("It cannot be a credential."));
            }
            Err(error) => {
                tracing::warn!(error = %chain(&error), "a credential could not be handed over");
                caller.warn(NOT_KEPT, not_kept());
            }
        }
    }
}

fn refused(reason: &str) -> String {
    format!("The credential that came with the message is not used. {reason}")
        .trim_end()
        .to_owned()
}

fn not_kept() -> String {
    "The credential that came with the message could not be kept, so it is not used.".to_owned()
}

/// A person's credential for the upstream, as an assistant sees it: whether there is one, never
/// what it is.
#[derive(Clone)]
pub struct Credentials {
    delegation: Option<Arc<Delegation>>,
    caller: Arc<Caller>,
    /// The request that the calls belong to; the run's own tasks do not know it.
    request: Option<RequestContext>,
}

impl Credentials {
    pub(crate) fn new(delegation: Option<Arc<Delegation>>, caller: Arc<Caller>) -> Self {
        Self {
            delegation,
            caller,
            request: RequestContext::current(),
        }
    }

    /// The upstream that it is for; `None` when there is none.
    pub fn upstream(&self) -> Option<&str> {
        self.delegation
            .as_deref()
            .map(|delegation| delegation.upstream.as_str())
    }

    /// Sees to it that the credential is good for the next minute, refreshing it when it is not,
    /// and says how it is; `None` when there is no upstream. Never fails: what keeps it from
    /// knowing is a state, too.
    pub async fn ensure(&self) -> Option<CredentialStatus> {
        let delegation = self.delegation.as_deref()?;
        let ensured = self.within_request(async {
            let token = self.caller.token().await.ok()?;
            let ensured = delegation
                .client
                .ensure_credential(&token, &delegation.upstream);
            match ensured.await {
                Ok(status) => Some(status),
                Err(error) => {
                    tracing::warn!(error = %chain(&error), "a credential could not be ensured");
                    None
                }
            }
        });
        let ensured = ensured.await;
        Some(ensured.unwrap_or_else(|| CredentialStatus {
            upstream: delegation.upstream.clone(),
            state: CredentialState::Missing,
            expires_at: None,
            refreshed: false,
            error_code: Some(error_codes::UNAVAILABLE.to_owned()),
            message: Some("Your credential cannot be looked up at the moment.".to_owned()),
        }))
    }

    async fn within_request<F: Future>(&self, call: F) -> F::Output {
        match self.request.clone() {
            Some(request) => request.scope(call).await,
            None => call.await,
        }
    }
}

#[async_trait]
impl agent_kit::Credentials for Credentials {
    async fn ensure(&self) -> Option<CredentialStatus> {
        Self::ensure(self).await
    }
}
