//! Asking an upstream for another token, and seeing whether what it answers is one.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use contracts::tools::upstreams::error_codes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

use super::Held;
use super::token::{Claims, Tokens, is_token};
use crate::upstreams::config::{RefreshConfig, RefreshKind, ServiceKeyUsers};
use crate::upstreams::{Content, Failure, Outgoing, Upstream, exchange};

/// Maximum number of bytes in a token endpoint's answer.
pub(super) const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// No token is believed to last longer.
const LONGEST_SECONDS: f64 = 366.0 * 86_400.0;

/// Whether another token can be asked for at all.
pub(super) fn is_possible(upstream: &Upstream, held: Option<&Held>) -> bool {
    let Some(refresh) = &upstream.token().refresh else {
        return false;
    };
    match refresh.kind {
        RefreshKind::ServiceKey => held.is_some() || is_for_everyone(upstream),
        RefreshKind::RefreshToken => held.is_some_and(|held| held.refresh_token.is_some()),
    }
}

/// Whether the operator has connected the upstream for every user.
pub(super) fn is_for_everyone(upstream: &Upstream) -> bool {
    upstream.token().refresh.as_ref().is_some_and(|refresh| {
        refresh.kind == RefreshKind::ServiceKey && refresh.users == ServiceKeyUsers::Everyone
    })
}

/// Time that it may take.
pub(super) fn timeout(upstream: &Upstream) -> Duration {
    let refresh = upstream.token().refresh.as_ref();
    Duration::from_millis(refresh.map_or(0, |refresh| refresh.timeout_ms))
}

/// Asks for another token of this user.
pub(super) async fn refresh(
    upstream: &Upstream,
    subject: &str,
    refresh_token: Option<&SecretString>,
    now: DateTime<Utc>,
) -> Result<Tokens, Failure> {
    let asked = request(upstream, subject, refresh_token);
    let request = asked.ok_or_else(|| failed(upstream, "there is nothing to ask for one with"))?;
    let answer = exchange(upstream, &request, None).await;
    let answer = answer.map_err(|failure| failed(upstream, failure.code()))?;
    if !answer.status.is_success() {
        return Err(failed(upstream, answer.status.as_str()));
    }
    let answer = serde_json::from_slice(&answer.body).map_err(|_| failed(upstream, "not JSON"))?;
    let tokens = checked(upstream, subject, &answer, now);
    let mut tokens = tokens.map_err(|reason| failed(upstream, reason))?;
    if tokens.refresh_token.is_none() {
        tokens.refresh_token = refresh_token.cloned();
    }
    Ok(tokens)
}

/// The reason is for the log: it says what the answer lacks, and never what it contains.
fn failed(upstream: &Upstream, reason: &str) -> Failure {
    tracing::warn!(
        upstream = upstream.name(),
        reason,
        "an upstream gave no other token"
    );
    let message = format!("`{}` did not give another credential.", upstream.name());
    Failure::new(error_codes::REFRESH_FAILED, message)
}

fn request(
    upstream: &Upstream,
    subject: &str,
    refresh_token: Option<&SecretString>,
) -> Option<Outgoing> {
    let config = upstream.token().refresh.as_ref()?;
    let mut url = upstream.base().clone();
    {
        let mut path = url.path_segments_mut().ok()?;
        path.pop_if_empty();
        path.extend(config.path.trim_start_matches('/').split('/'));
    }
    let (headers, content) = match config.kind {
        RefreshKind::ServiceKey => by_service_key(config, subject)?,
        RefreshKind::RefreshToken => (HeaderMap::new(), by_refresh_token(config, refresh_token?)),
    };
    Some(Outgoing {
        method: Method::POST,
        url,
        headers,
        content: Some(content),
        timeout: Duration::from_millis(config.timeout_ms),
        limit: MAX_ANSWER_BYTES,
    })
}

