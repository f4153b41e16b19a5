//! Remembered choices; the bff passes their operations on.

use super::common::ToolsRefusals;
use crate::problem::Problem;
use crate::tools::choices::{ChoiceList, ForgetChoices, ForgottenChoices};

/// The caller's choices for ambiguous words, the newest first. For these words
/// the analyst does not ask again.
#[utoipa::path(get, path = "/api/choices", tag = "choices", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The choices of this caller only", body = ChoiceList),
        ToolsRefusals,
    ))]
pub fn list_choices() {}

/// Forgets what the caller chose for some words, or every choice. 200 also where there was none.
#[utoipa::path(delete, path = "/api/choices", tag = "choices", security(("bearer" = ["tools:read"])),
    params(ForgetChoices),
    responses(
        (status = 200, description = "How many are gone", body = ForgottenChoices),
        (status = 422, description = "The words are empty or too long, or a parameter is not known", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn forget_choices() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{__path_forget_choices as ForgetChoices, __path_list_choices as ListChoices};
}
