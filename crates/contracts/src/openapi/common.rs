//! Parts that the three documents share.

use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{IntoResponses, Modify};

use crate::problem::Problem;

/// Adds the bearer scheme that every service has.
pub(super) struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        components.add_security_scheme(
            "bearer",
            SecurityScheme::Http(
                HttpBuilder::new()
                    .scheme(HttpAuthScheme::Bearer)
                    .bearer_format("JWT")
                    .build(),
            ),
        );
    }
}

/// Adds the session cookie that the bff has beside it.
pub(super) struct SessionCookie;

impl Modify for SessionCookie {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        components.add_security_scheme(
            "session",
            SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("heliograph_session"))),
        );
    }
}

/// Adds the secret that a service of this project sends to the bff.
pub(super) struct ServiceSecret;

impl Modify for ServiceSecret {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        let secret = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        components.add_security_scheme("service", SecurityScheme::Http(secret));
    }
}

/// What every operation on threads and runs may be refused with.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only what the derive makes of it is used")]
pub(super) enum Refusals {
    /// No valid identity.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(Problem),
    /// The scope is missing, or `user_id` or `company_id` is another user's.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// The database is unavailable: the owner of the thing cannot be checked, so nothing is
    /// returned.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// What every operation with a body may be refused with beside [`Refusals`].
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only what the derive makes of it is used")]
pub(super) enum BodyRefusals {
    /// Not JSON.
    #[response(status = 400, content_type = "application/problem+json")]
    Malformed(Problem),
    /// The body is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// Well-formed but not valid; the problem points to what is wrong.
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(Problem),
}

/// What every operation of the tools service may be refused with.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only what the derive makes of it is used")]
pub(super) enum ToolsRefusals {
    /// No valid identity
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(Problem),
    /// The scope is missing
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// The database is away
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// Further refusals of an operation of the tools service with a JSON body.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only what the derive makes of it is used")]
pub(super) enum JsonRefusals {
    /// Not JSON
    #[response(status = 400, content_type = "application/problem+json")]
    Malformed(Problem),
    /// The body is too large
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// Not JSON by its content type
    #[response(status = 415, content_type = "application/problem+json")]
    NotJson(Problem),
}

/// The same where the body can be compressed.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only what the derive makes of it is used")]
pub(super) enum CompressedJsonRefusals {
    /// Not JSON, or the body breaks off
    #[response(status = 400, content_type = "application/problem+json")]
    Malformed(Problem),
    /// The body is too large
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// Another content type than JSON, or another encoding than gzip
    #[response(status = 415, content_type = "application/problem+json")]
    NotJson(Problem),
}

/// A thread or run of these words is not the caller's, whether there is one or not.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only what the derive makes of it is used")]
#[response(
    status = 404,
    description = "There is none of this id that is yours",
    content_type = "application/problem+json"
)]
pub(super) struct NotYours(Problem);

/// The refusal of too many requests.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only what the derive makes of it is used")]
#[response(
    status = 429,
    description = "Too many requests; `Retry-After` says when",
    content_type = "application/problem+json"
)]
pub(super) struct TooMany(Problem);

/// The bff's own refusals on what it passes on.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only what the derive makes of it is used")]
pub(super) enum ProxyRefusals {
    /// Too many requests; `Retry-After` says when.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(Problem),
    /// The inner tier cannot be reached.
    #[response(status = 502, content_type = "application/problem+json")]
    BadGateway(Problem),
}
