//! The stored conversations of a person: search, export, retention, and erasure.

use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use contracts::accounts::QuotaList;
use contracts::kept::{
    ChangeRetention, ExportFormat, ExportThread, ExportedThread, FoundMessage, FoundMessages,
    Retention, SearchMessages, SnippetPart,
};
use contracts::person::PersonRecords;
use contracts::threads::MessageRole;
use conversations::{Found, Role};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};

use super::threads::{checked_limit, find, remembered, tell};
use crate::credentials::owner_of;
use crate::error::refusal;
use crate::state::State;
use crate::{export, person, retention, run_quotas};

/// Messages of a page when no one says how many.
const FOUND: u32 = 20;

/// The longest search, in characters.
const LONGEST: usize = 200;

/// No account has this scope: the bff gives it to the token of the person whom it erases.
const ERASE: &str = "person:erase";

/// `GET /v1/messages/search`.
pub(super) async fn search_messages(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Query(query): Query<SearchMessages>,
) -> Result<Json<FoundMessages>, ApiError> {
    identity.require_scope("chat")?;
    if query.q.chars().count() > LONGEST || query.q.contains('\0') {
        let detail = format!("must be at most {LONGEST} characters, none of them a zero");
        return Err(ApiError::invalid_field("/q", detail));
    }
    let limit = checked_limit(query.limit, FOUND)?;
    let (thread, cursor) = (query.thread_id.as_deref(), query.cursor.as_deref());
    let page = state
        .store
        .search_messages(&owner_of(&identity), &query.q, thread, cursor, limit)
        .await
        .map_err(|error| refusal(error, "message"))?;
    Ok(Json(FoundMessages {
        messages: page.messages.into_iter().map(told).collect(),
        next_cursor: page.next,
    }))
}

/// `GET /v1/threads/{thread_id}/export`.
pub(super) async fn export_thread(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
    Query(query): Query<ExportThread>,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let thread = find(&state, &owner, &name).await?;
    let messages = export::messages(&state, &owner, thread.id).await;
    let ui_messages = export::ui_messages(&state, &owner, thread.id).await;
    let export = ExportedThread {
        exported_at: state.clock.now(),
        messages: messages.map_err(|error| refusal(error, "thread"))?,
        ui_messages: ui_messages.map_err(|error| refusal(error, "thread"))?,
        state: remembered(&state, &owner, &thread)
            .await?
            .map(|state| state.values),
        thread: tell(&state, &owner, thread).await?,
    };
    let (ending, kind, body) = match query.format.unwrap_or_default() {
        ExportFormat::Json => {
            let body = serde_json::to_vec_pretty(&export).map_err(ApiError::internal)?;
            ("json", "application/json", body)
        }
        ExportFormat::Markdown => {
            let body = export::markdown(&export).into_bytes();
            ("md", "text/markdown; charset=utf-8", body)
        }
    };
    let disposition = format!(
        "attachment; filename=\"{}\"",
        export::file_name(&export, ending)
    );
    let disposition = HeaderValue::try_from(disposition).map_err(ApiError::internal)?;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(kind)),
        (CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, body).into_response())
}

/// `GET /v1/retention`.
pub(super) async fn get_retention(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
) -> Result<Json<Retention>, ApiError> {
    identity.require_scope("chat")?;
    let own = state.store.own_retention(&identity.tenant).await;
    let own = own.map_err(|error| refusal(error, "retention"))?;
    Ok(Json(retention::of(&state.config, &identity.tenant, own)))
}

/// `PUT /v1/retention`.
pub(super) async fn set_retention(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Json(change): Json<ChangeRetention>,
) -> Result<Json<Retention>, ApiError> {
    identity.require_scope("retention:write")?;
    let own = retention::checked(&state.config, &identity.tenant, change)?;
    let set = state.store.set_retention(&identity.tenant, own).await;
    set.map_err(|error| refusal(error, "retention"))?;
    tracing::info!(
        tenant = identity.tenant,
        threads_days = own.threads_days,
        runs_days = own.runs_days,
        "the retention of a tenant was set"
    );
    Ok(Json(retention::of(&state.config, &identity.tenant, own)))
}

/// `DELETE /v1/person`.
pub(super) async fn erase_person(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
) -> Result<StatusCode, ApiError> {
    identity.require_scope(ERASE)?;
    person::erase(&state, &owner_of(&identity)).await?;
    tracing::info!(subject = identity.subject, "a person was erased");
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /v1/person`.
pub(super) async fn export_person(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
) -> Result<Json<PersonRecords>, ApiError> {
    identity.require_scope("chat")?;
    let records = state.store.records_of(&owner_of(&identity)).await;
    records.map(Json).map_err(|error| refusal(error, "person"))
}

fn told(found: Found) -> FoundMessage {
    FoundMessage {
        thread_id: found.thread_name,
        thread_title: found.title,
        message_id: found.id,
        seq: found.seq,
        role: match found.role {
            Role::User => MessageRole::User,
            Role::Assistant => MessageRole::Assistant,
            Role::System => MessageRole::System,
        },
        created_at: found.created_at,
        snippet: found
            .snippet
            .into_iter()
            .map(|(text, hit)| SnippetPart { text, hit })
            .collect(),
    }
}

/// `GET /v1/quotas`.
pub(super) async fn get_quotas(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
) -> Result<Json<QuotaList>, ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let runs = run_quotas::uses(&state.store, &state.config.runs, &owner).await;
    let mut uses = runs.map_err(|error| refusal(error, "run"))?;
    if let Some(ledger) = &state.ledger {
        let tokens = ledger.uses(&owner).await;
        let tokens = tokens.map_err(|error| refusal(error, "run"))?;
        uses.quotas.extend(tokens);
    }
    Ok(Json(uses))
}
