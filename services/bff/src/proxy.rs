//! The way to the inner tiers: the credential is exchanged for an identity token, the body and the
//! answer are passed through as they come. When the client goes away the answer is dropped, which
//! closes the request behind it, too.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use contracts::accounts::{QuotaList, QuotaUse};
use contracts::problem::Problem;
use contracts::schedules::{StopLink, UseStopLink};
use futures::TryStreamExt;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE, LOCATION,
    RETRY_AFTER,
};
use http::{HeaderMap, HeaderName, Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use service_kit::client::{HttpClient, SendError};
use service_kit::identity::KeyError;
use service_kit::problem::{ApiError, chain};
use tracing::{Instrument, Span, field};
use uuid::Uuid;

use crate::accounts::Account;
use crate::config::UpstreamConfig;
use crate::error;
use crate::identity::TokenIssuer;

/// Headers of a client that are passed to an inner tier. Its credentials are not among them.
const REQUEST_HEADERS: [HeaderName; 4] = [
    CONTENT_TYPE,
    CONTENT_ENCODING,
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("last-event-id"),
];

/// Headers of an inner tier that are passed to a client.
const RESPONSE_HEADERS: [HeaderName; 9] = [
    CONTENT_TYPE,
    CACHE_CONTROL,
    CONTENT_DISPOSITION,
    LOCATION,
    HeaderName::from_static("x-thread-id"),
    HeaderName::from_static("x-accel-buffering"),
    HeaderName::from_static("x-run-id"),
    HeaderName::from_static("x-truncated"),
    HeaderName::from_static(contracts::chat::UI_MESSAGE_STREAM_HEADER),
];

/// Stopping what runs and erasing it takes a while.
const ERASE_TIMEOUT: Duration = Duration::from_mins(1);

/// Time limit for reading the limits of a tier.
const QUOTA_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of bytes of a tier's problem.
const PROBLEM_LIMIT: usize = 256 * 1024;

/// The inner tiers.
pub(crate) struct Upstreams {
    client: HttpClient,
    config: UpstreamConfig,
}

/// An inner tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    Orchestrator,
    Tools,
}

/// A request to pass on.
pub(crate) struct Forward<'a> {
    pub(crate) tier: Tier,
    pub(crate) method: Method,
    /// Path and query at the inner tier.
    pub(crate) path: &'a str,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: reqwest::Body,
    /// Whether the body is an upload, which takes its time.
    pub(crate) uploads: bool,
}

/// An inner tier that does not do its part.
#[derive(Debug, thiserror::Error)]
enum UpstreamError {
    #[error("{tier:?} answered {status}: {}", .problem.as_ref().map_or("no problem", |problem| problem.code.as_str()))]
    Status {
        tier: Tier,
        status: StatusCode,
        problem: Option<Box<Problem>>,
    },
    #[error("{0:?} did not answer in time")]
    Slow(Tier),
}

