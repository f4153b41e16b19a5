//! Who sent a request: a session's cookie or a bearer token, whichever is there; the token wins.

use axum::extract::{FromRequestParts, MatchedPath};
use axum_extra::extract::cookie::CookieJar;
use contracts::accounts::CredentialKind;
use http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Uri};
use service_kit::problem::ApiError;
use service_kit::telemetry;
use uuid::Uuid;

use crate::accounts::Account;
use crate::api_keys;
use crate::audit::Note;
use crate::config::SecureCookie;
use crate::identities::Admission;
use crate::oidc::{Person, Provider, ProviderError, named_issuer};
use crate::state::State;
use crate::{access, error, mcp};

/// The session's cookie on loopback, where there is no TLS.
pub(crate) const SESSION_COOKIE: &str = "heliograph_session";

/// The session's cookie everywhere else. The prefix makes browsers take it from this very host
/// alone, over TLS: another host of the same domain cannot put one of its own in its place.
pub(crate) const SECURE_SESSION_COOKIE: &str = "__Host-heliograph_session";

/// The path at which a caller reads its limits.
const OWN_LIMITS: &str = "/api/me";

/// The account that sent the request, within its limit of requests.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The account.
    pub(crate) account: Account,
    /// The credential.
    pub(crate) credential: Credential,
    /// Notes for the audit log.
    pub(crate) note: Note,
}

/// A credential that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The cookie of a session: its secret, and the id of the session.
    Session { token: String, id: Uuid },
    /// An access token, which belongs to this family of refresh tokens.
    Family(Uuid),
    /// The API key of this id.
    ApiKey(Uuid),
    /// An access token of an identity provider.
    Issuer,
}

impl Caller {
    /// The id of the sign-in that the request came with.
    pub(crate) fn sign_in(&self) -> Option<Uuid> {
        match &self.credential {
            Credential::Session { id, .. } | Credential::Family(id) => Some(*id),
            Credential::ApiKey(_) | Credential::Issuer => None,
        }
    }

    /// The caller by the credential alone: limits and scopes are not looked at.
    pub(crate) async fn credential(state: &State, parts: &Parts) -> Result<Self, ApiError> {
        match bearer_token(&parts.headers) {
            Some(key) if key.starts_with(api_keys::BEGINNING) => by_key(state, key).await,
            Some(token) => by_token(state, token, parts.uri.path()).await,
            None => by_cookie(state, parts).await,
        }
    }

    /// The kind of credential.
    pub(crate) fn kind(&self) -> CredentialKind {
        match &self.credential {
            Credential::Session { .. } => CredentialKind::Session,
            Credential::Family(_) => CredentialKind::Token,
            Credential::ApiKey(_) => CredentialKind::ApiKey,
            Credential::Issuer => CredentialKind::Issuer,
        }
    }

    /// Refuses, with 403, what only a person who signed in may do.
    pub(crate) fn require_person(&self) -> Result<(), ApiError> {
        match &self.credential {
            Credential::ApiKey(_) | Credential::Issuer => Err(ApiError::forbidden(
                "An API key or a program's token cannot do this; sign in on the page or with a password.",
            )),
            _ => Ok(()),
        }
    }
}

impl FromRequestParts<State> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, ApiError> {
        let mut caller = Self::credential(state, parts).await?;
        telemetry::concerns_tenant(&caller.account.tenant);
        if let Some(note) = parts.extensions.get::<Note>() {
            caller.note = note.clone();
        }
        caller.note.actor(&caller.account, Some(caller.kind()));
        if parts.method == Method::GET && parts.uri.path() == OWN_LIMITS {
            state.quotas.take_look(&caller.account)?;
        } else {
            state.quotas.take_request(&caller.account)?;
        }
        if let Some(matched) = parts.extensions.get::<MatchedPath>() {
            let (method, path) = (&parts.method, parts.uri.path());
            access::require_all(&caller.account, method, matched.as_str(), path)?;
        }
        Ok(caller)
    }
}

