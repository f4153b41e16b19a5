//! Trying an upstream out, step by step, before it is used.

use std::sync::Arc;
use std::time::Duration;

use contracts::upstreams::{OfferedTool, UpstreamKind, UpstreamTest};
use secrecy::SecretString;

use super::{AddedUpstreams, Secrets, Settings, Stored, may_connect};
use crate::added;
use crate::upstreams::{Failure, Probe, Upstream, probe};

/// Time limit for the steps that ask the upstream.
const PATIENCE: Duration = Duration::from_mins(1);

/// The outcome of a test, with the tools that the upstream offers.
pub(crate) type Examined = added::Examined<Vec<OfferedTool>>;

impl Examined {
    pub(crate) fn outcome(self) -> UpstreamTest {
        UpstreamTest {
            ok: self.problem().is_none(),
            steps: self.steps,
            tools: self.found,
        }
    }
}

impl AddedUpstreams {
    /// Tests an upstream without keeping it, with the token of who tests if it takes one of each
    /// person.
    pub(crate) async fn examine(
        &self,
        tenant: &str,
        name: &str,
        (settings, secrets): (&Settings, &Secrets),
        token: Option<&SecretString>,
    ) -> Examined {
        let mut examined = Examined::new(Vec::new());
        if let Err(why) = may_connect(self.rows().context(), settings).await {
            return examined.failed("host", "/endpoint/base_url", why);
        }
        let upstream = match self.rows().kind().upstream(tenant, name, settings, secrets) {
            Ok(upstream) => upstream,
            Err(why) => {
                let (step, pointer) = offers(settings.kind);
                return examined.failed(step, pointer, why);
            }
        };
        examined.passed("host");
        ask(&upstream, token, examined).await
    }

    /// Tests an upstream as it is.
    pub(crate) async fn examine_stored(
        &self,
        stored: &Stored,
        token: Option<&SecretString>,
    ) -> Examined {
        match self.rows().secrets(stored) {
            Ok(secrets) => {
                let (tenant, name) = (&stored.tenant, &stored.name);
                self.examine(tenant, name, (&stored.settings, &secrets), token)
                    .await
            }
            Err(why) => Examined::new(Vec::new()).failed("host", "", why),
        }
    }

    /// Tests an upstream of the configuration.
    pub(crate) async fn examine_fixed(
        upstream: &Arc<Upstream>,
        token: Option<&SecretString>,
    ) -> Examined {
        ask(upstream, token, Examined::new(Vec::new())).await
    }
}

/// The steps that ask the upstream itself.
async fn ask(
    upstream: &Arc<Upstream>,
    token: Option<&SecretString>,
    examined: Examined,
) -> Examined {
    let (step, pointer) = offers(upstream.kind());
    let probed = tokio::time::timeout(PATIENCE, probe(upstream, token)).await;
    let late = || Failure::unavailable(upstream.name(), "took too long");
    let (mut examined, probed) = (examined, probed.unwrap_or_else(|_| Err(late())));
    match probed {
        Err(failure) => examined.failed("connection", pointer_of(&failure), failure.message()),
        Ok(Probe::Reached) => {
            examined.passed("connection");
            examined
        }
        Ok(Probe::Asked { tools, problem }) => {
            examined.passed("connection");
            examined.found = tools;
            if let Some(why) = problem {
                return examined.failed(step, pointer, why);
            }
            examined.passed(step);
            examined
        }
    }
}

/// The step about what a kind offers, and the member of a request that has it.
fn offers(kind: UpstreamKind) -> (&'static str, &'static str) {
    match kind {
        UpstreamKind::Http => ("operations", "/operations"),
        UpstreamKind::Mcp => ("tools", "/tools"),
    }
}

/// The member that a failure of the connection is about.
fn pointer_of(failure: &Failure) -> &'static str {
    match failure.code() {
        "http_401" | "http_403" => "/endpoint/headers",
        _ => "/endpoint/base_url",
    }
}
