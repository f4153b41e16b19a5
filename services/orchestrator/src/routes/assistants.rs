//! The assistants that a person can ask.

use axum::extract::State as Shared;
use contracts::assistants::AssistantList;
use service_kit::identity::Caller;
use service_kit::problem::{ApiError, chain};
use service_kit::web::Json;

use crate::state::State;

/// The order in which pages offer the assistants; further ones come after them.
const ORDER: [&str; 4] = ["site", "data", "analyst", "advisor"];

/// `GET /v1/assistants`.
pub(super) async fn list_assistants(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
) -> Result<Json<AssistantList>, ApiError> {
    identity.require_scope("chat")?;
    let data = state.overviews.of(&identity, state.tools.client()).await;
    let data = data
        .inspect_err(|error| {
            tracing::warn!(error = %chain(error), "the overview of data cannot be read");
        })
        .ok();
    let place = |name: &str| {
        let known = ORDER.iter().position(|one| *one == name);
        known.unwrap_or(ORDER.len())
    };
    let mut assistants: Vec<_> = state
        .assistants
        .iter()
        .map(|assistant| {
            let introduction = assistant.introduction(data.as_deref());
            let may = |scope: &str| identity.has_scope(scope);
            introduction.seen_by(may).of(assistant.name())
        })
        .collect();
    assistants.sort_by_key(|assistant| place(&assistant.id));
    Ok(Json(AssistantList { assistants }))
}
