//! The time for which conversations are kept, and the end of an account, at the bff.

use super::common::{BodyRefusals, ProxyRefusals, Refusals};
use crate::kept::{ChangeRetention, Retention};
use crate::person::{EraseAccount, EraseMe, Erasure};
use crate::problem::Problem;

/// The time for which conversations and the audit log of the caller's tenant are kept.
#[utoipa::path(get, path = "/api/retention", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    responses(
        (status = 200, description = "As the tenant or the installation has set it", body = Retention),
        Refusals,
        ProxyRefusals,
    ))]
pub fn get_retention() {}

/// Sets the time for which conversations and the audit log of the caller's tenant are kept, within
/// the limits of the installation. It counts at the next clean-up, in every replica: what is older
/// then is deleted for good. The body has all three: one that is absent or `null` is set back to
/// the installation's.
#[utoipa::path(put, path = "/api/retention", tag = "threads", security(("bearer" = ["retention:write"]), ("session" = [])),
    request_body = ChangeRetention,
    responses(
        (status = 200, description = "As it is set now", body = Retention),
        (status = 409, description = "The installation's configuration names the tenant", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn set_retention() {}

/// Erases the caller's account and everything that any service keeps of the person: sessions,
/// tokens, threads, messages, runs, connected services, confirmed questions, remembered choices.
/// There is no way back. A service that is away is asked again until it has done its part.
#[utoipa::path(delete, path = "/auth/me", tag = "auth", security(("bearer" = []), ("session" = [])),
    request_body = EraseMe,
    responses(
        (status = 200, description = "It is erased", body = Erasure),
        (status = 202, description = "The account is gone; a service that is away still keeps something", body = Erasure),
        (status = 403, description = "Not the account's password, or a page of another origin", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many attempts; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
    ))]
pub fn erase_me() {}

/// Erases an account of the caller's tenant in the same way.
#[utoipa::path(delete, path = "/api/accounts/{username}", tag = "auth", security(("bearer" = ["accounts:erase"]), ("session" = [])),
    params(("username" = String, Path, description = "The account's name, or its id")),
    request_body = EraseAccount,
    responses(
        (status = 200, description = "It is erased", body = Erasure),
        (status = 202, description = "The account is gone; a service that is away still keeps something", body = Erasure),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is no account of this name in the tenant", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
    ))]
pub fn erase_account() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_erase_account as EraseAccount, __path_erase_me as EraseMe,
        __path_get_retention as GetRetention, __path_set_retention as SetRetention,
    };
}
