//! `/auth/*` and the key set.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, SameSite};
use contracts::bff::{
    Credentials, IdentityRequest, IdentityResponse, IssuerOption, KeySet, Me, RefreshRequest,
    SignInOptions, SignedOut, TokenResponse,
};
use http::header::{HOST, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use secrecy::ExposeSecret;
use service_kit::client_address::ClientAddress;
use service_kit::identity::TOKEN_LIFETIME_SECONDS;
use service_kit::problem::ApiError;
use service_kit::web::{Json, parse_json, parse_value};
use uuid::Uuid;

use crate::accounts::Account;
use crate::audit::Note;
use crate::credential::{
    Caller, Credential, SECURE_SESSION_COOKIE, SESSION_COOKIE, check_origin, session_cookie,
};
use crate::error;
use crate::oidc::{Current, Provider};
use crate::sign_in::Origin;
use crate::state::State;
use crate::tokens::Issued;

/// The user who is signed in already, and the options of the sign-in page.
pub(super) async fn get_sign_in(
    Shared(state): Shared<State>,
    headers: HeaderMap,
    caller: Result<Caller, ApiError>,
) -> Result<Json<SignInOptions>, ApiError> {
    let account = match caller {
        Ok(caller) => Some(me(&caller.account)),
        Err(refused) if refused.problem().status == StatusCode::UNAUTHORIZED.as_u16() => None,
        Err(refused) => return Err(refused),
    };
    Ok(Json(SignInOptions {
        account,
        demonstration: state.demonstration.clone(),
        issuers: issuer_options(&*state.providers.current().await, &headers),
    }))
}

/// Signs in; begins a session.
pub(super) async fn login(
    Shared(state): Shared<State>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    client: ClientAddress,
    note: Note,
    Json(credentials): Json<Credentials>,
) -> Result<Response, ApiError> {
    // A page elsewhere must not sign the user in to an account of its own.
    check_origin(&state, &method, &uri, &headers)?;
    let account = check_password(&state, credentials, client, &note).await?;
    let origin = Origin::of(client, &headers);
    let token = state
        .sessions
        .begin(account.account_id, &origin)
        .await
        .map_err(error::database)?;
    let cookie = session_cookie_of(&state, &headers, token.expose_secret())?;
    Ok(([(SET_COOKIE, cookie)], Json(me(&account))).into_response())
}

/// Ends what the caller came with: the session, or the refresh tokens.
pub(super) async fn logout(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let session = match &caller.credential {
        Credential::Session { token, .. } => token,
        Credential::Family(_) => {
            let account_id = caller.account.account_id;
            state
                .refresh_tokens
                .end_all(account_id)
                .await
                .map_err(error::database)?;
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        Credential::ApiKey(_) | Credential::Issuer => {
            return Err(ApiError::conflict(
                "An API key or a provider's token has no sign-in to end; revoke a key with `DELETE /api/tokens/{id}`.",
            ));
        }
    };
    let issuer = state.sessions.end(session).await.map_err(error::database)?;
    let cross_site = state.came_from_allowed_site(&headers);
    let name = session_cookie(&state, &headers).map_or_else(
        || cookie_name(&state, &headers, cross_site),
        |(name, _)| name,
    );
    let cookie = set_cookie(name, "", 0, cross_site)?;
    let end_session_url = match issuer {
        Some(issuer) => end_session_url(&state, &issuer).await,
        None => None,
    };
    Ok(match end_session_url {
        Some(_) => ([(SET_COOKIE, cookie)], Json(SignedOut { end_session_url })).into_response(),
        None => (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response(),
    })
}

/// The address that ends the session at the provider where it began.
async fn end_session_url(state: &State, issuer: &str) -> Option<String> {
    let current = state.providers.current().await;
    current.of_issuer(issuer)?.end_session_url().await
}

/// Who is signed in.
pub(super) async fn get_me(caller: Caller) -> Json<Me> {
    Json(me(&caller.account))
}

/// Tokens for a name and a password.
pub(super) async fn create_token(
    Shared(state): Shared<State>,
    client: ClientAddress,
    headers: HeaderMap,
    note: Note,
    Json(credentials): Json<Credentials>,
) -> Result<Json<TokenResponse>, ApiError> {
    let account = check_password(&state, credentials, client, &note).await?;
    let origin = Origin::of(client, &headers);
    let issued = state
        .refresh_tokens
        .begin(account.account_id, &origin)
        .await
        .map_err(error::database)?;
    tokens(&state, &account, &issued).await
}

/// Tokens for a refresh token.
pub(super) async fn refresh_token(
    Shared(state): Shared<State>,
    Json(request): Json<RefreshRequest>,
) -> Result<Json<TokenResponse>, ApiError> {
    let refused =
        || ApiError::unauthorized("The refresh token is unknown, used or expired; sign in again.");
    let renewed = state
        .refresh_tokens
        .renew(&request.refresh_token)
        .await
        .map_err(error::database)?;
    let renewed = renewed.ok_or_else(refused)?;
    let account = state
        .accounts
        .find(renewed.account_id)
        .await
        .map_err(error::database)?
        .ok_or_else(refused)?;
    tokens(&state, &account, &renewed.next).await
}

/// A token for a run that continues without its user.
pub(super) async fn create_identity(
    Shared(state): Shared<State>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<IdentityResponse>, ApiError> {
    if !state.services.is_orchestrator(&headers) {
        return Err(ApiError::unauthorized("This is not a service's secret."));
    }
    // Strangers learn nothing of what the body should be.
    let request: IdentityRequest = parse_json(&body)?;
    let unknown = || ApiError::not_found("There is no such account.");
    let account_id = Uuid::parse_str(&request.subject).map_err(|_not_an_id| unknown())?;
    let account = state.accounts.find(account_id).await;
    let account = account
        .map_err(error::database)?
        .filter(|account| account.tenant == request.tenant)
        .ok_or_else(unknown)?;
    let token = state
        .token_issuer
        .run_token(&account)
        .await
        .map_err(error::key)?;
    tracing::info!(subject = %account_id, "an identity token for a run was issued");
    Ok(Json(IdentityResponse {
        access_token: token.token.expose_secret().to_owned(),
        token_type: "Bearer".to_owned(),
        expires_in: TOKEN_LIFETIME_SECONDS.unsigned_abs(),
    }))
}

/// The keys that verify this service's tokens.
pub(super) async fn get_key_set(Shared(state): Shared<State>) -> Result<Json<KeySet>, ApiError> {
    let keys =
        serde_json::to_value(state.token_issuer.key_set().await).map_err(ApiError::internal)?;
    parse_value(keys).map(Json)
}

pub(super) async fn check_password(
    state: &State,
    credentials: Credentials,
    client: ClientAddress,
    note: &Note,
) -> Result<Account, ApiError> {
    let username = credentials.username.clone();
    let checked = state.sign_in.check(&state.accounts, credentials, client);
    let checked = checked.await;
    if let Ok(account) = &checked {
        note.actor(account, None);
        return checked;
    }
    // Read for names that do not exist, too: no answer takes longer for one that does.
    let known = state.accounts.stored(&username).await;
    if let Some(known) = known.map_err(error::database)? {
        note.account(&known.account);
    }
    checked
}

async fn tokens(
    state: &State,
    account: &Account,
    issued: &Issued,
) -> Result<Json<TokenResponse>, ApiError> {
    let access_token = state
        .token_issuer
        .access_token(account, issued.family)
        .await;
    let access_token = access_token.map_err(error::key)?;
    Ok(Json(TokenResponse {
        access_token: access_token.token.expose_secret().to_owned(),
        token_type: "Bearer".to_owned(),
        expires_in: TOKEN_LIFETIME_SECONDS.unsigned_abs(),
        refresh_token: issued.token.expose_secret().to_owned(),
    }))
}

/// `Set-Cookie` of a new session for a browser that sent these headers.
pub(super) fn session_cookie_of(
    state: &State,
    headers: &HeaderMap,
    token: &str,
) -> Result<HeaderValue, ApiError> {
    let age = state.sessions.lifetime().num_seconds();
    let cross_site = state.came_from_allowed_site(headers);
    let name = cookie_name(state, headers, cross_site);
    set_cookie(name, token, age, cross_site)
}

fn issuer_options(providers: &Current, headers: &HeaderMap) -> Vec<IssuerOption> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let option = |provider: &Arc<Provider>| {
        let config = provider.config();
        IssuerOption {
            name: config.name.clone(),
            label: config.label.clone().unwrap_or_else(|| config.name.clone()),
            path: provider.beginning(host.unwrap_or_default()),
        }
    };
    providers.iter().map(option).collect()
}

/// `Set-Cookie` of the session's cookie. Browsers keep the one for pages of other sites apart from
/// the one for this service's own page.
fn set_cookie(
    name: &'static str,
    value: &str,
    age_seconds: i64,
    cross_site: bool,
) -> Result<HeaderValue, ApiError> {
    let cookie = Cookie::build((name, value))
        .path("/")
        .max_age(time::Duration::seconds(age_seconds))
        .http_only(true)
        .secure(name == SECURE_SESSION_COOKIE);
    let cookie = if cross_site {
        cookie.same_site(SameSite::None).partitioned(true)
    } else {
        cookie.same_site(SameSite::Lax)
    };
    HeaderValue::try_from(cookie.to_string()).map_err(ApiError::internal)
}

/// The name of the session's cookie for a browser that sent these headers.
fn cookie_name(state: &State, headers: &HeaderMap, cross_site: bool) -> &'static str {
    if cross_site || state.must_be_secure(headers) {
        SECURE_SESSION_COOKIE
    } else {
        SESSION_COOKIE
    }
}

pub(super) fn me(account: &Account) -> Me {
    Me {
        sub: account.account_id.to_string(),
        username: account.username.clone(),
        tenant: account.tenant.clone(),
        scopes: account.scopes.clone(),
        role: account.role,
    }
}
