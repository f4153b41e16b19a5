//! Target databases, search sources and upstreams: passed on to the tools service. Operations
//! without a part of their own here are passed on as those on plants are.

use axum::body::Bytes;
use axum::extract::{MatchedPath, State as Shared};
use axum::response::Response;
use http::{HeaderMap, Method};
use serde::Deserialize;
use service_kit::problem::ApiError;
use service_kit::web::{CleanUrl, Path};

use super::passed_on;
use crate::audit::Note;
use crate::credential::Caller;
use crate::proxy::{Forward, Tier};
use crate::state::State;

/// The name of what is added.
#[derive(Deserialize)]
struct Named {
    name: String,
}

/// `POST /api/targets`, `/api/sources` and `/api/upstreams`, whose body names the object for the
/// audit log.
pub(super) async fn create(
    Shared(state): Shared<State>,
    caller: Caller,
    note: Note,
    path: MatchedPath,
    _: CleanUrl,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    if let Ok(new) = serde_json::from_slice::<Named>(&body) {
        note.object(new.name.chars().take(64).collect::<String>());
    }
    let request = Forward {
        tier: Tier::Tools,
        method: Method::POST,
        path: path.as_str(),
        headers: &headers,
        body: body.into(),
        // The test of a connection takes longer than other requests.
        uploads: true,
    };
    state
        .upstreams
        .forward(&state.token_issuer, &caller.account, request)
        .await
}

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
