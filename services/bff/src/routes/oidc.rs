//! Sign-in at identity providers: `/auth/oidc/{issuer}…`.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use contracts::bff::FinishSignIn;
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};
use secrecy::ExposeSecret;
use service_kit::client_address::ClientAddress;
use service_kit::problem::{ApiError, chain};
use service_kit::web::{Path, Query};

use super::auth::session_cookie_of;
use crate::audit::Note;
use crate::error;
use crate::identities::Admission;
use crate::oidc::{Begun, CallbackParameters, Provider, ProviderError, SignInError};
use crate::sign_in::Origin;
use crate::state::State;

/// The cookie that binds a sign-in to its browser, on loopback and everywhere else.
const COOKIE: &str = "heliograph_sign_in";
const SECURE_COOKIE: &str = "__Host-heliograph_sign_in";

/// Seconds that it is kept.
const COOKIE_SECONDS: i64 = 600;

/// `GET /auth/oidc/{issuer}`: sends the browser to the provider.
pub(super) async fn begin_sign_in(
    Shared(state): Shared<State>,
    Path(issuer): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let provider = &provider(&state, &issuer).await?;
    let begun = state.sign_ins.begin(provider).await;
    match begun {
        Ok(Begun { url, browser }) => {
            let cookie = cookie(&state, &headers, browser.expose_secret(), COOKIE_SECONDS)?;
            redirect(&url, [cookie])
        }
        Err(failed) => failure(&state, &headers, provider, &failed, &Note::default()),
    }
}

/// `GET /auth/oidc/{issuer}/callback`: the provider sent the browser back.
pub(super) async fn finish_sign_in(
    Shared(state): Shared<State>,
    Path(issuer): Path<String>,
    Query(query): Query<FinishSignIn>,
    client: ClientAddress,
    note: Note,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let provider = &provider(&state, &issuer).await?;
    note.object(&*provider.config().name);
    let jar = CookieJar::from_headers(&headers);
    let browser = [SECURE_COOKIE, COOKIE]
        .into_iter()
        .find_map(|name| Some(jar.get(name)?.value().to_owned()));
    let answer = CallbackParameters {
        state: &query.state,
        code: query.code.as_deref(),
        error: query.error.as_deref(),
        issuer: query.iss.as_deref(),
    };
    let browser = browser.unwrap_or_default();
    let finished = state.sign_ins.finish(provider, &browser, answer).await;
    let signed_in = match finished {
        Ok(signed_in) => signed_in,
        Err(failed) => return failure(&state, &headers, provider, &failed, &note),
    };
    let admission = state.identities.admit(&signed_in.person).await;
    let account = match admission.map_err(error::database)? {
        Admission::Admitted(account) => account,
        Admission::Disabled(account) => {
            note.account(&account);
            return failure(&state, &headers, provider, &SignInError::NotAllowed, &note);
        }
    };
    note.actor(&account, None);
    let origin = Origin {
        issuer: Some(provider.config().issuer.clone()),
        issuer_session: signed_in.session,
        ..Origin::of(client, &headers)
    };
    let begun = state.sessions.begin(account.account_id, &origin).await;
    let token = begun.map_err(error::database)?;
    // The removal of a provider ends the sessions that it finds.
    if !is_in_use(&state, provider).await? {
        let ended = state.sessions.end(token.expose_secret()).await;
        ended.map_err(error::database)?;
        return failure(&state, &headers, provider, &SignInError::Unknown, &note);
    }
    let session = session_cookie_of(&state, &headers, token.expose_secret())?;
    redirect("/", [cookie(&state, &headers, "", 0)?, session])
}

/// `POST /auth/oidc/{issuer}/logout`: the provider ended a session.
pub(super) async fn end_sign_in(
    Shared(state): Shared<State>,
    Path(issuer): Path<String>,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let provider = &provider(&state, &issuer).await?;
    let refused = || ApiError::malformed("The logout token is not valid.");
    let token = form_field(&body, "logout_token").ok_or_else(refused)?;
    let (session, subject) = provider
        .logout(&token)
        .await
        .map_err(|failed| match failed {
            ProviderError::Away { .. }
            | ProviderError::Down { .. }
            | ProviderError::Refused { .. } => {
                ApiError::unavailable("The identity provider does not answer.", failed)
            }
            failed => refused().with_source(failed),
        })?;
    let ended = state
        .identities
        .end_sign_ins(
            &provider.config().issuer,
            session.as_deref(),
            subject.as_deref(),
        )
        .await;
    let ended = ended.map_err(error::database)?;
    tracing::info!(
        issuer = provider.config().name,
        ended,
        "sessions were ended by their identity provider"
    );
    Ok(StatusCode::OK)
}

async fn provider(state: &State, name: &str) -> Result<Arc<Provider>, ApiError> {
    let unknown = || ApiError::not_found("There is no identity provider of this name.");
    let current = state.providers.current().await;
    current.named(name).cloned().ok_or_else(unknown)
}

/// Whether a provider is still in use.
async fn is_in_use(state: &State, provider: &Provider) -> Result<bool, ApiError> {
    let current = state.providers.latest().await.map_err(error::database)?;
    let found = current.of_issuer(&provider.config().issuer);
    Ok(found.is_some_and(|found| found.config().name == provider.config().name))
}

/// Sends the browser back to the page, which says what failed.
fn failure(
    state: &State,
    headers: &HeaderMap,
    provider: &Provider,
    failed: &SignInError,
    note: &Note,
) -> Result<Response, ApiError> {
    let (word, status) = match failed {
        SignInError::Unknown => ("expired", StatusCode::UNAUTHORIZED),
        SignInError::Denied(_) => ("denied", StatusCode::UNAUTHORIZED),
        SignInError::NotAllowed => ("not-allowed", StatusCode::FORBIDDEN),
        SignInError::Provider(
            ProviderError::Away { .. } | ProviderError::Down { .. } | ProviderError::Refused { .. },
        ) => ("unavailable", StatusCode::BAD_GATEWAY),
        SignInError::Provider(_) => ("refused", StatusCode::UNAUTHORIZED),
        SignInError::Database(_) => ("unavailable", StatusCode::SERVICE_UNAVAILABLE),
    };
    tracing::warn!(
        issuer = provider.config().name,
        error = %chain(failed),
        "a sign-in at an identity provider failed"
    );
    note.status(status);
    let cookie = cookie(state, headers, "", 0)?;
    redirect(&format!("/?sign-in={word}"), [cookie])
}

fn cookie(
    state: &State,
    headers: &HeaderMap,
    value: &str,
    seconds: i64,
) -> Result<HeaderValue, ApiError> {
    let secure = state.must_be_secure(headers);
    let name = if secure { SECURE_COOKIE } else { COOKIE };
    let cookie = Cookie::build((name, value))
        .path("/")
        .max_age(time::Duration::seconds(seconds))
        .http_only(true)
        .secure(secure)
        // The provider's page leads back here.
        .same_site(SameSite::Lax);
    HeaderValue::try_from(cookie.to_string()).map_err(ApiError::internal)
}

fn redirect<const N: usize>(to: &str, cookies: [HeaderValue; N]) -> Result<Response, ApiError> {
    let location = HeaderValue::try_from(to).map_err(ApiError::internal)?;
    let mut response = (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response();
    for cookie in cookies {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// A field of a form (`application/x-www-form-urlencoded`).
fn form_field(body: &[u8], name: &str) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let url = reqwest::Url::parse(&format!("http://form/?{text}")).ok()?;
    let found = url.query_pairs().find(|(field, _)| field == name);
    found.map(|(_, value)| value.into_owned())
}
