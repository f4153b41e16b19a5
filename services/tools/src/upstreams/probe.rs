//! Whether an upstream can be asked, and what it offers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use contracts::tools::upstreams::error_codes;
use contracts::upstreams::{OfferedTool, UpstreamKind};
use http::{HeaderMap, Method, StatusCode};
use serde_json::json;

use super::mcp::{self, Listed};
use super::operation::Operation;
use super::{Failure, Outgoing, Upstream, UpstreamResponse, exchange, safe_text};
use secrecy::{ExposeSecret, SecretString};

/// Time that a list of upstreams waits for one.
const LOOK: Duration = Duration::from_secs(3);
/// Time for which a result is used again.
const FRESH: Duration = Duration::from_secs(15);
/// Number of operations that are tried.
const TRIED: usize = 3;

/// What asking showed.
pub(crate) enum Probe {
    /// It is there. It takes a person's token to ask more.
    Reached,
    /// It answers; of an MCP server with its tools.
    Asked {
        tools: Vec<OfferedTool>,
        /// The configured part that does not work, and why.
        problem: Option<String>,
    },
}

/// Why an upstream cannot be asked now, as it was found a moment ago at the latest.
pub(crate) async fn standing(upstream: &Arc<Upstream>) -> Option<String> {
    let mut seen = upstream.seen().lock().await;
    if let Some((at, problem)) = &*seen
        && at.elapsed() < FRESH
    {
        return problem.clone();
    }
    let problem = match tokio::time::timeout(LOOK, probe(upstream, None)).await {
        Ok(Ok(Probe::Asked { problem, .. })) => problem,
        Ok(Ok(Probe::Reached)) => None,
        Ok(Err(failure)) => Some(failure.message().to_owned()),
        Err(_) => Some(format!("`{}` did not answer in time.", upstream.name())),
    };
    *seen = Some((Instant::now(), problem.clone()));
    problem
}

/// Forgets how an upstream was found, so that the next list asks it.
pub(crate) async fn forget(upstream: &Upstream) {
    *upstream.seen().lock().await = None;
}

/// Asks an upstream, with the token of who asks if it takes one of each person.
pub(crate) async fn probe(
    upstream: &Arc<Upstream>,
    token: Option<&SecretString>,
) -> Result<Probe, Failure> {
    let token = token.filter(|_| upstream.is_personal());
    match upstream.kind() {
        UpstreamKind::Http => http(upstream, token).await,
        UpstreamKind::Mcp => mcp(upstream, token).await,
    }
}

async fn http(upstream: &Upstream, token: Option<&SecretString>) -> Result<Probe, Failure> {
    let base = Outgoing {
        method: Method::GET,
        url: upstream.base().clone(),
        headers: HeaderMap::new(),
        content: None,
        timeout: upstream.timeout(),
        limit: upstream.max_response_bytes(),
    };
    // An API need not have anything at its address itself, so that any answer counts.
    let status = match exchange(upstream, &base, token).await {
        Ok(answer) => answer.status,
        Err(failure) if failure.code() == error_codes::UNAVAILABLE => return Err(failure),
        Err(_) => StatusCode::OK,
    };
    if upstream.is_personal() && token.is_none() {
        return Ok(Probe::Reached);
    }
    let mut tried = 0;
    for config in upstream.operations() {
        let operation = Operation::new(upstream, config)
            .map_err(|error| Failure::new(error_codes::INVALID_RESPONSE, error.to_string()))?;
        if tried >= TRIED || !operation.needs_nothing() {
            continue;
        }
        tried += 1;
        let answer = exchange(upstream, &operation.request("", &json!({}))?, token).await?;
        if is_refusal(answer.status) {
            return Err(refused(upstream, &answer, token));
        }
        let problem = if !answer.status.is_success() {
            Some(refused(upstream, &answer, token).message().to_owned())
        } else if serde_json::from_slice::<serde::de::IgnoredAny>(&answer.body).is_err() {
            Some("The answer is not JSON.".to_owned())
        } else {
            None
        };
        if let Some(why) = problem {
            return Ok(Probe::Asked {
                tools: Vec::new(),
                problem: Some(format!("{}: {why}", config.name)),
            });
        }
    }
    if tried == 0 && is_refusal(status) {
        return Err(Failure::status(upstream.name(), status, None));
    }
    Ok(Probe::Asked {
        tools: Vec::new(),
        problem: None,
    })
}

async fn mcp(upstream: &Upstream, token: Option<&SecretString>) -> Result<Probe, Failure> {
    let tools = match mcp::list(upstream, token).await? {
        Listed::Refused(answer)
            if upstream.is_personal() && token.is_none() && is_refusal(answer.status) =>
        {
            return Ok(Probe::Reached);
        }
        Listed::Refused(answer) => return Err(refused(upstream, &answer, token)),
        Listed::Tools(tools) => tools,
    };
    let wanted = upstream.tools().iter();
    let wanted = wanted.map(|one| one.tool.as_deref().unwrap_or(&one.name));
    let missing: Vec<&str> = wanted
        .filter(|name| !tools.iter().any(|tool| tool.name == *name))
        .collect();
    let problem = (!missing.is_empty()).then(|| {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        format!(
            "The server does not have these tools: {}. It has: {}.",
            missing.join(", "),
            names.join(", ")
        )
    });
    Ok(Probe::Asked { tools, problem })
}

fn is_refusal(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

fn refused(
    upstream: &Upstream,
    answer: &UpstreamResponse,
    token: Option<&SecretString>,
) -> Failure {
    let secrets: Vec<&str> = upstream
        .secrets()
        .chain(token)
        .map(ExposeSecret::expose_secret)
        .collect();
    let said = safe_text::excerpt(&answer.body, &secrets);
    Failure::status(upstream.name(), answer.status, said.as_deref())
}
