//! Erasure of a person's data.

use axum::extract::State;
use http::StatusCode;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;

use crate::error::database;
use crate::{person, state};

/// No account has this scope: the bff gives it to the token of the person whom it erases.
const SCOPE: &str = "person:erase";

pub(super) async fn erase(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(SCOPE)?;
    person::erase(&state.pool, &caller)
        .await
        .map_err(database)?;
    tracing::info!(subject = caller.subject, "a person was erased");
    Ok(StatusCode::NO_CONTENT)
}
