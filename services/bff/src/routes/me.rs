//! The caller's own account: `/api/me`, and its password.

use axum::extract::State as Shared;
use contracts::accounts::{ChangePassword, MyAccount};
use contracts::bff::Credentials;
use http::StatusCode;
use service_kit::client_address::ClientAddress;
use service_kit::problem::ApiError;
use service_kit::web::Json;

use super::auth::{check_password, me};
use super::people::stored;
use crate::accounts::Account;
use crate::credential::{Caller, Credential};
use crate::error;
use crate::proxy::Tier;
use crate::state::State;

/// `GET /api/me`.
pub(super) async fn get_my_account(
    Shared(state): Shared<State>,
    caller: Caller,
) -> Result<Json<MyAccount>, ApiError> {
    let mut quotas = state.quotas.uses(&caller.account);
    let (runs, storage) = tokio::join!(
        state
            .upstreams
            .quotas(&state.token_issuer, Tier::Orchestrator, &caller.account),
        state
            .upstreams
            .quotas(&state.token_issuer, Tier::Tools, &caller.account),
    );
    quotas.extend(runs.into_iter().chain(storage));
    let stored = stored(&state, &caller.account.username).await?;
    Ok(Json(MyAccount {
        account: me(&caller.account),
        credential: caller.kind(),
        has_password: stored.has_password(),
        quotas,
    }))
}

/// Refuses, with 409, what a password confirms, of an account without one.
pub(super) async fn require_password(state: &State, account: &Account) -> Result<(), ApiError> {
    let stored = stored(state, &account.username).await?;
    if stored.has_password() {
        return Ok(());
    }
    Err(ApiError::conflict(match stored.info().issuer {
        Some(issuer) => {
            format!("You sign in at {issuer}, where your password is. This account has none here.")
        }
        None => "This account has no password here.".to_owned(),
    }))
}

/// `PUT /api/me/password`.
pub(super) async fn change_password(
    Shared(state): Shared<State>,
    caller: Caller,
    client: ClientAddress,
    Json(request): Json<ChangePassword>,
) -> Result<StatusCode, ApiError> {
    caller.require_person()?;
    require_password(&state, &caller.account).await?;
    let credentials = Credentials {
        username: caller.account.username.clone(),
        password: request.password,
    };
    match check_password(&state, credentials, client, &caller.note).await {
        Ok(account) if account.account_id == caller.account.account_id => {}
        // The caller is signed in: it is this that is refused, not who it is.
        Ok(_) => return Err(wrong_password()),
        Err(refused) if refused.problem().status == 401 => return Err(wrong_password()),
        Err(refused) => return Err(refused),
    }
    let kept = match caller.credential {
        Credential::Session { id, .. } => Some(id),
        _ => None,
    };
    let password = request.new_password.into();
    let changed = state
        .accounts
        .set_own_password(&caller.account, password, kept);
    changed
        .await
        .map_err(|refused| match error::account(refused) {
            refused if refused.problem().status == 422 => at_pointer(refused, "/new_password"),
            refused => refused,
        })?;
    Ok(StatusCode::NO_CONTENT)
}

fn wrong_password() -> ApiError {
    ApiError::forbidden("This is not the account's password. Nothing was changed.")
}

/// The same refusal, pointing to another field.
fn at_pointer(refused: ApiError, pointer: &str) -> ApiError {
    let problem = refused.into_problem();
    let detail = problem.errors.into_iter().next().map(|fault| fault.detail);
    ApiError::invalid_field(pointer, detail.unwrap_or_default())
}
