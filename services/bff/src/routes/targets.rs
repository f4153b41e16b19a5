//! Target databases: passed on to the tools service.

use axum::body::Bytes;
use axum::extract::State as Shared;
use axum::response::Response;
use http::{HeaderMap, Method};
use service_kit::problem::ApiError;
use service_kit::web::{CleanUrl, Path};

use super::passed_on;
use crate::credential::Caller;
use crate::state::State;

/// `POST /api/targets/{target}/refresh`.
pub(super) async fn pass_on(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    headers: HeaderMap,
    Path(target): Path<String>,
    body: Bytes,
) -> Result<Response, ApiError> {
    // A name that would reach another path there is no target's.
    let is_name = !target.is_empty()
        && target
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !is_name {
        return Err(ApiError::not_found(
            "There is no target database of this name.",
        ));
    }
    let path = format!("/api/targets/{target}/refresh");
    passed_on::pass_on(&state, &caller, Method::POST, &path, &headers, body).await
}
