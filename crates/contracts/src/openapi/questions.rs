//! Confirmed questions at the tools service.

use super::common::{JsonRefusals, ToolsRefusals};
use crate::person::PersonRecords;
use crate::problem::Problem;
use crate::tools::questions::{
    ApproveQuestion, EditQuestion, KeptQuestion, ListQuestions, QuestionList,
};

/// The caller's confirmed questions and those released for the tenant, the newest first. With the
/// scope `questions:approve` also those of colleagues, so that they can be looked at before they
/// are released.
#[utoipa::path(get, path = "/api/questions", tag = "questions", security(("bearer" = ["tools:read"])),
    params(ListQuestions),
    responses(
        (status = 200, description = "A page of them", body = QuestionList),
        (status = 422, description = "A bad limit or cursor", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn list_questions() {}

/// One confirmed question.
#[utoipa::path(get, path = "/api/questions/{question_id}", tag = "questions", security(("bearer" = ["tools:read"])),
    params(("question_id" = String, Path, description = "The question")),
    responses(
        (status = 200, description = "The question", body = KeptQuestion),
        (status = 404, description = "There is no question of this id that the caller may see", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn get_question() {}

/// Changes a question or its query; a stale one is ready again. A caller can change a question of
/// their own until it is released. A released question answers the whole tenant: changing it
/// requires the scope `questions:approve`.
#[utoipa::path(patch, path = "/api/questions/{question_id}", tag = "questions", security(("bearer" = ["tools:read", "questions:write"])),
    params(("question_id" = String, Path, description = "The question")),
    request_body = EditQuestion,
    responses(
        (status = 200, description = "The question as it is now", body = KeptQuestion),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing, or the question is not the caller's to change", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is no question of this id that the caller may see", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "There is another question of these words", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The query is not one that can be kept; the problem says why", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        JsonRefusals,
    ))]
pub fn edit_question() {}

/// Withdraws a question: it is no longer used for answers. The caller's own; any user's in the
/// tenant with the scope `questions:approve`.
#[utoipa::path(delete, path = "/api/questions/{question_id}", tag = "questions", security(("bearer" = ["tools:read", "questions:write"])),
    params(("question_id" = String, Path, description = "The question")),
    responses(
        (status = 204, description = "It is withdrawn"),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing, or the question is a colleague's", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is no question of this id that the caller may see", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn withdraw_question() {}

/// Releases a question for the tenant: asked by any colleague, it gets its query.
#[utoipa::path(post, path = "/api/questions/{question_id}/approve", tag = "questions", security(("bearer" = ["tools:read", "questions:approve"])),
    params(("question_id" = String, Path, description = "The question")),
    request_body = Option<ApproveQuestion>,
    responses(
        (status = 200, description = "The question as it is now", body = KeptQuestion),
        (status = 400, description = "Not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is no question of this id that the caller may see", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is stale, or another question of these words is released and `replace` is not set", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Not a body of this operation", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn approve_question() {}

/// Erases what the service keeps of the caller: confirmed questions, remembered choices,
/// credentials. For the bff alone: no account has the scope. Erasing again changes nothing.
#[utoipa::path(delete, path = "/api/person", tag = "person", security(("bearer" = ["person:erase"])),
    responses(
        (status = 204, description = "Nothing of the caller is kept"),
        ToolsRefusals,
    ))]
pub fn erase_person() {}

/// The rows that the service keeps of the caller beside questions, choices and credentials, and
/// what connected services answer about the caller, for the export of the bff.
#[utoipa::path(get, path = "/api/person", tag = "person", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The rows, by table or service", body = PersonRecords),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database or a connected service is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn export_person() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_approve_question as ApproveQuestion, __path_edit_question as EditQuestion,
        __path_erase_person as ErasePerson, __path_export_person as ExportPerson,
        __path_get_question as GetQuestion, __path_list_questions as ListQuestions,
        __path_withdraw_question as WithdrawQuestion,
    };
}
