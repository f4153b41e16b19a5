//! A handler's error answer: an RFC 9457 problem with the request's ids in it.
//!
//! [`ApiError`] is the last step of an error's way: domain errors speak no HTTP and are converted
//! in a service's `error.rs`. A 5xx shows a fixed sentence; what caused it is logged here, once,
//! when the answer is made.

use std::error::Error;
use std::fmt;

use axum::response::{IntoResponse, Response};
use contracts::kept::RetentionRefusal;
use contracts::problem::{FieldError, PROBLEM_JSON, Problem};
use http::header::{ALLOW, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::context::{RequestContext, current_trace_id};

/// Faults that one refusal lists.
const MOST_FAULTS: usize = 50;

/// The longest pointer and the longest words of a fault, in bytes.
const LONGEST_POINTER: usize = 512;
const LONGEST_DETAIL: usize = 2048;

/// Any error that caused a problem.
pub type Source = Box<dyn Error + Send + Sync>;

/// A problem on its way to the client, with the headers that belong to it and, for the log, its
/// cause.
#[derive(Debug)]
pub struct ApiError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    problem: Problem,
    headers: HeaderMap,
    source: Option<Source>,
}

impl ApiError {
    /// 400: the request cannot be read.
    pub fn malformed(detail: impl Into<String>) -> Self {
        new(
            StatusCode::BAD_REQUEST,
            "malformed_request",
            "Malformed request",
        )
        .with_detail(detail)
    }

    /// 401: no proper credential.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        new(StatusCode::UNAUTHORIZED, "unauthorized", "Unauthorized")
            .with_detail(detail)
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// 403: known, but not allowed.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        new(StatusCode::FORBIDDEN, "forbidden", "Forbidden").with_detail(detail)
    }

    /// 404: absent, or not the caller's to know of.
    pub fn not_found(detail: impl Into<String>) -> Self {
        new(StatusCode::NOT_FOUND, "not_found", "Not found").with_detail(detail)
    }

    /// 409: the present state does not allow it.
    pub fn conflict(detail: impl Into<String>) -> Self {
        new(StatusCode::CONFLICT, "conflict", "Conflict").with_detail(detail)
    }

    /// 413: the body is larger than the service reads.
    pub fn body_too_large() -> Self {
        new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            "Body too large",
        )
        .with_detail("The body is larger than this operation reads.")
    }

    /// 415: not a type of body that the operation reads.
    pub fn unsupported_media_type(detail: impl Into<String>) -> Self {
        new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "Unsupported media type",
        )
        .with_detail(detail)
    }

    /// 422: well-formed, but these parts are not valid. Long names and texts of the request are
    /// cut: a refusal is not an echo.
    pub fn invalid(mut errors: Vec<FieldError>) -> Self {
        errors.truncate(MOST_FAULTS);
        for fault in &mut errors {
            cut(&mut fault.pointer, LONGEST_POINTER);
            cut(&mut fault.detail, LONGEST_DETAIL);
        }
        let mut detail = errors.iter().map(line).collect::<Vec<_>>().join("; ");
        cut(&mut detail, LONGEST_DETAIL);
        let mut error = new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid_request",
            "Invalid request",
        )
        .with_detail(detail);
        error.0.problem.errors = errors;
        error
    }

    /// 422 for one part, named by its JSON pointer.
    pub fn invalid_field(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::invalid(vec![FieldError {
            pointer: pointer.into(),
            detail: detail.into(),
        }])
    }

    /// 429: too many requests; the client may retry after this number of seconds.
    pub fn too_many_requests(detail: impl Into<String>, retry_after_seconds: u64) -> Self {
        new(
            StatusCode::TOO_MANY_REQUESTS,
            "too_many_requests",
            "Too many requests",
        )
        .with_detail(detail)
        .with_retry_after(retry_after_seconds)
    }

    /// 500: a bug in the service. The client does not see the source.
    pub fn internal(source: impl Into<Source>) -> Self {
        new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "Internal error",
        )
        .with_detail(
            "The service met an error that it did not expect. The ids here find it in the log.",
        )
        .with_source(source)
    }

    /// 502: a service or model that this service needs failed.
    pub fn upstream_failed(source: impl Into<Source>) -> Self {
        new(
            StatusCode::BAD_GATEWAY,
            "upstream_failed",
            "Upstream failed",
        )
        .with_detail("A service that is needed for the answer failed.")
        .with_source(source)
    }

    /// 503: a dependency of this service is unavailable for now.
    pub fn unavailable(detail: impl Into<String>, source: impl Into<Source>) -> Self {
        new(
            StatusCode::SERVICE_UNAVAILABLE,
            "unavailable",
            "Unavailable",
        )
        .with_detail(detail)
        .with_retry_after(5)
        .with_source(source)
    }

    /// 504: a service or model that this service needs was too slow.
    pub fn upstream_timeout(source: impl Into<Source>) -> Self {
        new(
            StatusCode::GATEWAY_TIMEOUT,
            "upstream_timeout",
            "Upstream too slow",
        )
        .with_detail("A service that is needed for the answer took too long.")
        .with_source(source)
    }

    /// 408: the client did not send its body in time. The connection is closed, as the rest of the
    /// body may still come.
    pub(crate) fn body_too_slow() -> Self {
        new(
            StatusCode::REQUEST_TIMEOUT,
            "request_timeout",
            "Request too slow",
        )
        .with_detail("The body did not arrive in the time that this service waits for it.")
        .with_header(CONNECTION, HeaderValue::from_static("close"))
    }

    /// 503: the handler took longer than the service allows.
    pub(crate) fn timed_out() -> Self {
        new(StatusCode::SERVICE_UNAVAILABLE, "timeout", "Took too long")
            .with_detail("The answer took longer than this service allows.")
            .with_retry_after(5)
    }

    /// 404 for a path that no operation has.
    pub(crate) fn route_not_found() -> Self {
        new(StatusCode::NOT_FOUND, "route_not_found", "Unknown route")
            .with_detail("No operation has this path.")
    }

    /// 405 for a path that has other methods.
    pub(crate) fn method_not_allowed(allow: Option<HeaderValue>) -> Self {
        let error = new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "Method not allowed",
        )
        .with_detail("This path has operations, but none with this method.");
        match allow {
            Some(allow) => error.with_header(ALLOW, allow),
            None => error,
        }
    }

    /// Says what happened this time, safe to show.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.problem.detail = Some(detail.into());
        self
    }

    /// Adds a header to the answer.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.insert(name, value);
        self
    }

    /// Lists the names that are known, where a name was not.
    #[must_use]
    pub fn with_available(mut self, available: Vec<String>) -> Self {
        self.0.problem.available = available;
        self
    }

    /// Keeps what caused it, for the log.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Source>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The problem as it stands, without the ids that are added when it is sent.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// The problem as it would be sent now, for answers that are not HTTP responses (an error frame
    /// of a stream). Logs the cause as sending would.
    pub fn into_problem(self) -> Problem {
        let Inner {
            mut problem,
            source,
            ..
        } = *self.0;
        if let Some(context) = RequestContext::current() {
            problem.request_id = Some(context.request_id.as_ref().to_owned());
            problem
                .instance
                .get_or_insert_with(|| context.path.as_ref().to_owned());
        }
        problem.trace_id = current_trace_id();
        log(&problem, source.as_deref());
        problem
    }

    fn with_retry_after(self, seconds: u64) -> Self {
        self.with_header(RETRY_AFTER, HeaderValue::from(seconds))
    }
}

