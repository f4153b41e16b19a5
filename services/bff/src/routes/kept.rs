//! Documents, forecast irradiance and credentials: what users give the tools service to keep.
//! Scopes are checked there; the caller's are in the token that goes along.

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State as Shared};
use axum::response::Response;
use http::{HeaderMap, Method};
use service_kit::problem::ApiError;
use service_kit::web::{CleanUrl, Path};

use super::passed_on::{pass_on, stream, with_query};
use crate::credential::Caller;
use crate::state::State;

/// `GET /api/documents`.
pub(super) async fn list_documents(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let path = with_query("/api/documents", query.as_deref());
    pass_on(&state, &caller, Method::GET, &path, &headers, Bytes::new()).await
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

/// `GET /api/documents/{id}/text`.
pub(super) async fn get_document_text(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id = segment(&id).ok_or_else(|| ApiError::not_found("There is no such document."))?;
    let path = format!("/api/documents/{id}/text");
    pass_on(&state, &caller, Method::GET, &path, &headers, Bytes::new()).await
}

/// `DELETE /api/documents/{id}`.
pub(super) async fn delete_document(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id = segment(&id).ok_or_else(|| ApiError::not_found("There is no such document."))?;
    let path = format!("/api/documents/{id}");
    pass_on(
        &state,
        &caller,
        Method::DELETE,
        &path,
        &headers,
        Bytes::new(),
    )
    .await
}

/// `POST`, `GET` and `DELETE /api/weather`.
pub(super) async fn weather(
    Shared(state): Shared<State>,
    caller: Caller,
    method: Method,
    _: CleanUrl,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Result<Response, ApiError> {
    let path = with_query("/api/weather", query.as_deref());
    pass_on(&state, &caller, method, &path, &headers, body).await
}

/// `GET` and `DELETE /api/choices`.
pub(super) async fn choices(
    Shared(state): Shared<State>,
    caller: Caller,
    method: Method,
    _: CleanUrl,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let path = with_query("/api/choices", query.as_deref());
    pass_on(&state, &caller, method, &path, &headers, Bytes::new()).await
}

/// `GET /api/credentials`.
pub(super) async fn list_credentials(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let path = "/api/credentials";
    pass_on(&state, &caller, Method::GET, path, &headers, Bytes::new()).await
}

/// `PUT /api/credentials/{upstream}`.
pub(super) async fn put_credential(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
    Path(upstream): Path<String>,
    body: Bytes,
) -> Result<Response, ApiError> {
    let path = credential_path(&upstream)?;
    pass_on(&state, &caller, Method::PUT, &path, &headers, body).await
}

/// `POST /api/credentials/{upstream}/ensure`.
pub(super) async fn ensure_credential(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
    Path(upstream): Path<String>,
) -> Result<Response, ApiError> {
    let path = format!("{}/ensure", credential_path(&upstream)?);
    pass_on(&state, &caller, Method::POST, &path, &headers, Bytes::new()).await
}

/// `DELETE /api/credentials/{upstream}`.
pub(super) async fn delete_credential(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
    Path(upstream): Path<String>,
) -> Result<Response, ApiError> {
    let path = credential_path(&upstream)?;
    pass_on(
        &state,
        &caller,
        Method::DELETE,
        &path,
        &headers,
        Bytes::new(),
    )
    .await
}

fn credential_path(upstream: &str) -> Result<String, ApiError> {
    let name = segment(upstream)
        .ok_or_else(|| ApiError::not_found("There is no upstream of that name."))?;
    Ok(format!("/api/credentials/{name}"))
}

/// A name that is one segment of a path at the inner tier, too.
fn segment(name: &str) -> Option<&str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (!name.is_empty() && name.bytes().all(plain)).then_some(name)
}
