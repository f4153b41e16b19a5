//! The export and the erasure of a person's data.

use axum::extract::State;
use contracts::person::PersonRecords;
use http::StatusCode;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::Json;

use crate::credentials::Owner;
use crate::error::database;
use crate::{person, state};

/// No account has this scope: the bff gives it to the token of the person whom it erases.
const SCOPE: &str = "person:erase";

/// The scope of who reads what is kept of themselves.
const READ: &str = "tools:read";

pub(super) async fn export(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<PersonRecords>, ApiError> {
    caller.require_scope(READ)?;
    let records = person::records(&state.pool, &caller).await;
    let PersonRecords { mut records } = records.map_err(database)?;
    // A service that is away fails the export: a part would look like the whole.
    let kept = state.credentials.kept_elsewhere(&Owner::of(&caller)).await;
    let kept = kept.map_err(|failure| {
        ApiError::unavailable(
            "A connected service does not say what it keeps of you.",
            failure,
        )
    })?;
    for (upstream, kept) in kept {
        records.insert(format!("service {upstream}"), vec![kept]);
    }
    Ok(Json(PersonRecords { records }))
}

pub(super) async fn erase(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(SCOPE)?;
    // First: who is erased here is not known here any more. The bff asks again until it is done.
    let erased = state.credentials.erase_elsewhere(&Owner::of(&caller)).await;
    erased.map_err(|failure| {
        ApiError::unavailable("A connected service has not erased the person.", failure)
    })?;
    person::erase(&state.pool, &caller)
        .await
        .map_err(database)?;
    tracing::info!(subject = caller.subject, "a person was erased");
    Ok(StatusCode::NO_CONTENT)
}
