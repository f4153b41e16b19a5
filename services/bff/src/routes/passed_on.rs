//! Tools and uploads: what is passed on to the tools service.

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State as Shared};
use axum::response::Response;
use futures::TryStreamExt;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use service_kit::problem::ApiError;
use service_kit::web::{CleanUrl, Path};

use crate::credential::Caller;
use crate::proxy::{Forward, Tier};
use crate::state::State;

/// `GET /api/tools`.
pub(super) async fn list_tools(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let path = with_query("/api/tools", query.as_deref());
    pass_on(&state, &caller, Method::GET, &path, &headers, Bytes::new()).await
}

/// `GET /api/tools/{name}`.
pub(super) async fn get_tool(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    headers: HeaderMap,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let path = with_query(&tool_path(&name)?, query.as_deref());
    pass_on(&state, &caller, Method::GET, &path, &headers, Bytes::new()).await
}

/// `POST /api/tools/{name}`.
pub(super) async fn call_tool(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    headers: HeaderMap,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Response, ApiError> {
    pass_on(
        &state,
        &caller,
        Method::POST,
        &tool_path(&name)?,
        &headers,
        body,
    )
    .await
}

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

/// The path of a tool at the inner tier. A name that would reach another path there is no tool's.
fn tool_path(name: &str) -> Result<String, ApiError> {
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if plain {
        Ok(format!("/api/tools/{name}"))
    } else {
        Err(ApiError::not_found("There is no tool of this name."))
    }
}

pub(super) fn with_query(path: &str, query: Option<&str>) -> String {
    query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
}
