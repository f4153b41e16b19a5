//! Confirmed questions: passed on to the tools service.

use axum::body::Bytes;
use axum::extract::State as Shared;
use axum::response::Response;
use http::{HeaderMap, Method, Uri};
use service_kit::problem::ApiError;
use service_kit::web::CleanUrl;

use super::passed_on;
use crate::credential::Caller;
use crate::state::State;

/// Passes an operation on under the same path.
pub(super) async fn pass_on(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    // An id that would reach another path there is no question's.
    let plain = |segment: &str| {
        !matches!(segment, "." | "..")
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-:".contains(&byte))
    };
    if !uri.path().split('/').all(plain) {
        return Err(ApiError::not_found(
            "There is no question of this id that you may see.",
        ));
    }
    let path = uri
        .path_and_query()
        .map_or(uri.path(), |path| path.as_str());
    passed_on::pass_on(&state, &caller, method, path, &headers, body).await
}
