//! One request to an upstream and its answer, within limits: of time, of size, and of where it may
//! lead.

use std::time::Duration;

use contracts::tools::upstreams::error_codes;
use futures::StreamExt;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use reqwest::{Response, Url};
use secrecy::{ExposeSecret, SecretString};
use service_kit::problem::chain;

use super::{Failure, Upstream};

/// More redirects than an honest server needs.
const MAX_REDIRECTS: usize = 3;

/// A request that may be sent more than once.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// Beside the upstream's own.
    pub(crate) headers: HeaderMap,
    pub(crate) content: Option<Content>,
    pub(crate) timeout: Duration,
    /// The largest answer that is read.
    pub(crate) limit: usize,
}

/// A body. It may hold a refresh token, so it is never shown.
pub(crate) struct Content {
    pub(crate) media_type: &'static str,
    pub(crate) bytes: Vec<u8>,
}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes of {}", self.bytes.len(), self.media_type)
    }
}

/// The upstream's response. The body may hold a token.
pub(crate) struct UpstreamResponse {
    pub(crate) status: StatusCode,
    pub(crate) body: Vec<u8>,
}

/// Sends a request and reads the whole answer.
pub(crate) async fn exchange(
    upstream: &Upstream,
    request: &Outgoing,
    token: Option<&SecretString>,
) -> Result<UpstreamResponse, Failure> {
    let within = tokio::time::timeout(request.timeout, async {
        let response = open(upstream, request, token).await?;
        read(upstream, response, request.limit).await
    });
    within
        .await
        .unwrap_or_else(|_| Err(Failure::unavailable(upstream.name(), "took too long")))
}

/// Sends a request; the body of the answer is yet to be read.
pub(super) async fn open(
    upstream: &Upstream,
    request: &Outgoing,
    token: Option<&SecretString>,
) -> Result<Response, Failure> {
    let mut url = request.url.clone();
    for _ in 0..=MAX_REDIRECTS {
        let response = send(upstream, request, &url, token).await?;
        match redirected(upstream, request, &url, &response)? {
            Some(next) => url = next,
            None => return Ok(response),
        }
    }
    Err(Failure::invalid_response(
        upstream.name(),
        "is one redirect after another",
    ))
}

async fn send(
    upstream: &Upstream,
    request: &Outgoing,
    url: &Url,
    token: Option<&SecretString>,
) -> Result<Response, Failure> {
    let mut headers = upstream.headers().clone();
    headers.extend(request.headers.clone());
    headers
        .entry(ACCEPT)
        .or_insert(HeaderValue::from_static("application/json"));
    if let Some(token) = token {
        headers.insert(AUTHORIZATION, bearer(token)?);
    }
    let mut sent = upstream
        .client()
        .request(request.method.clone(), url.clone());
    if let Some(content) = &request.content {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content.media_type));
        sent = sent.body(content.bytes.clone());
    }
    sent.headers(headers).send().await.map_err(|error| {
        // The arguments are in the URL, and are the user's.
        let error = error.without_url();
        tracing::warn!(upstream = upstream.name(), error = %chain(&error), "an upstream cannot be reached");
        Failure::unavailable(upstream.name(), "cannot be reached")
    })
}

fn bearer(token: &SecretString) -> Result<HeaderValue, Failure> {
    let value = HeaderValue::try_from(format!("Bearer {}", token.expose_secret()));
    let mut value = value.map_err(|_| {
        Failure::new(
            error_codes::REFRESH_FAILED,
            "The token cannot be sent in a header.",
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// The target of an answer that is a permitted redirect: within the upstream, and with the same
/// request.
fn redirected(
    upstream: &Upstream,
    request: &Outgoing,
    url: &Url,
    response: &Response,
) -> Result<Option<Url>, Failure> {
    let same_request = match response.status().as_u16() {
        301..=303 => request.method == Method::GET,
        307 | 308 => true,
        _ => return Ok(None),
    };
    let refused = || Failure::invalid_response(upstream.name(), "leads elsewhere");
    let location = response
        .headers()
        .get(LOCATION)
        .and_then(|to| to.to_str().ok());
    let next = location
        .and_then(|to| url.join(to).ok())
        .ok_or_else(refused)?;
    let same_place = next.origin() == upstream.base().origin()
        && next.username().is_empty()
        && next.password().is_none();
    if same_place && same_request {
        Ok(Some(next))
    } else {
        tracing::warn!(
            upstream = upstream.name(),
            "an upstream's redirect was not followed"
        );
        Err(refused())
    }
}

/// Reads the whole body of an answer.
pub(super) async fn read(
    upstream: &Upstream,
    response: Response,
    limit: usize,
) -> Result<UpstreamResponse, Failure> {
    let status = response.status();
    let too_large = || Failure::invalid_response(upstream.name(), "is too large");
    let announced = response.content_length().unwrap_or_default();
    if announced > limit as u64 {
        return Err(too_large());
    }
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| broke_off(upstream, error))?;
        if body.len() + chunk.len() > limit {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(UpstreamResponse { status, body })
}

/// The failure of an answer that ended early.
pub(super) fn broke_off(upstream: &Upstream, error: reqwest::Error) -> Failure {
    let error = error.without_url();
    tracing::warn!(upstream = upstream.name(), error = %chain(&error), "an upstream's answer broke off");
    Failure::unavailable(upstream.name(), "broke off its answer")
}
