//! The stored conversations, at the orchestrator.

use super::common::{BodyRefusals, NotYours, Refusals};
use crate::accounts::QuotaList;
use crate::kept::{
    ChangeRetention, ExportThread, ExportedThread, FoundMessages, Retention, SearchMessages,
};
use crate::person::PersonRecords;
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

/// The time for which conversations of the caller's tenant are kept.
#[utoipa::path(get, path = "/v1/retention", tag = "threads", security(("bearer" = ["chat"])),
    responses(
        (status = 200, description = "As the tenant or the installation has set it", body = Retention),
        Refusals,
    ))]
pub fn get_retention() {}

/// Sets the time for which conversations of the caller's tenant are kept. For the bff, which keeps
/// the part of the audit log.
#[utoipa::path(put, path = "/v1/retention", tag = "threads", security(("bearer" = ["retention:write"])),
    request_body = ChangeRetention,
    responses(
        (status = 200, description = "As it is set now", body = Retention),
        (status = 409, description = "The installation's configuration names the tenant", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
    ))]
pub fn set_retention() {}

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

/// The rows that the service keeps of the caller beside threads and schedules, for the export of
/// the bff.
#[utoipa::path(get, path = "/v1/person", tag = "person", security(("bearer" = ["chat"])),
    responses(
        (status = 200, description = "The rows, by table", body = PersonRecords),
        Refusals,
    ))]
pub fn export_person() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_erase_person as ErasePerson, __path_export_person as ExportPerson,
        __path_export_thread as ExportThread, __path_get_quotas as GetQuotas,
        __path_get_retention as GetRetention, __path_search_messages as SearchMessages,
        __path_set_retention as SetRetention,
    };
}
