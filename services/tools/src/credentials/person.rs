//! The users whom an upstream made because this service named them with its key: what it keeps of
//! one, and the end of it.

use std::time::Duration;

use http::{Method, StatusCode};
use serde_json::Value;

use super::refresh::{MAX_ANSWER_BYTES, key_header};
use crate::upstreams::{Failure, Outgoing, Upstream, UpstreamResponse, exchange};

/// Whether the upstream is asked about persons.
pub(super) fn is_asked(upstream: &Upstream) -> bool {
    let refresh = upstream.token().refresh.as_ref();
    refresh.is_some_and(|refresh| refresh.person_path.is_some())
}

/// The data that an upstream keeps of a user; `None`: it does not know the user.
pub(super) async fn kept(upstream: &Upstream, subject: &str) -> Result<Option<Value>, Failure> {
    let answer = ask(upstream, Method::GET, subject).await?;
    if answer.status == StatusCode::NOT_FOUND {
        return Ok(None);
    }
    if !answer.status.is_success() {
        return Err(Failure::status(upstream.name(), answer.status, None));
    }
    let kept = serde_json::from_slice(&answer.body);
    let odd = |_| Failure::invalid_response(upstream.name(), "is not JSON");
    kept.map(Some).map_err(odd)
}

/// Has an upstream erase a user. Erasing again changes nothing.
pub(super) async fn erase(upstream: &Upstream, subject: &str) -> Result<(), Failure> {
    let answer = ask(upstream, Method::DELETE, subject).await?;
    if answer.status.is_success() || answer.status == StatusCode::NOT_FOUND {
        return Ok(());
    }
    Err(Failure::status(upstream.name(), answer.status, None))
}

async fn ask(
    upstream: &Upstream,
    method: Method,
    subject: &str,
) -> Result<UpstreamResponse, Failure> {
    let unusable = || Failure::unavailable(upstream.name(), "cannot be asked about a person");
    let config = upstream.token().refresh.as_ref().ok_or_else(unusable)?;
    let users = config.person_path.as_deref().ok_or_else(unusable)?;
    let mut url = upstream.base().clone();
    {
        let mut path = url.path_segments_mut().map_err(|()| unusable())?;
        path.pop_if_empty();
        path.extend(users.trim_matches('/').split('/'));
        path.push(subject);
    }
    let request = Outgoing {
        method,
        url,
        headers: key_header(config).ok_or_else(unusable)?,
        content: None,
        timeout: Duration::from_millis(config.timeout_ms),
        limit: MAX_ANSWER_BYTES,
    };
    exchange(upstream, &request, None).await
}
