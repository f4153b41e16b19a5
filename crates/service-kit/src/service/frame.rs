//! What happens around each request.

use std::any::Any;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::{FutureExt, StreamExt, stream};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderName, HeaderValue};
use tracing::{Instrument, Span, field};

use super::bare_errors;
use super::hosts::Hosts;
use super::upload::Upload;
use crate::client_address::TrustedProxies;
use crate::clock::SharedIds;
use crate::context::{self, REQUEST_ID_HEADER, RequestContext};
use crate::problem::ApiError;
use crate::telemetry::metrics::ObservedRequest;

const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The service's properties that the frame needs.
pub(super) struct Frame {
    pub(super) service: &'static str,
    pub(super) timeout: Duration,
    pub(super) slow: HashMap<&'static str, Duration>,
    pub(super) ids: SharedIds,
    pub(super) hosts: Hosts,
    pub(super) proxies: TrustedProxies,
}

/// Frames one request: ids, span, address, host, time-out, panics, bare errors, headers.
pub(super) async fn around(
    State(frame): State<Arc<Frame>>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>() {
        let client = frame.proxies.client_of(peer.ip(), request.headers());
        request.extensions_mut().insert(client);
    }
    let request_id = match context::request_id(request.headers()) {
        Some(id) => Arc::from(id),
        None => Arc::from(frame.ids.new_id().to_string()),
    };
    let context = RequestContext {
        request_id,
        path: Arc::from(request.uri().path()),
    };
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map(MatchedPath::as_str);
    let span = if is_probe(route) {
        // Probes come every few seconds and say nothing about requests.
        Span::none()
    } else {
        request_span(frame.service, &request, route, &context)
    };
    let timeout = route
        .and_then(|route| frame.slow.get(route))
        .copied()
        .unwrap_or(frame.timeout);
    let header = HeaderValue::from_str(&context.request_id);

    let observed = ObservedRequest::begin(frame.service, request.method());
    let answer = async {
        let started = Instant::now();
        let response = match frame.hosts.check(&request) {
            Ok(()) => guarded(request, next, timeout).await,
            Err(refusal) => refusal.into_response(),
        };
        finish(&response, route, started);
        observed.answered(route, response.status(), started.elapsed());
        response
    };
    let mut response = context.scope(answer.instrument(span.clone())).await;
    if is_stream(response.headers()) {
        response = response.map(|body| within(span, body));
    }
    if let Ok(header) = header {
        response.headers_mut().insert(REQUEST_ID_HEADER, header);
    }
    default_headers(response.headers_mut());
    response
}

/// Whether an answer is a stream whose parts are sent as they come: server-sent events, or any
/// other form that says so to proxies (`X-Accel-Buffering: no`).
pub(super) fn is_stream(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    content_type.is_some_and(|essence| essence.starts_with(b"text/event-stream"))
        || headers
            .get(&X_ACCEL_BUFFERING)
            .is_some_and(|value| value == "no")
}

/// A body that is read within the span, so that the span lasts as long as the stream.
fn within(span: Span, body: Body) -> Body {
    let mut stream = body.into_data_stream();
    Body::from_stream(stream::poll_fn(move |context| {
        let _within = span.enter();
        stream.poll_next_unpin(context)
    }))
}

/// Headers of every answer, unless its handler set them: browsers take the media type as it is
/// written, and caches keep no copy of what may be personal. Files, which are not JSON, are the
/// same for every user.
fn default_headers(headers: &mut HeaderMap) {
    headers
        .entry(X_CONTENT_TYPE_OPTIONS)
        .or_insert(HeaderValue::from_static("nosniff"));
    let essence = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let personal = essence.is_none_or(|essence| {
        essence.starts_with(b"application/json") || essence.starts_with(b"application/problem+json")
    });
    if personal || is_stream(headers) {
        headers
            .entry(CACHE_CONTROL)
            .or_insert(HeaderValue::from_static("no-store"));
    }
}

/// The handler's answer, or a problem in place of a panic, a time-out or a bare error. The time-out
/// ends with the answer's head: a body that streams is not cut. Whose time it was decides which
/// problem it is: the client's, whose body was waited for, or the service's.
async fn guarded(request: Request, next: Next, timeout: Duration) -> Response {
    let (request, upload) = Upload::watch(request);
    // Kept until it is known whose time it was: a body that is dropped is not waited for.
    let mut handled = pin!(AssertUnwindSafe(next.run(request)).catch_unwind());
    match tokio::time::timeout(timeout, handled.as_mut()).await {
        Ok(Ok(response)) => bare_errors::replace(response),
        Ok(Err(panic)) => ApiError::internal(Panic(message_of(panic.as_ref()))).into_response(),
        Err(_elapsed) if upload.is_awaited() => ApiError::body_too_slow().into_response(),
        Err(_elapsed) => ApiError::timed_out().into_response(),
    }
}

/// A span named and filled as OpenTelemetry's conventions for HTTP servers say.
fn request_span(
    service: &'static str,
    request: &Request,
    route: Option<&str>,
    context: &RequestContext,
) -> Span {
    let method = request.method();
    let span = tracing::info_span!(
        // A caller in the same process is its parent by the headers, as any caller is.
        parent: None,
        "request",
        otel.name = %format_args!("{method} {}", route.unwrap_or("unknown route")),
        otel.kind = "server",
        otel.status_code = field::Empty,
        heliograph.service = service,
        http.request.method = %method,
        http.route = route,
        http.response.status_code = field::Empty,
        url.path = %context.path,
        heliograph.tenant = field::Empty,
        gen_ai.tool.name = field::Empty,
        request_id = %context.request_id,
        trace_id = field::Empty,
    );
    context::adopt_parent(&span, request.headers());
    if let Some(trace_id) = context::trace_id(&span) {
        span.record("trace_id", trace_id);
    }
    span
}

fn finish(response: &Response, route: Option<&str>, started: Instant) {
    let status = response.status();
    let span = Span::current();
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    let (status, elapsed_ms) = (status.as_u16(), started.elapsed().as_secs_f64() * 1000.0);
    if is_probe(route) {
        tracing::debug!(status, elapsed_ms, "answered");
    } else {
        tracing::info!(status, elapsed_ms, "answered");
    }
}

fn is_probe(route: Option<&str>) -> bool {
    route.is_some_and(|route| route.starts_with("/health/"))
}

/// A handler's panic as an error, for the log.
#[derive(Debug, thiserror::Error)]
#[error("the handler panicked: {0}")]
struct Panic(String);

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
