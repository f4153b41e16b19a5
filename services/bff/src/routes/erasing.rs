//! The end of an account: one's own, or one of the tenant.

use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use contracts::bff::Credentials;
use contracts::person::{EraseAccount, EraseMe, ErasureStatus};
use http::StatusCode;
use service_kit::client_address::ClientAddress;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path};
use uuid::Uuid;

use super::auth::check_password;
use super::me::require_password;
use super::people::{may_change, reached};
use crate::credential::Caller;
use crate::erasure::GoesOn;
use crate::state::State;
use crate::{erasure, error};

/// The scope of those who may erase accounts of their tenant.
const SCOPE: &str = "accounts:erase";

/// `DELETE /auth/me`.
pub(super) async fn erase_me(
    Shared(state): Shared<State>,
    caller: Caller,
    client: ClientAddress,
    Json(request): Json<EraseMe>,
) -> Result<Response, ApiError> {
    require_password(&state, &caller.account).await?;
    let credentials = Credentials {
        username: caller.account.username.clone(),
        password: request.password,
    };
    match check_password(&state, credentials, client, &caller.note).await {
        Ok(account) if account.account_id == caller.account.account_id => {}
        Ok(_) => return Err(wrong_password()),
        // The caller is signed in: it is this that is refused, not who it is.
        Err(refused) if refused.problem().status == 401 => return Err(wrong_password()),
        Err(refused) => return Err(refused),
    }
    erase(&state, &caller, caller.account.account_id).await
}

/// `DELETE /api/accounts/{username}`.
pub(super) async fn erase_account(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(username): Path<String>,
    Json(request): Json<EraseAccount>,
) -> Result<Response, ApiError> {
    caller.account.require(SCOPE)?;
    let target = reached(&state, &caller, &username).await?.account;
    let is_id = username == target.account_id.to_string();
    let name = if is_id { &target.username } else { &username };
    if request.confirm != *name {
        let detail = "must be the account's name, as in the path";
        return Err(ApiError::invalid_field("/confirm", detail));
    }
    may_change(&caller.account, &target)?;
    let account_id = target.account_id;
    tracing::info!(
        by = %caller.account.account_id,
        subject = %account_id,
        "an account is erased"
    );
    erase(&state, &caller, account_id).await
}

async fn erase(state: &State, caller: &Caller, account_id: Uuid) -> Result<Response, ApiError> {
    let place = (state.ids.new_id(), state.clock.now());
    let pending = erasure::begin(&state.pool, place, account_id, GoesOn::Here)
        .await
        .map_err(error::database)?
        .ok_or_else(no_account)?;
    caller.note.erased(account_id);
    let erasure = erasure::advance(state, pending)
        .await
        .map_err(error::database)?;
    let status = match erasure.status {
        ErasureStatus::Erased => StatusCode::OK,
        ErasureStatus::Pending => StatusCode::ACCEPTED,
    };
    Ok((status, Json(erasure)).into_response())
}

fn wrong_password() -> ApiError {
    ApiError::forbidden("This is not the account's password. Nothing was erased.")
}

fn no_account() -> ApiError {
    ApiError::not_found("There is no account of this name in your tenant.")
}
