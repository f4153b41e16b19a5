//! Accounts, sessions and API keys: `/api/accounts`, `/api/sessions`, `/api/tokens`.

use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use contracts::access::{ALL_TENANTS, Role};
use contracts::accounts::{
    AccountInfo, AccountList, ApiKeyList, ChangeAccount, CreateAccount, CreateApiKey,
    CreatedApiKey, ListAccounts, OfAccount, SessionList,
};
use contracts::names::{self, NameFault};
use http::StatusCode;
use secrecy::ExposeSecret;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};
use uuid::Uuid;

use crate::access::{Grant, no_scope, unknown_scope};
use crate::accounts::{Account, Change, Stored};
use crate::credential::Caller;
use crate::error;
use crate::oidc::MOST_GROUPS;
use crate::state::State;

/// The scopes of operations on accounts of others.
const READ: &str = "accounts:read";
const WRITE: &str = "accounts:write";

/// Accounts in a page.
const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 100;

/// The scopes of an API key that names none.
const KEY_SCOPES: [&str; 2] = ["chat", "tools:read"];

/// Days until an API key expires.
const KEY_DAYS: u32 = 90;
const MOST_KEY_DAYS: u32 = 730;

/// Maximum length of an API key's name, in characters.
const LONGEST_KEY_NAME: usize = 100;

/// Maximum number of API keys of an account.
const MOST_KEYS: usize = 50;

/// `GET /api/accounts`.
pub(super) async fn list_accounts(
    Shared(state): Shared<State>,
    caller: Caller,
    Query(query): Query<ListAccounts>,
) -> Result<Json<AccountList>, ApiError> {
    let limit = page(query.limit)?;
    let tenant = match &query.tenant {
        None if caller.account.has(ALL_TENANTS) => None,
        tenant => Some(caller.account.reachable(tenant.as_deref())?),
    };
    let after = query.cursor.as_deref().map(decode).transpose()?;
    let found = state
        .accounts
        .list(tenant.as_deref(), after.as_deref(), i64::from(limit) + 1)
        .await;
    let mut accounts: Vec<AccountInfo> = found
        .map_err(error::database)?
        .into_iter()
        .map(Stored::info)
        .collect();
    let more = accounts.len() > limit as usize;
    accounts.truncate(limit as usize);
    let last = accounts.last().filter(|_| more);
    Ok(Json(AccountList {
        next_cursor: last.map(|last| URL_SAFE_NO_PAD.encode(last.username.to_lowercase())),
        accounts,
    }))
}

/// `POST /api/accounts`.
pub(super) async fn create_account(
    Shared(state): Shared<State>,
    caller: Caller,
    Json(request): Json<CreateAccount>,
) -> Result<Response, ApiError> {
    let grant = Grant::from_request(request.role, request.scopes)?;
    let grant = grant.unwrap_or(Grant::Role(Role::Viewer));
    caller.note.object(grant.words());
    grant.by(&caller.account)?;
    let tenant = caller.account.reachable(request.tenant.as_deref())?;
    let password = request.password.into();
    let created = state
        .accounts
        .create(&request.username, password, &tenant, &grant)
        .await
        .map_err(error::account)?;
    caller.note.account(&created);
    let stored = stored(&state, &created.username).await?;
    Ok((StatusCode::CREATED, Json(stored.info())).into_response())
}

/// `GET /api/accounts/{username}`.
pub(super) async fn get_account(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(username): Path<String>,
) -> Result<Json<AccountInfo>, ApiError> {
    let stored = reached(&state, &caller, &username).await?;
    Ok(Json(stored.info()))
}

/// `PATCH /api/accounts/{username}`.
pub(super) async fn change_account(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(username): Path<String>,
    Json(request): Json<ChangeAccount>,
) -> Result<Json<AccountInfo>, ApiError> {
    let target = reached(&state, &caller, &username).await?;
    caller.note.object(change_words(&target.account, &request));
    if target.account.account_id == caller.account.account_id {
        return Err(ApiError::conflict(
            "You cannot change your own role or scopes, or disable yourself; another administrator can. Your password is changed at `PUT /api/me/password`.",
        ));
    }
    may_change(&caller.account, &target.account)?;
    let grant = Grant::from_request(request.role, request.scopes)?;
    if let Some(grant) = &grant {
        grant.by(&caller.account)?;
    }
    if request.password.is_some() && !target.has_password() {
        return Err(ApiError::conflict(
            "This account signs in at its identity provider and has no password here.",
        ));
    }
    let change = Change {
        grant,
        disabled: request.disabled,
        password: request.password.map(Into::into),
        groups: request
            .groups
            .map(|groups| checked_groups(&groups, &target))
            .transpose()?,
    };
    let changed = state.accounts.change(&target.account, change).await;
    changed.map_err(error::account)?;
    let stored = stored(&state, &target.account.username).await?;
    Ok(Json(stored.info()))
}

