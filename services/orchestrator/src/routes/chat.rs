//! `POST /ai/chat`.

use axum::extract::State as Shared;
use axum::response::Response;
use contracts::chat::ChatRequest;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::Json;

use crate::state::State;
use crate::{message, runs};

/// Answers a message with the site assistant.
pub(super) async fn create_chat(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Json(request): Json<ChatRequest>,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    let posted = message::read(request)?;
    runs::start(&state, &identity, posted).await
}
