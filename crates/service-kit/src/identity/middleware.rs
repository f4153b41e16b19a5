//! Standing in front of a router.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use super::{Identity, TokenError, Verifier};
use crate::problem::ApiError;
use crate::telemetry;

/// The routes of this crate that need no identity: health and documents.
pub const PUBLIC_ROUTES: [&str; 7] = [
    "/health/live",
    "/health/ready",
    "/openapi.json",
    "/openapi-3.0.json",
    "/docs",
    "/docs/",
    "/docs/{*rest}",
];

/// The caller of a protected route.
#[derive(Debug, Clone)]
pub struct Caller(pub Arc<Identity>);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let identity = parts.extensions.get::<Arc<Identity>>().cloned();
        identity
            .map(Self)
            .ok_or_else(|| ApiError::unauthorized("This operation needs an identity token."))
    }
}

/// Refuses, with 401, every request without a valid token: on each route of `router` save
/// [`PUBLIC_ROUTES`] and those in `public` (as they were mounted), and on paths without a route.
/// Routes added afterwards are not protected.
pub fn protect<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    verifier: Arc<Verifier>,
    public: &'static [&'static str],
) -> Router<S> {
    router.layer(from_fn_with_state(Guard { verifier, public }, authenticate))
}

#[derive(Clone)]
struct Guard {
    verifier: Arc<Verifier>,
    public: &'static [&'static str],
}

impl Guard {
    fn is_public(&self, route: &str) -> bool {
        PUBLIC_ROUTES.contains(&route) || self.public.contains(&route)
    }
}

async fn authenticate(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    if route.is_some_and(|route| guard.is_public(route.as_str())) {
        return next.run(request).await;
    }
    let Some(token) = bearer_token(request.headers()) else {
        return ApiError::unauthorized("This operation needs an identity token.").into_response();
    };
    match guard.verifier.verify(token).await {
        Ok(identity) => {
            telemetry::concerns_tenant(&identity.tenant);
            request.extensions_mut().insert(identity);
            next.run(request).await
        }
        Err(error) => refuse(error).into_response(),
    }
}

/// 403 for a caller that may not do this.
pub(super) fn insufficient_scope(scope: &str) -> ApiError {
    let error = ApiError::forbidden(format!("This operation needs the scope `{scope}`."));
    match HeaderValue::try_from(format!(
        "Bearer error=\"insufficient_scope\", scope=\"{scope}\""
    )) {
        Ok(challenge) => error.with_header(WWW_AUTHENTICATE, challenge),
        Err(_) => error,
    }
}

fn refuse(error: TokenError) -> ApiError {
    match error {
        TokenError::KeysUnavailable(_) => {
            ApiError::unavailable("Identities cannot be verified at the moment.", error)
        }
        refused => ApiError::unauthorized(sentence(&refused))
            .with_header(
                WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer error=\"invalid_token\""),
            )
            .with_source(refused),
    }
}

fn sentence(error: &TokenError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
        .unwrap_or_default()
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim())
        .filter(|token| !token.is_empty())
}
