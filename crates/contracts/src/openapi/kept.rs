//! The stored conversations, at the orchestrator.

use super::common::{NotYours, Refusals};
use crate::accounts::QuotaList;
use crate::kept::{ExportThread, ExportedThread, FoundMessages, Retention, SearchMessages};
use crate::problem::Problem;

/// The caller's messages that hold some words, the newest first, with the words marked.
#[utoipa::path(get, path = "/v1/messages/search", tag = "threads", security(("bearer" = ["chat"])),
    params(SearchMessages),
    responses(
        (status = 200, description = "A page of them", body = FoundMessages),
        (status = 422, description = "No words, or a bad limit or cursor", body = Problem, content_type = "application/problem+json"),
        Refusals,
    ))]
pub fn search_messages() {}

/// A thread, whole: its messages with their tables, cards and sources.
#[utoipa::path(get, path = "/v1/threads/{thread_id}/export", tag = "threads", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread"), ExportThread),
    responses(
        (status = 200, description = "The thread", headers(("content-disposition" = String, description = "A file name")), content(
            (ExportedThread = "application/json"),
            (String = "text/markdown"),
        )),
        (status = 422, description = "No such format", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
    ))]
pub fn export_thread() {}

/// The retention of conversations.
#[utoipa::path(get, path = "/v1/retention", tag = "threads", security(("bearer" = ["chat"])),
    responses(
        (status = 200, description = "As the service is configured", body = Retention),
        Refusals,
    ))]
pub fn get_retention() {}

/// The limits of answers at the same time, and how much of them is used. For the bff.
#[utoipa::path(get, path = "/v1/quotas", tag = "runs", security(("bearer" = ["chat"])),
    responses(
        (status = 200, description = "The limits", body = QuotaList),
        Refusals,
    ))]
pub fn get_quotas() {}

/// Erases what the service keeps of the caller: threads with their messages, runs and events, and
/// what assistants remember of them. Runs that answer are stopped first. For the bff alone: no
/// account has the scope. Erasing again changes nothing.
#[utoipa::path(delete, path = "/v1/person", tag = "person", security(("bearer" = ["person:erase"])),
    responses(
        (status = 204, description = "Nothing of the caller is kept"),
        (status = 409, description = "A run did not stop in time; ask again", body = Problem, content_type = "application/problem+json"),
        Refusals,
    ))]
pub fn erase_person() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_erase_person as ErasePerson, __path_export_thread as ExportThread,
        __path_get_quotas as GetQuotas, __path_get_retention as GetRetention,
        __path_search_messages as SearchMessages,
    };
}
