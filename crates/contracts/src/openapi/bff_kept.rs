//! Confirmed questions, what is kept of conversations, and the end of an account, at the bff.

use super::common::{BodyRefusals, NotYours, ProxyRefusals, Refusals};
use crate::kept::{
    ChangeRetention, ExportThread, ExportedThread, FoundMessages, Retention, SearchMessages,
};
use crate::person::{EraseAccount, EraseMe, Erasure};
use crate::problem::Problem;
use crate::tools::questions::{
    ApproveQuestion, EditQuestion, KeptQuestion, ListQuestions, QuestionList,
};

/// The caller's confirmed questions and those released for the tenant, the newest first. With the
/// scope `questions:approve` also those of colleagues, so that they can be looked at before they
/// are released.
#[utoipa::path(get, path = "/api/questions", tag = "questions", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(ListQuestions),
    responses(
        (status = 200, description = "A page of them", body = QuestionList),
        (status = 422, description = "A bad limit or cursor", body = Problem, content_type = "application/problem+json"),
        Refusals,
        ProxyRefusals,
    ))]
pub fn list_questions() {}

/// One confirmed question.
#[utoipa::path(get, path = "/api/questions/{question_id}", tag = "questions", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("question_id" = String, Path, description = "The question")),
    responses(
        (status = 200, description = "The question", body = KeptQuestion),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn get_question() {}

/// Changes a question or its query; a stale one is ready again. A caller can change a question of
/// their own until it is released. A released question answers the whole tenant: changing it
/// requires the scope `questions:approve`.
#[utoipa::path(patch, path = "/api/questions/{question_id}", tag = "questions", security(("bearer" = ["tools:read", "questions:write"]), ("session" = [])),
    params(("question_id" = String, Path, description = "The question")),
    request_body = EditQuestion,
    responses(
        (status = 200, description = "The question as it is now", body = KeptQuestion),
        (status = 409, description = "There is another question of these words", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        NotYours,
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn edit_question() {}

/// Withdraws a question: it is no longer used for answers. The caller's own; any user's in the
/// tenant with the scope `questions:approve`.
#[utoipa::path(delete, path = "/api/questions/{question_id}", tag = "questions", security(("bearer" = ["tools:read", "questions:write"]), ("session" = [])),
    params(("question_id" = String, Path, description = "The question")),
    responses(
        (status = 204, description = "It is withdrawn"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn withdraw_question() {}

/// Releases a question for the tenant: asked by any colleague, it gets its query.
#[utoipa::path(post, path = "/api/questions/{question_id}/approve", tag = "questions", security(("bearer" = ["tools:read", "questions:approve"]), ("session" = [])),
    params(("question_id" = String, Path, description = "The question")),
    request_body = Option<ApproveQuestion>,
    responses(
        (status = 200, description = "The question as it is now", body = KeptQuestion),
        (status = 409, description = "It is stale, or another question of these words is released and `replace` is not set", body = Problem, content_type = "application/problem+json"),
        NotYours,
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn approve_question() {}

/// The caller's messages that hold some words, the newest first, with the words marked.
#[utoipa::path(get, path = "/api/messages/search", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(SearchMessages),
    responses(
        (status = 200, description = "A page of them", body = FoundMessages),
        (status = 422, description = "No words, or a bad limit or cursor", body = Problem, content_type = "application/problem+json"),
        Refusals,
        ProxyRefusals,
    ))]
pub fn search_messages() {}

/// A thread, whole: its messages with their tables, cards and sources.
#[utoipa::path(get, path = "/api/threads/{thread_id}/export", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread"), ExportThread),
    responses(
        (status = 200, description = "The thread", headers(("content-disposition" = String, description = "A file name")), content(
            (ExportedThread = "application/json"),
            (String = "text/markdown"),
        )),
        (status = 422, description = "No such format", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn export_thread() {}

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
        __path_approve_question as ApproveQuestion, __path_edit_question as EditQuestion,
        __path_erase_account as EraseAccount, __path_erase_me as EraseMe,
        __path_export_thread as ExportThread, __path_get_question as GetQuestion,
        __path_get_retention as GetRetention, __path_list_questions as ListQuestions,
        __path_search_messages as SearchMessages, __path_set_retention as SetRetention,
        __path_withdraw_question as WithdrawQuestion,
    };
}
