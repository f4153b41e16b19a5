//! `GET /api/quotas`.

use axum::extract::State;
use contracts::accounts::QuotaList;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::Json;

use crate::{state, storage};

/// The scope that reading needs.
const READ: &str = "tools:read";

pub(super) async fn get(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<QuotaList>, ApiError> {
    caller.require_scope(READ)?;
    let uses = storage::uses(&state.pool, &state.ingest, &caller.tenant).await?;
    Ok(Json(uses))
}
