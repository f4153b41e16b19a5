//! Sign-in at identity providers.

use crate::bff::FinishSignIn;
use crate::problem::Problem;

/// Sends a browser to an identity provider (authorization code flow with PKCE).
#[utoipa::path(get, path = "/auth/oidc/{issuer}", tag = "auth", security(()),
    params(("issuer" = String, Path, description = "The provider's name in the configuration")),
    responses(
        (status = 303, description = "To the provider; to the page with `?sign-in=unavailable` if it does not answer", headers(("location" = String, description = "The address"), ("set-cookie" = String, description = "The secret of this browser for this sign-in"))),
        (status = 404, description = "There is no provider of this name", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn begin_sign_in() {}

/// Ends a sign-in: the provider sends the browser here. The session begins, and the browser is sent
/// to the page; after a failure with `?sign-in=` and a word: `expired`, `denied`, `not-allowed`,
/// `refused` or `unavailable`.
#[utoipa::path(get, path = "/auth/oidc/{issuer}/callback", tag = "auth", security(()),
    params(("issuer" = String, Path, description = "The provider's name in the configuration"), FinishSignIn),
    responses(
        (status = 303, description = "To the page", headers(("location" = String, description = "The address"), ("set-cookie" = String, description = "The session"))),
        (status = 404, description = "There is no provider of this name", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Not an answer of a provider", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn finish_sign_in() {}

/// Ends sessions whose session at the provider has ended (`OpenID` Connect Back-Channel Logout).
/// The provider calls it; the logout token is its credential.
#[utoipa::path(post, path = "/auth/oidc/{issuer}/logout", tag = "auth", security(()),
    params(("issuer" = String, Path, description = "The provider's name in the configuration")),
    request_body(content = String, description = "A form with `logout_token`", content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "They are ended"),
        (status = 400, description = "The logout token is not valid", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is no provider of this name", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The provider's keys cannot be read", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn end_sign_in() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_begin_sign_in as BeginSignIn, __path_end_sign_in as EndSignIn,
        __path_finish_sign_in as FinishSignIn,
    };
}