/// A request of this service itself that a tier did not carry out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EraseError {
    #[error("there is no token to ask with")]
    Key(#[from] KeyError),
    #[error("the service did not do it")]
    Request(#[from] SendError),
}

impl Upstreams {
    pub(crate) fn new(client: HttpClient, config: UpstreamConfig) -> Self {
        Self { client, config }
    }

    /// The largest upload.
    pub(crate) fn upload_limit(&self) -> u64 {
        self.config.upload_limit_bytes
    }

    /// The largest document.
    pub(crate) fn document_limit(&self) -> u64 {
        self.config.document_limit_bytes
    }

    /// Passes a request on for an account, and its answer back.
    pub(crate) async fn forward(
        &self,
        token_issuer: &TokenIssuer,
        account: &Account,
        request: Forward<'_>,
    ) -> Result<Response, ApiError> {
        let token = token_issuer
            .identity_token(account)
            .await
            .map_err(error::key)?;
        let span = call_span(request.tier, &request.method, self.base_url(request.tier));
        self.send(&token, request).instrument(span).await
    }

    async fn send(&self, token: &SecretString, request: Forward<'_>) -> Result<Response, ApiError> {
        let tier = request.tier;
        let url = format!("{}{}", self.base_url(tier), request.path);
        let mut outgoing = self
            .client
            .request(request.method, url)
            .bearer_auth(token.expose_secret())
            // What the client can read is decided here, once.
            .header(ACCEPT_ENCODING, "identity")
            .body(request.body);
        for name in REQUEST_HEADERS {
            if let Some(value) = request.headers.get(&name) {
                outgoing = outgoing.header(name, value);
            }
        }
        let patience = if request.uploads {
            self.config.upload_timeout()
        } else {
            self.config.response_timeout()
        };
        let failed = |error: ApiError| {
            Span::current().record("otel.status_code", "ERROR");
            error
        };
        let answer = tokio::time::timeout(patience, self.client.send(outgoing))
            .await
            .map_err(|_elapsed| failed(ApiError::upstream_timeout(UpstreamError::Slow(tier))))?
            .map_err(|error| failed(away(error)))?;
        let status = answer.status();
        Span::current().record("http.response.status_code", status.as_u16());
        if status.is_success() {
            Ok(pass_back(answer))
        } else {
            refuse(tier, status, answer).await
        }
    }

    /// Has a tier erase what it keeps of a person.
    pub(crate) async fn erase(
        &self,
        token_issuer: &TokenIssuer,
        tier: Tier,
        subject: Uuid,
        tenant: &str,
    ) -> Result<(), EraseError> {
        let path = match tier {
            Tier::Orchestrator => "/v1/person",
            Tier::Tools => "/api/person",
        };
        let token = token_issuer.erase_token(subject, tenant).await?;
        let request = self
            .client
            .request(Method::DELETE, format!("{}{path}", self.base_url(tier)))
            .bearer_auth(token.expose_secret())
            .timeout(ERASE_TIMEOUT);
        let answer = self.client.send(request).await?;
        answer.error_for_status().map_err(SendError::from)?;
        Ok(())
    }

    /// Uses the link in a mail that stops its schedule. `None`: it is not valid, or its schedule
    /// does not exist.
    pub(crate) async fn use_stop_link(
        &self,
        token_issuer: &TokenIssuer,
        person: (Uuid, &str),
        wanted: &UseStopLink,
    ) -> Result<Option<StopLink>, EraseError> {
        let token = token_issuer.stop_token(person.0, person.1).await?;
        let url = format!(
            "{}/v1/schedules/stop-link",
            self.base_url(Tier::Orchestrator)
        );
        let request = self
            .client
            .post(url)
            .bearer_auth(token.expose_secret())
            .timeout(QUOTA_TIMEOUT)
            .json(wanted);
        let answer = self.client.send(request).await?;
        if matches!(
            answer.status(),
            StatusCode::NOT_FOUND | StatusCode::UNPROCESSABLE_ENTITY
        ) {
            return Ok(None);
        }
        let link = async { answer.error_for_status()?.json().await };
        Ok(Some(link.await.map_err(SendError::from)?))
    }

    /// The limits of a tier as they count for an account. None while the tier is away, or without
    /// the scope: who the caller is can be asked nevertheless.
    pub(crate) async fn quotas(
        &self,
        token_issuer: &TokenIssuer,
        tier: Tier,
        account: &Account,
    ) -> Vec<QuotaUse> {
        let (path, scope) = match tier {
            Tier::Orchestrator => ("/v1/quotas", "chat"),
            Tier::Tools => ("/api/quotas", "tools:read"),
        };
        if !account.has(scope) {
            return Vec::new();
        }
        let asked = async {
            let token = token_issuer.identity_token(account).await?;
            let request = self
                .client
                .get(format!("{}{path}", self.base_url(tier)))
                .bearer_auth(token.expose_secret())
                .timeout(QUOTA_TIMEOUT);
            let answer = self.client.send(request).await?;
            let list = async { answer.error_for_status()?.json::<QuotaList>().await };
            Ok::<_, EraseError>(list.await.map_err(SendError::from)?.quotas)
        };
        asked.await.unwrap_or_else(|error| {
            tracing::warn!(error = %chain(&error), ?tier, "the limits of a service cannot be read");
            Vec::new()
        })
    }

    fn base_url(&self, tier: Tier) -> &str {
        let url = match tier {
            Tier::Orchestrator => &self.config.orchestrator_url,
            Tier::Tools => &self.config.tools_url,
        };
        url.trim_end_matches('/')
    }
}

/// The answer when a tier is away: its process ended before it answered, and another one follows
/// in a moment.
fn away(error: SendError) -> ApiError {
    ApiError::unavailable(
        "A service that is needed for the answer is restarting; try again in a moment.",
        error,
    )
}

/// The span of a call of a tier, to the head of its answer. The body is read in the span of the
/// request.
fn call_span(tier: Tier, method: &Method, base_url: &str) -> Span {
    let tier = match tier {
        Tier::Orchestrator => "orchestrator",
        Tier::Tools => "tools",
    };
    tracing::info_span!(
        "call",
        otel.name = %format_args!("{method} {tier}"),
        otel.kind = "client",
        otel.status_code = field::Empty,
        http.request.method = %method,
        http.response.status_code = field::Empty,
        server.address = base_url.split_once("://").map(|(_, address)| address),
    )
}

fn pass_back(answer: reqwest::Response) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    for name in RESPONSE_HEADERS {
        if let Some(value) = answer.headers().get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    *response.body_mut() = Body::from_stream(answer.bytes_stream());
    response
}

/// A client's mistake is reported in the tier's words; a fault behind this service in this
/// service's.
async fn refuse(
    tier: Tier,
    status: StatusCode,
    answer: reqwest::Response,
) -> Result<Response, ApiError> {
    let retry_after = answer.headers().get(RETRY_AFTER).cloned();
    let problem = read_problem(answer).await;
    match problem {
        // The tier refused this service's own token: that is not the client's doing.
        Some(problem) if status.is_client_error() && status != StatusCode::UNAUTHORIZED => {
            let mut error = ApiError::from(Problem {
                instance: None,
                ..problem
            });
            if let Some(value) = retry_after {
                error = error.with_header(RETRY_AFTER, value);
            }
            Err(error)
        }
        problem => {
            let detail = problem.as_ref().and_then(|problem| problem.detail.clone());
            let source = UpstreamError::Status {
                tier,
                status,
                problem: problem.map(Box::new),
            };
            Err(match status {
                StatusCode::SERVICE_UNAVAILABLE => ApiError::unavailable(
                    detail.unwrap_or_else(|| {
                        "The service is not available at the moment.".to_owned()
                    }),
                    source,
                ),
                StatusCode::GATEWAY_TIMEOUT => ApiError::upstream_timeout(source),
                _ => ApiError::upstream_failed(source),
            })
        }
    }
}

async fn read_problem(answer: reqwest::Response) -> Option<Problem> {
    let mut body = answer.bytes_stream();
    let mut bytes = Vec::new();
    while let Ok(Some(part)) = body.try_next().await {
        bytes.extend_from_slice(&part);
        if bytes.len() > PROBLEM_LIMIT {
            return None;
        }
    }
    // Not as a client's body is read: its pointer may name a member with a null character, which is
    // why it was refused.
    serde_json::from_slice(&bytes).ok()
}
