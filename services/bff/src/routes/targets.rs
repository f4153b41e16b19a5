//! Adding target databases, search sources and upstreams, which the tools service does. Their other
//! operations are passed on by [`super::plants`].

use axum::body::Bytes;
use axum::extract::{MatchedPath, State as Shared};
use axum::response::Response;
use http::{HeaderMap, Method};
use serde::Deserialize;
use service_kit::problem::ApiError;
use service_kit::web::CleanUrl;

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
