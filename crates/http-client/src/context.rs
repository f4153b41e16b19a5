//! The request that a piece of work belongs to, and the headers that carry its ids to the next
//! service.
//!
//! The context lives in a task-local, so a spawned task has none unless it is given one: take
//! [`RequestContext::current`] before spawning and run the task inside [`RequestContext::scope`].

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The header that carries a request's id, in and out.
pub const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Longer ids are replaced: they go into each log line.
const MAX_REQUEST_ID: usize = 128;

tokio::task_local! {
    static CURRENT: RequestContext;
}

/// The request that is being answered. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RequestContext {
    /// The request's id: the caller's if it is valid, otherwise a generated one.
    pub request_id: Arc<str>,
    /// The path of the request, without its query.
    pub path: Arc<str>,
}

impl RequestContext {
    /// The context of the request that this task is answering.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Runs `work` as part of this request.
    pub async fn scope<F: Future>(self, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }
}

/// The trace that the current span belongs to.
pub fn current_trace_id() -> Option<String> {
    trace_id(&tracing::Span::current())
}

/// The trace that a span belongs to; `None` where tracing is not set up.
pub fn trace_id(span: &tracing::Span) -> Option<String> {
    let context = span.context();
    let span_context = context.span().span_context().clone();
    span_context
        .is_valid()
        .then(|| span_context.trace_id().to_string())
}

/// Adds the headers that tie an outgoing request to this one: `traceparent`, `tracestate` and
/// `x-request-id`.
pub fn inject_context(headers: &mut HeaderMap) {
    let context = tracing::Span::current().context();
    TraceContextPropagator::new().inject_context(&context, &mut HeaderInjector(headers));
    let request_id = RequestContext::current().map(|current| current.request_id);
    if let Some(value) = request_id.and_then(|id| HeaderValue::from_str(&id).ok()) {
        headers.insert(REQUEST_ID_HEADER, value);
    }
}

/// Sets the caller's span as the parent of this one when the request names one.
pub fn adopt_parent(span: &tracing::Span, headers: &HeaderMap) {
    let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
    if parent.span().span_context().is_valid() {
        // Fails only where tracing is not set up, and then there is nothing to tie together.
        let _ = span.set_parent(parent);
    }
}

/// The caller's request id, when it is one that can go into a header and a log line as it is.
pub fn request_id(headers: &HeaderMap) -> Option<&str> {
    let id = headers.get(REQUEST_ID_HEADER)?.to_str().ok()?;
    let proper = !id.is_empty()
        && id.len() <= MAX_REQUEST_ID
        && id.bytes().all(|byte| byte.is_ascii_graphic());
    proper.then_some(id)
}

struct HeaderInjector<'a>(&'a mut HeaderMap);

impl Injector for HeaderInjector<'_> {
    fn set(&mut self, key: &str, value: String) {
        let pair = (HeaderName::try_from(key), HeaderValue::try_from(value));
        if let (Ok(name), Ok(value)) = pair {
            self.0.insert(name, value);
        }
    }
}

struct HeaderExtractor<'a>(&'a HeaderMap);

impl Extractor for HeaderExtractor<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_id(id: &str) -> HeaderMap {
        HeaderMap::from_iter([(REQUEST_ID_HEADER, HeaderValue::from_str(id).unwrap())])
    }

    #[test]
    fn only_short_and_printable_request_ids_are_taken_over() {
        assert_eq!(request_id(&with_id("abc-1")), Some("abc-1"));
        assert_eq!(request_id(&with_id("two words")), None);
        assert_eq!(request_id(&with_id(&"x".repeat(129))), None);
        assert_eq!(request_id(&HeaderMap::new()), None);
    }

    #[tokio::test]
    async fn the_request_id_travels_on() {
        let context = RequestContext {
            request_id: "r-1".into(),
            path: "/".into(),
        };
        let headers = context
            .scope(async {
                let mut headers = HeaderMap::new();
                inject_context(&mut headers);
                headers
            })
            .await;
        assert_eq!(headers[REQUEST_ID_HEADER], "r-1");
    }
}
