//! Pages of other origins, as far as the configuration lets them in (CORS).

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

/// Time that a browser remembers a preflight's answer.
const MAX_AGE_SECONDS: u64 = 600;

/// What pages of allowed origins may send.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, content-encoding, idempotency-key, last-event-id, x-request-id, traceparent, tracestate",
);

/// Which origins are let in, and which headers of an answer they see beside those that every page
/// sees.
#[derive(Debug, Clone)]
pub(super) struct Cors {
    origins: Vec<String>,
    exposed: HeaderValue,
}

impl Cors {
    pub(super) fn new(origins: Vec<String>, exposed: HeaderValue) -> Self {
        Self { origins, exposed }
    }

    /// The request's origin, if it is one of those.
    fn origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(ORIGIN)?;
        let listed = self
            .origins
            .iter()
            .any(|one| one.as_bytes() == origin.as_bytes());
        listed.then(|| origin.clone())
    }

    fn allow(&self, origin: HeaderValue, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        );
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, self.exposed.clone());
    }
}

/// Answers preflights of allowed origins, and marks answers for them. For other origins nothing
/// changes, so that a browser keeps their pages away.
pub(super) async fn around(State(cors): State<Cors>, request: Request, next: Next) -> Response {
    let origin = cors.origin(request.headers());
    let preflight = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match &origin {
        Some(_) if preflight => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
            headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from(MAX_AGE_SECONDS));
            response
        }
        _ => next.run(request).await,
    };
    response
        .headers_mut()
        .append(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        cors.allow(origin, response.headers_mut());
    }
    response
}
