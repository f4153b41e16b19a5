//! What is passed on to the tools service under the same path: tools, sites, imports, documents,
//! credentials, confirmed questions, targets and the like. Scopes are checked there.

use axum::body::{Body, Bytes};
use axum::extract::State as Shared;
use axum::response::Response;
use http::{HeaderMap, Method, Uri};
use service_kit::problem::ApiError;
use service_kit::web::CleanUrl;

use super::passed_on;
use crate::credential::Caller;
use crate::proxy::{Forward, Tier};
use crate::state::State;

/// Passes a request on.
pub(super) async fn pass_on(
    Shared(state): Shared<State>,
    caller: Caller,
    method: Method,
    uri: Uri,
    _: CleanUrl,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    passed_on::pass_on(&state, &caller, method, path(&uri)?, &headers, body).await
}

/// The same where the path has a name or an id of letters, digits, `_`, `-` and `:`. Others would
/// reach another path there.
pub(super) async fn pass_on_named(
    state: Shared<State>,
    caller: Caller,
    method: Method,
    uri: Uri,
    clean: CleanUrl,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-:".contains(&byte);
    if !uri.path().bytes().all(plain) {
        return Err(not_found());
    }
    pass_on(state, caller, method, uri, clean, headers, body).await
}

/// The same for work that takes as long as an upload: a whole file or all days of a site are read.
pub(super) async fn pass_on_slowly(
    Shared(state): Shared<State>,
    caller: Caller,
    method: Method,
    uri: Uri,
    _: CleanUrl,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let request = Forward {
        tier: Tier::Tools,
        method,
        path: path(&uri)?,
        headers: &headers,
        body: body.into(),
        uploads: true,
    };
    state
        .upstreams
        .forward(&state.token_issuer, &caller.account, request)
        .await
}

/// A file, streamed.
pub(super) async fn pass_on_stream(
    Shared(state): Shared<State>,
    caller: Caller,
    uri: Uri,
    _: CleanUrl,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let limit = state.upstreams.upload_limit();
    passed_on::stream(&state, &caller, path(&uri)?, &headers, body, limit).await
}

/// Path and query at the tools service. Its router decodes the segments again, so that a part such
/// as `..` must not reach it.
fn path(uri: &Uri) -> Result<&str, ApiError> {
    let dots = |segment: &str| {
        let decoded = segment.replace("%2e", ".").replace("%2E", ".");
        decoded == "." || decoded == ".."
    };
    if uri.path().split('/').any(dots) {
        return Err(not_found());
    }
    Ok(uri
        .path_and_query()
        .map_or("/", http::uri::PathAndQuery::as_str))
}

fn not_found() -> ApiError {
    ApiError::not_found("There is no resource of this name.")
}