/// For kinds of problem that only one service has.
impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self(Box::new(Inner {
            problem,
            headers: HeaderMap::new(),
            source: None,
        }))
    }
}

impl From<RetentionRefusal> for ApiError {
    fn from(refusal: RetentionRefusal) -> Self {
        match refusal {
            RetentionRefusal::Fixed(detail) => Self::conflict(detail),
            RetentionRefusal::Bounds { pointer, detail } => Self::invalid_field(&pointer, detail),
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = &self.0.problem;
        write!(f, "{} {}", problem.status, problem.code)?;
        problem
            .detail
            .iter()
            .try_for_each(|detail| write!(f, ": {detail}"))
    }
}

impl Error for ApiError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}

impl IntoResponse for ApiError {
    fn into_response(mut self) -> Response {
        let headers = std::mem::take(&mut self.0.headers);
        let problem = self.into_problem();
        let status =
            StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // A problem is strings and numbers: nothing in it can fail to serialize.
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        let mut response = (status, headers, body).into_response();
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        response
    }
}

/// An error and all that caused it, on one line.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line.push_str(": ");
        line.push_str(&error.to_string());
        source = error.source();
    }
    line
}

fn new(status: StatusCode, code: &str, title: &str) -> ApiError {
    Problem::new(status.as_u16(), code, title).into()
}

fn log(problem: &Problem, source: Option<&(dyn Error + Send + Sync + 'static)>) {
    let cause = source.map(|source| chain(source));
    let (code, status) = (problem.code.as_str(), problem.status);
    if status == 503 {
        // What is away is logged where it went away; each caller that comes in the meantime is a
        // consequence.
        tracing::warn!(
            code,
            status,
            error = cause.as_deref(),
            "answered that something is unavailable"
        );
    } else if status >= 500 {
        tracing::error!(
            code,
            status,
            error = cause.as_deref(),
            "answered with a server error"
        );
    } else {
        tracing::debug!(code, status, error = cause.as_deref(), "refused a request");
    }
}

/// Shortens a text to about `longest` bytes, and marks that it is shortened.
fn cut(text: &mut String, longest: usize) {
    if text.len() > longest {
        text.truncate(text.floor_char_boundary(longest));
        text.push('…');
    }
}

fn line(fault: &FieldError) -> String {
    let FieldError { pointer, detail } = fault;
    if pointer.is_empty() {
        detail.clone()
    } else {
        format!("{pointer}: {detail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn a_chain_is_written_whole() {
        let error = Outer(std::io::Error::other("inner"));
        assert_eq!(chain(&error), "outer: inner");
    }

    #[test]
    fn a_server_error_does_not_show_its_source() {
        let error = ApiError::internal(std::io::Error::other("password=hunter2"));
        let problem = serde_json::to_string(error.problem()).unwrap();
        assert!(!problem.contains("hunter2"), "{problem}");
        assert_eq!(error.source().unwrap().to_string(), "password=hunter2");
    }

    #[test]
    fn an_invalid_request_names_each_fault() {
        let error = ApiError::invalid_field("/days", "must be at most 365");
        assert_eq!(
            error.to_string(),
            "422 invalid_request: /days: must be at most 365"
        );
        assert_eq!(error.problem().errors.len(), 1);
    }
}