async fn by_token(state: &State, token: &str, path: &str) -> Result<Caller, ApiError> {
    let refused = || {
        ApiError::unauthorized("The access token is not valid or has ended.").with_header(
            WWW_AUTHENTICATE,
            HeaderValue::from_static("Bearer error=\"invalid_token\""),
        )
    };
    // Own tokens name the issuer of this service.
    let issuer = named_issuer(token).filter(|issuer| *issuer != state.own_issuer);
    if let Some(issuer) = issuer {
        let current = state.providers.current().await;
        if let Some(provider) = current.of_issuer(&issuer) {
            return by_provider(state, provider, token, path).await;
        }
    }
    let identity = state
        .token_issuer
        .verify(token)
        .await
        .map_err(|error| refused().with_source(error))?;
    let account_id =
        Uuid::parse_str(&identity.subject).map_err(|error| refused().with_source(error))?;
    let family = identity
        .session
        .as_deref()
        .and_then(|family| Uuid::parse_str(family).ok());
    let family = family.ok_or_else(refused)?;
    // Account and family are read again: an account that was disabled or lost a scope is so at
    // once, and signing out, a new password or a refresh token that was used twice end the access
    // tokens, too.
    let account = state
        .accounts
        .find_of_family(account_id, family)
        .await
        .map_err(error::database)?
        .ok_or_else(refused)?;
    Ok(Caller {
        account,
        credential: Credential::Family(family),
        note: Note::default(),
    })
}

/// An access token of an identity provider: its account is the person's, as after a sign-in. A
/// token for the Model Context Protocol is accepted at its path only.
async fn by_provider(
    state: &State,
    provider: &Provider,
    token: &str,
    path: &str,
) -> Result<Caller, ApiError> {
    let refused = || {
        ApiError::unauthorized(
            "The access token of the identity provider is not accepted: it has expired, is for another audience, or no rule fits its groups.",
        )
        .with_header(
            WWW_AUTHENTICATE,
            HeaderValue::from_static("Bearer error=\"invalid_token\""),
        )
    };
    let resource = (path == mcp::PATH).then(|| mcp::resource(provider));
    let verified =
        provider
            .bearer(token, resource.as_deref())
            .await
            .map_err(|failed| match failed {
                ProviderError::Token(_) => refused().with_source(failed),
                failed => ApiError::unavailable("The identity provider does not answer.", failed),
            })?;
    let person = Person::of(provider.config(), &verified.claims).ok_or_else(refused)?;
    let admission = state.identities.admit(&person).await;
    match admission.map_err(error::database)? {
        Admission::Admitted(account) => Ok(Caller {
            account,
            credential: Credential::Issuer,
            note: Note::default(),
        }),
        Admission::Disabled(_) => Err(refused()),
    }
}

async fn by_key(state: &State, key: &str) -> Result<Caller, ApiError> {
    let found = state.api_keys.find(key).await.map_err(error::database)?;
    let (account, id) = found.ok_or_else(|| {
        ApiError::unauthorized("The API key is not valid, or it has expired or was revoked.")
            .with_header(
                WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer error=\"invalid_token\""),
            )
    })?;
    Ok(Caller {
        account,
        credential: Credential::ApiKey(id),
        note: Note::default(),
    })
}

async fn by_cookie(state: &State, parts: &Parts) -> Result<Caller, ApiError> {
    let Some((_, token)) = session_cookie(state, &parts.headers) else {
        return Err(ApiError::unauthorized(
            "Sign in first, or send an access token.",
        ));
    };
    check_origin(state, &parts.method, &parts.uri, &parts.headers)?;
    let found = state.sessions.find(&token).await.map_err(error::database)?;
    let found =
        found.ok_or_else(|| ApiError::unauthorized("The session has ended; sign in again."))?;
    Ok(Caller {
        account: found.account,
        credential: Credential::Session {
            token,
            id: found.session_id,
        },
        note: Note::default(),
    })
}

/// The session's cookie and its name. Where it would be sent over TLS only, one without the prefix
/// is ignored.
pub(crate) fn session_cookie(state: &State, headers: &HeaderMap) -> Option<(&'static str, String)> {
    let plain = !state.must_be_secure(headers);
    let jar = CookieJar::from_headers(headers);
    [SECURE_SESSION_COOKIE, SESSION_COOKIE]
        .into_iter()
        .take(if plain { 2 } else { 1 })
        .find_map(|name| Some((name, jar.get(name)?.value().to_owned())))
}

impl State {
    /// Whether the session's cookie is for TLS only.
    pub(crate) fn must_be_secure(&self, headers: &HeaderMap) -> bool {
        self.secure_cookie == SecureCookie::Always || !came_to_loopback(headers)
    }

