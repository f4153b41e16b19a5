//! Target databases: `/api/targets…`.

use axum::extract::State;
use contracts::tools::refresh::RefreshedTarget;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path};

use crate::state;

/// The scope that looking needs; reading a catalogue again needs another beside it.
const SCOPE: &str = "tools:read";

pub(super) async fn refresh(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(target): Path<String>,
) -> Result<Json<RefreshedTarget>, ApiError> {
    caller.require_scope(SCOPE)?;
    let refreshed = state.sql.refresh_target(&caller, &target).await?;
    tracing::info!(
        target_database = target,
        by = caller.subject,
        "a catalogue was read again on demand"
    );
    Ok(Json(refreshed))
}
