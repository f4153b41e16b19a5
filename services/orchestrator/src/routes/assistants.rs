//! The assistants that a person can ask.

use axum::extract::State as Shared;
use contracts::assistants::AssistantList;
use service_kit::identity::Caller;
use service_kit::problem::{ApiError, chain};
use service_kit::web::Json;

use crate::state::State;

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
    let assistants = state
        .assistants
        .iter()
        .map(|assistant| {
            let introduction = assistant.introduction(data.as_deref());
            let may = |scope: &str| identity.has_scope(scope);
            introduction.seen_by(may).of(assistant.name())
        })
        .collect();
    Ok(Json(AssistantList { assistants }))
}
