//! Remembered choices, at the tools service and at the bff.

use super::common::ProxyRefusals;
use crate::problem::Problem;
use crate::tools::choices::{ChoiceList, ForgetChoices, ForgottenChoices};

/// The caller's choices for ambiguous words, the newest first. For these words
/// `entity_resolution` does not ask again.
#[utoipa::path(get, path = "/api/choices", tag = "choices", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The choices of this caller only", body = ChoiceList),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn list_choices() {}

/// Forgets what the caller chose for some words, or every choice. 200 also where there was none.
#[utoipa::path(delete, path = "/api/choices", tag = "choices", security(("bearer" = ["tools:read"])),
    params(ForgetChoices),
    responses(
        (status = 200, description = "How many are gone", body = ForgottenChoices),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The words are empty or too long, or a parameter is not known", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn forget_choices() {}

/// The same operations at the bff.
pub mod at_bff {
    use super::{ChoiceList, ForgetChoices, ForgottenChoices, Problem, ProxyRefusals};

    /// The caller's choices for ambiguous words, the newest first. For these
    /// words the analyst does not ask again.
    #[utoipa::path(get, path = "/api/choices", tag = "choices", security(("bearer" = ["tools:read"]), ("session" = [])),
        responses(
            (status = 200, description = "The choices of this caller only", body = ChoiceList),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
        ))]
    pub fn list_choices() {}

    /// Forgets what the caller chose for some words, or every choice. 200 also where there was
    /// none.
    #[utoipa::path(delete, path = "/api/choices", tag = "choices", security(("bearer" = ["tools:read"]), ("session" = [])),
        params(ForgetChoices),
        responses(
            (status = 200, description = "How many are gone", body = ForgottenChoices),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
            (status = 422, description = "The words are empty or too long, or a parameter is not known", body = Problem, content_type = "application/problem+json"),
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
        ))]
    pub fn forget_choices() {}

    /// Names for what the macro generates, one per operation.
    pub mod operations {
        pub use super::{
            __path_forget_choices as ForgetChoices, __path_list_choices as ListChoices,
        };
    }
}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{__path_forget_choices as ForgetChoices, __path_list_choices as ListChoices};
}
