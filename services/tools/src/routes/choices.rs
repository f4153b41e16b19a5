//! Remembered choices: `/api/choices`.

use axum::extract::State;
use contracts::tools::choices::{ChoiceList, ForgetChoices, ForgottenChoices};
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Query};

use crate::error::database;
use crate::state;

/// The scope that all of it needs: they are the caller's own.
const SCOPE: &str = "tools:read";
/// Longer words are not remembered.
const LONGEST: usize = 512;

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<ChoiceList>, ApiError> {
    caller.require_scope(SCOPE)?;
    let choices = state.search.choices(&caller).await;
    choices.map(Json).map_err(database)
}

pub(super) async fn forget(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<ForgetChoices>,
) -> Result<Json<ForgottenChoices>, ApiError> {
    caller.require_scope(SCOPE)?;
    if let Some(mention) = &query.mention {
        // Words without a letter or digit represent nothing, and nothing else is intended by them.
        let fault = match mention {
            empty if entities::key(empty).is_empty() => Some("must have a letter or a digit"),
            long if long.len() > LONGEST => Some("must be at most 512 bytes long"),
            null if null.contains('\0') => Some("contains a zero character"),
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(ApiError::invalid_field("/mention", fault));
        }
    }
    let forgotten = state.search.forget_choices(&caller, query.mention).await;
    forgotten.map(Json).map_err(database)
}
