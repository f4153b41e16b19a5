//! The issuers at which people sign in.

use crate::issuers::{ChangeIssuer, IssuerInfo, IssuerList, IssuerTest, NewIssuer};
use crate::openapi::common::{BodyRefusals, Refusals, TooMany};
use crate::problem::Problem;

/// The issuers of the installation: those of the configuration, which cannot be changed here, and
/// those that were added.
#[utoipa::path(get, path = "/api/issuers", tag = "issuers", security(("bearer" = ["issuers:write"]), ("session" = [])),
    responses(
        (status = 200, description = "The issuers", body = IssuerList),
        Refusals,
        TooMany,
    ))]
pub fn list_issuers() {}

/// Adds an issuer. It is tested first. People can sign in there at once, in every replica. The
/// roles of its rules cannot exceed the caller's.
#[utoipa::path(post, path = "/api/issuers", tag = "issuers", security(("bearer" = ["issuers:write"]), ("session" = [])),
    request_body = NewIssuer,
    responses(
        (status = 201, description = "It is added", body = IssuerInfo),
        (status = 409, description = "An issuer of this name or address exists, there are as many as there may be, or there is no key to encrypt the secret with", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        TooMany,
    ))]
pub fn create_issuer() {}

/// Tests an issuer without adding it.
#[utoipa::path(post, path = "/api/issuer-tests", tag = "issuers", security(("bearer" = ["issuers:write"]), ("session" = [])),
    request_body = NewIssuer,
    responses(
        (status = 200, description = "The outcome, step by step", body = IssuerTest),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        TooMany,
    ))]
pub fn test_new_issuer() {}

/// An issuer.
#[utoipa::path(get, path = "/api/issuers/{issuer}", tag = "issuers", security(("bearer" = ["issuers:write"]), ("session" = [])),
    params(("issuer" = String, Path, description = "The issuer's name")),
    responses(
        (status = 200, description = "The issuer", body = IssuerInfo),
        (status = 404, description = "There is no issuer of this name", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn get_issuer() {}

/// Changes an issuer that was added. It is tested first where the client id or the secret changes.
/// Sessions continue; rules decide again at the next sign-in.
#[utoipa::path(patch, path = "/api/issuers/{issuer}", tag = "issuers", security(("bearer" = ["issuers:write"]), ("session" = [])),
    params(("issuer" = String, Path, description = "The issuer's name")),
    request_body = ChangeIssuer,
    responses(
        (status = 200, description = "The issuer", body = IssuerInfo),
        (status = 404, description = "There is no issuer of this name", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file, was changed at the same time, or there is no key to encrypt the secret with", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        TooMany,
    ))]
pub fn change_issuer() {}

/// Removes an issuer that was added. Sessions that began there end, and its access tokens are not
/// accepted any more. Accounts and their API keys stay.
#[utoipa::path(delete, path = "/api/issuers/{issuer}", tag = "issuers", security(("bearer" = ["issuers:write"]), ("session" = [])),
    params(("issuer" = String, Path, description = "The issuer's name")),
    responses(
        (status = 204, description = "It is removed"),
        (status = 404, description = "There is no issuer of this name", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn delete_issuer() {}

/// Tests an issuer as it is.
#[utoipa::path(post, path = "/api/issuers/{issuer}/test", tag = "issuers", security(("bearer" = ["issuers:write"]), ("session" = [])),
    params(("issuer" = String, Path, description = "The issuer's name")),
    responses(
        (status = 200, description = "The outcome, step by step", body = IssuerTest),
        (status = 404, description = "There is no issuer of this name", body = Problem, content_type = "application/problem+json"),
        Refusals,
        TooMany,
    ))]
pub fn test_issuer() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_change_issuer as ChangeIssuer, __path_create_issuer as CreateIssuer,
        __path_delete_issuer as DeleteIssuer, __path_get_issuer as GetIssuer,
        __path_list_issuers as ListIssuers, __path_test_issuer as TestIssuer,
        __path_test_new_issuer as TestNewIssuer,
    };
}