    /// Whether this was sent by a page of an origin that the configuration lets in, on another site
    /// than this service's.
    pub(crate) fn came_from_allowed_site(&self, headers: &HeaderMap) -> bool {
        let same_site = headers
            .get("sec-fetch-site")
            .is_some_and(|site| site == "same-site" || site == "same-origin");
        !same_site && self.is_allowed_origin(headers)
    }

    fn is_allowed_origin(&self, headers: &HeaderMap) -> bool {
        let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
        origin.is_some_and(|origin| self.allowed_origins.iter().any(|one| one == origin))
    }
}

/// Refuses what a page of another origin sends with the user's cookie. Browsers name the origin on
/// every request that may change something; a client that sends none is not a browser and holds the
/// cookie by right. What only reads is refused to pages of other sites as well: they could not see
/// the answer, but how long it took.
pub(crate) fn check_origin(
    state: &State,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), ApiError> {
    let cross_site = headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site");
    let allowed = match headers.get(ORIGIN).map(|origin| origin.to_str()) {
        // A person who follows a link from elsewhere asks for a page, which no script sees.
        None => !cross_site || (method.is_safe() && is_navigation(headers)),
        Some(_) if method.is_safe() && !cross_site => true,
        Some(Err(_)) => false,
        Some(Ok(origin)) => is_own(origin, uri, headers) || state.is_allowed_origin(headers),
    };
    if allowed {
        Ok(())
    } else {
        Err(ApiError::forbidden(
            "Requests with the session's cookie must come from our own pages.",
        ))
    }
}

/// Whether a request came from a page of this service or of an allowed origin, or from no page.
pub(crate) fn is_allowed_origin(state: &State, uri: &Uri, headers: &HeaderMap) -> bool {
    match headers.get(ORIGIN).map(|origin| origin.to_str()) {
        None => true,
        Some(Err(_)) => false,
        Some(Ok(origin)) => is_own(origin, uri, headers) || state.is_allowed_origin(headers),
    }
}

fn is_navigation(headers: &HeaderMap) -> bool {
    let is = |name, value| headers.get(name).is_some_and(|header| header == value);
    is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document")
}

/// Whether an origin is the host that the request was sent to. The scheme is left out: behind a
/// proxy that ends TLS it is not visible here.
fn is_own(origin: &str, uri: &Uri, headers: &HeaderMap) -> bool {
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .or_else(|| uri.authority().map(http::uri::Authority::as_str));
    let origin_host = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    matches!((host, origin_host), (Some(host), Some(origin)) if host.eq_ignore_ascii_case(origin))
}

/// Whether a request came to a loopback name, where there is no TLS.
fn came_to_loopback(headers: &HeaderMap) -> bool {
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let name = host
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map_or_else(
            || host.rsplit_once(':').map_or(host, |(name, _port)| name),
            |(name, _port)| name,
        );
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// The address of the page, as the sender of a request reaches it.
pub(crate) fn page_address(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| uri.authority().map(http::uri::Authority::as_str))?;
    let scheme = headers
        .get("x-forwarded-proto")
        .and_then(|scheme| scheme.to_str().ok())
        .filter(|scheme| matches!(*scheme, "http" | "https"));
    let otherwise = if came_to_loopback(headers) {
        "http"
    } else {
        "https"
    };
    Some(format!("{}://{host}", scheme.unwrap_or(otherwise)))
}

pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn with_host(host: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))])
    }

    #[test]
    fn loopback_names_are_told_from_others() {
        for host in [
            "localhost",
            "localhost:8080",
            "127.0.0.1:8080",
            "[::1]:8080",
        ] {
            assert!(came_to_loopback(&with_host(host)), "{host}");
        }
        for host in ["example.com", "localhost.example.com:8080", "10.0.0.1"] {
            assert!(!came_to_loopback(&with_host(host)), "{host}");
        }
    }

    #[test]
    fn an_origin_is_own_only_with_the_same_host_and_port() {
        let uri = Uri::from_static("/auth/login");
        let headers = with_host("localhost:8080");
        assert!(is_own("http://localhost:8080", &uri, &headers));
        assert!(!is_own("http://localhost:8081", &uri, &headers));
        assert!(!is_own("http://evil.example", &uri, &headers));
        assert!(!is_own("null", &uri, &headers));
    }
}