/// A change in words, for the audit log. The name of the account is not part of it.
fn change_words(target: &Account, request: &ChangeAccount) -> String {
    let mut words = Vec::new();
    let held = || match target.role {
        Some(role) => Grant::Role(role),
        None => Grant::Scopes(target.scopes.clone()),
    };
    if let Some(role) = request.role {
        words.push(format!(
            "{} → {}",
            held().words(),
            Grant::Role(role).words()
        ));
    }
    if let Some(scopes) = &request.scopes {
        let given = Grant::Scopes(scopes.clone());
        words.push(format!("{} → {}", held().words(), given.words()));
    }
    if let Some(disabled) = request.disabled {
        let word = if disabled { "disabled" } else { "enabled" };
        words.push(word.to_owned());
    }
    if request.password.is_some() {
        words.push("new password".to_owned());
    }
    if let Some(groups) = &request.groups {
        let list = |groups: &[String]| match groups {
            [] => "none".to_owned(),
            groups => groups.join(", "),
        };
        words.push(format!(
            "groups {} → {}",
            list(&target.groups),
            list(groups)
        ));
    }
    words.join("; ")
}

/// The groups of an account, as they are stored.
fn checked_groups(groups: &[String], target: &Stored) -> Result<Vec<String>, ApiError> {
    if !target.has_password() {
        return Err(ApiError::conflict(
            "The groups of this account come from its identity provider at each sign-in.",
        ));
    }
    let unfit = |fault: NameFault| ApiError::invalid_field("/groups", format!("a group {fault}"));
    let names = groups.iter().map(|name| names::checked(name));
    let mut names: Vec<String> = names.collect::<Result<_, _>>().map_err(unfit)?;
    let fits = |name: &String| (1..=100).contains(&name.chars().count());
    if names.len() > MOST_GROUPS || !names.iter().all(fits) {
        let detail = format!("must be at most {MOST_GROUPS} names of 1 to 100 characters");
        return Err(ApiError::invalid_field("/groups", detail));
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// `GET /api/sessions`.
pub(super) async fn list_sessions(
    Shared(state): Shared<State>,
    caller: Caller,
    Query(query): Query<OfAccount>,
) -> Result<Json<SessionList>, ApiError> {
    let account = of_account(&state, &caller, &query, READ).await?;
    let sessions = state
        .sessions
        .list(account.account_id, caller.sign_in())
        .await
        .map_err(error::database)?;
    Ok(Json(SessionList { sessions }))
}

/// `DELETE /api/sessions`.
pub(super) async fn end_sessions(
    Shared(state): Shared<State>,
    caller: Caller,
    Query(query): Query<OfAccount>,
) -> Result<StatusCode, ApiError> {
    let account = of_account(&state, &caller, &query, WRITE).await?;
    let ended = state
        .sessions
        .end_others(account.account_id, caller.sign_in())
        .await;
    ended.map_err(error::database)?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /api/sessions/{id}`.
pub(super) async fn end_session(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<OfAccount>,
) -> Result<StatusCode, ApiError> {
    let unknown = || ApiError::not_found("The account has no sign-in of this id.");
    let account = of_account(&state, &caller, &query, WRITE).await?;
    let id = Uuid::parse_str(&id).map_err(|_not_an_id| unknown())?;
    let ended = state.sessions.end_one(account.account_id, id).await;
    if ended.map_err(error::database)? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown())
    }
}

/// `GET /api/tokens`.
pub(super) async fn list_tokens(
    Shared(state): Shared<State>,
    caller: Caller,
    Query(query): Query<OfAccount>,
) -> Result<Json<ApiKeyList>, ApiError> {
    let account = of_account(&state, &caller, &query, READ).await?;
    let tokens = state.api_keys.list(account.account_id).await;
    Ok(Json(ApiKeyList {
        tokens: tokens.map_err(error::database)?,
    }))
}

/// `POST /api/tokens`.
pub(super) async fn create_api_key(
    Shared(state): Shared<State>,
    caller: Caller,
    Json(request): Json<CreateApiKey>,
) -> Result<Response, ApiError> {
    caller.require_person()?;
    let name = names::checked(&request.name);
    let name = name.map_err(|fault| ApiError::invalid_field("/name", fault.to_string()))?;
    if !(1..=LONGEST_KEY_NAME).contains(&name.chars().count()) {
        let detail = format!("must have 1 to {LONGEST_KEY_NAME} characters");
        return Err(ApiError::invalid_field("/name", detail));
    }
    let days = request.expires_in_days.unwrap_or(KEY_DAYS);
    if !(1..=MOST_KEY_DAYS).contains(&days) {
        let detail = format!("must be 1 to {MOST_KEY_DAYS}");
        return Err(ApiError::invalid_field("/expires_in_days", detail));
    }
    let scopes = key_scopes(&caller.account, request.scopes)?;
    let account_id = caller.account.account_id;
    let kept = state.api_keys.list(account_id).await;
    if kept.map_err(error::database)?.len() >= MOST_KEYS {
        return Err(ApiError::conflict(format!(
            "An account can have {MOST_KEYS} API keys; revoke one first."
        )));
    }
    let lifetime = TimeDelta::days(days.into());
    let created = state
        .api_keys
        .create(account_id, &name, &scopes, lifetime)
        .await;
    let (token, key) = created.map_err(error::database)?;
    caller.note.object(format!("{} ({name})", key.id));
    let token = token.expose_secret().to_owned();
    Ok((StatusCode::CREATED, Json(CreatedApiKey { token, key })).into_response())
}

/// `DELETE /api/tokens/{id}`.
pub(super) async fn revoke_token(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<OfAccount>,
) -> Result<StatusCode, ApiError> {
    let unknown = || ApiError::not_found("The account has no API key of this id.");
    let account = of_account(&state, &caller, &query, WRITE).await?;
    let id = Uuid::parse_str(&id).map_err(|_not_an_id| unknown())?;
    let revoked = state.api_keys.revoke(account.account_id, id).await;
    if revoked.map_err(error::database)? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown())
    }
}

/// The scopes of a new key: the named ones, each of which the owner has.
fn key_scopes(owner: &Account, named: Option<Vec<String>>) -> Result<Vec<String>, ApiError> {
    let Some(scopes) = named else {
        let usual = KEY_SCOPES.into_iter().filter(|scope| owner.has(scope));
        return Ok(usual.map(str::to_owned).collect());
    };
    if scopes.is_empty() {
        return Err(ApiError::invalid_field("/scopes", "must name a scope"));
    }
    if let Some(unknown) = unknown_scope(&scopes) {
        return Err(ApiError::invalid_field("/scopes", no_scope(unknown)));
    }
    let grant = Grant::Scopes(scopes);
    grant.by(owner)?;
    Ok(grant.scopes())
}

/// The account that an operation on sessions or keys names, or the caller's own. Another one needs
/// the scope.
async fn of_account(
    state: &State,
    caller: &Caller,
    query: &OfAccount,
    scope: &str,
) -> Result<Account, ApiError> {
    let own = &caller.account;
    let named = query.account.as_deref();
    match named.filter(|name| !name.eq_ignore_ascii_case(&own.username)) {
        None => {
            // A program with a narrow key must not end the sign-ins of its owner.
            if scope == WRITE {
                caller.require_person()?;
            }
            Ok(own.clone())
        }
        Some(name) => {
            own.require(scope)?;
            let target = reached(state, caller, name).await?.account;
            if scope == WRITE {
                may_change(own, &target)?;
            }
            Ok(target)
        }
    }
}

/// Refuses to change an account that may do more than the caller.
pub(super) fn may_change(caller: &Account, target: &Account) -> Result<(), ApiError> {
    match target.scopes.iter().find(|scope| !caller.has(scope)) {
        Some(scope) => Err(ApiError::forbidden(format!(
            "The account has the scope `{scope}`, which you do not have; you cannot change it."
        ))),
        None => Ok(()),
    }
}

/// An account that the caller manages.
pub(super) async fn reached(
    state: &State,
    caller: &Caller,
    username: &str,
) -> Result<Stored, ApiError> {
    let found = state.accounts.stored(username).await;
    let reached = found
        .map_err(error::database)?
        .filter(|stored| caller.account.reaches(&stored.account.tenant))
        .ok_or_else(no_account)?;
    caller.note.account(&reached.account);
    Ok(reached)
}

pub(super) async fn stored(state: &State, username: &str) -> Result<Stored, ApiError> {
    let found = state.accounts.stored(username).await;
    found.map_err(error::database)?.ok_or_else(no_account)
}

fn page(limit: Option<u32>) -> Result<u32, ApiError> {
    let limit = limit.unwrap_or(PAGE);
    if (1..=LARGEST_PAGE).contains(&limit) {
        Ok(limit)
    } else {
        let detail = format!("must be 1 to {LARGEST_PAGE}");
        Err(ApiError::invalid_field("/limit", detail))
    }
}

fn decode(cursor: &str) -> Result<String, ApiError> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| ApiError::invalid_field("/cursor", "is not a `next_cursor` of this list"))
}

fn no_account() -> ApiError {
    ApiError::not_found("There is no account of this name in your tenant.")
}
