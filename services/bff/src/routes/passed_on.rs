//! The ways on which a request is passed on to the tools service, and uploads.

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State as Shared};
use axum::response::Response;
use futures::TryStreamExt;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use service_kit::problem::ApiError;
use service_kit::web::CleanUrl;

use crate::credential::Caller;
use crate::proxy::{Forward, Tier};
use crate::state::State;

/// `POST /api/measurements`, streamed.
pub(super) async fn ingest_measurements(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, ApiError> {
    let path = with_query("/api/measurements", query.as_deref());
    let limit = state.upstreams.upload_limit();
    stream(&state, &caller, &path, &headers, body, limit).await
}

/// `POST /api/documents`, streamed.
pub(super) async fn ingest_document(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, ApiError> {
    let path = with_query("/api/documents", query.as_deref());
    let limit = state.upstreams.document_limit();
    stream(&state, &caller, &path, &headers, body, limit).await
}

/// Passes a `POST` on as it comes in, unless it is longer than it may be.
pub(super) async fn stream(
    state: &State,
    caller: &Caller,
    path: &str,
    headers: &HeaderMap,
    body: Body,
    limit: u64,
) -> Result<Response, ApiError> {
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(ApiError::body_too_large());
    }
    let limited = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
    let body =
        reqwest::Body::wrap_stream(limited.into_data_stream().map_err(std::io::Error::other));
    let request = Forward {
        tier: Tier::Tools,
        method: Method::POST,
        path,
        headers,
        body,
        uploads: true,
    };
    state
        .upstreams
        .forward(&state.token_issuer, &caller.account, request)
        .await
}

pub(super) async fn pass_on(
    state: &State,
    caller: &Caller,
    method: Method,
    path: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let request = Forward {
        tier: Tier::Tools,
        method,
        path,
        headers,
        body: body.into(),
        uploads: false,
    };
    state
        .upstreams
        .forward(&state.token_issuer, &caller.account, request)
        .await
}

fn with_query(path: &str, query: Option<&str>) -> String {
    query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
}