/// The header with the service key.
pub(super) fn key_header(config: &RefreshConfig) -> Option<HeaderMap> {
    let key = config.service_key.as_ref()?.expose_secret();
    let mut key = HeaderValue::try_from(key).ok()?;
    key.set_sensitive(true);
    let header = HeaderName::try_from(config.header.as_str()).ok()?;
    Some(HeaderMap::from_iter([(header, key)]))
}

fn by_service_key(config: &RefreshConfig, subject: &str) -> Option<(HeaderMap, Content)> {
    let content = Content {
        media_type: "application/json",
        bytes: json!({ "user_id": subject }).to_string().into_bytes(),
    };
    Some((key_header(config)?, content))
}

fn by_refresh_token(config: &RefreshConfig, refresh_token: &SecretString) -> Content {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "refresh_token");
    form.append_pair("refresh_token", refresh_token.expose_secret());
    if let Some(client) = &config.client_id {
        form.append_pair("client_id", client);
    }
    if let Some(secret) = &config.client_secret {
        form.append_pair("client_secret", secret.expose_secret());
    }
    Content {
        media_type: "application/x-www-form-urlencoded",
        bytes: form.finish().into_bytes(),
    }
}

/// The tokens of an answer that is as agreed, otherwise what is wrong with it.
fn checked(
    upstream: &Upstream,
    subject: &str,
    answer: &Value,
    now: DateTime<Utc>,
) -> Result<Tokens, &'static str> {
    let answer = answer.as_object().ok_or("not an object")?;
    let token = answer
        .get("access_token")
        .and_then(Value::as_str)
        .map(str::trim);
    let token = token
        .filter(|token| is_token(token))
        .ok_or("no access_token")?;
    if answer
        .get("token_type")
        .is_some_and(|kind| kind != "Bearer")
    {
        return Err("token_type is not Bearer");
    }
    let by_key = upstream
        .token()
        .refresh
        .as_ref()
        .map(|refresh| refresh.kind)
        == Some(RefreshKind::ServiceKey);
    let told = match answer.get("expires_in") {
        // OAuth 2 lets it be absent.
        None if !by_key => None,
        told => Some(lasting(told).ok_or("expires_in is no positive number")?),
    };
    let told = told.map(|seconds| now + seconds);
    let claims = Claims::of(token);
    if let Some(claims) = &claims {
        check_claims(upstream, subject, claims)?;
    }
    let own = claims.as_ref().and_then(Claims::expires_at);
    let expires_at = [told, own].into_iter().flatten().min();
    if expires_at.is_some_and(|end| end <= now) {
        return Err("the token has run out already");
    }
    let refresh_token = answer.get("refresh_token").and_then(Value::as_str);
    Ok(Tokens {
        access_token: token.into(),
        refresh_token: refresh_token
            .filter(|token| is_token(token))
            .map(SecretString::from),
        expires_at,
        issued_at: Some(now),
    })
}

/// A token that can be read has to say that it is this user's, for this upstream, of its issuer.
fn check_claims(upstream: &Upstream, subject: &str, claims: &Claims) -> Result<(), &'static str> {
    if claims.is(&upstream.token().subject_claim, subject) != Some(true) {
        return Err("the token is another user's");
    }
    if claims.is_for(upstream.audience()) != Some(true) {
        return Err("the token is for another upstream");
    }
    match &upstream.token().issuer {
        Some(issuer) if claims.is("iss", issuer) != Some(true) => {
            Err("the token is another issuer's")
        }
        _ => Ok(()),
    }
}

/// A positive number of seconds, as a number.
fn lasting(told: Option<&Value>) -> Option<TimeDelta> {
    let seconds = told?.as_f64().filter(|seconds| *seconds > 0.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "it is at most a year")]
    let milliseconds = (seconds.min(LONGEST_SECONDS) * 1_000.0) as i64;
    TimeDelta::try_milliseconds(milliseconds)
}
