//! Threads and their messages.

use std::sync::Arc;

use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use contracts::threads::{
    CreateThread, Dialect, IfExists, ListMessages, ListThreads, MessageList, Thread, ThreadList,
    ThreadState, UpdateThread,
};
use contracts::tools::upstreams::PutCredential;
use contracts::ui_history::UiMessageList;
use conversations::{IfExists as Existing, MessagePage, NewThread, Owner, ThreadFilter};
use http::header::LOCATION;
use http::{HeaderValue, StatusCode};
use service_kit::identity::{Caller, Identity};
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};

use crate::assistants::Remembered;
use crate::context::of_inventory;
use crate::credentials::{self, owner_of};
use crate::error::refusal;
use crate::requests::{check_attached, check_name, check_user, checked_context, checked_id};
use crate::runs::accept::{hand_over, known_assistant};
use crate::secrets::without_secrets;
use crate::state::State;
use crate::threads::{self, ThreadActivity};
use crate::ui_history;

/// Default number of threads in a page.
const THREADS: u32 = 20;

/// Default number of messages in a page.
const MESSAGES: u32 = 50;

/// Maximum number of either.
const MOST: u32 = 100;

/// `POST /v1/threads`.
pub(super) async fn create_thread(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Json(request): Json<CreateThread>,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    check_user(&identity, request.user_id.as_deref(), None)?;
    let if_exists = request.if_exists;
    let (new, delegated) = new_thread(&state, request)?;
    let id = new.id;
    let existing = match if_exists {
        IfExists::Raise => Existing::Refuse,
        IfExists::DoNothing => Existing::Keep,
    };
    let owner = owner_of(&identity);
    let thread = state.store.create_thread(&owner, &new, existing).await;
    let thread = thread.map_err(|error| refusal(error, "thread"))?;
    keep(&state, &identity, delegated).await;
    if thread.id != id {
        return Ok(Json(tell(&state, &owner, thread).await?).into_response());
    }
    let location = location_of(&thread)?;
    let thread = threads::told(thread, ThreadActivity::Idle);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(thread)).into_response())
}

/// `POST /v1/threads/{thread_id}/copy`.
pub(super) async fn copy_thread(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let copy = threads::copy(&state, &owner, &name).await?;
    let location = location_of(&copy)?;
    let copy = tell(&state, &owner, copy).await?;
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(copy)).into_response())
}

fn location_of(thread: &conversations::Thread) -> Result<HeaderValue, ApiError> {
    let location = HeaderValue::try_from(format!("/v1/threads/{}", thread.name));
    location.map_err(ApiError::internal)
}

/// `GET /v1/threads`.
pub(super) async fn list_threads(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Query(query): Query<ListThreads>,
) -> Result<Json<ThreadList>, ApiError> {
    identity.require_scope("chat")?;
    check_user(&identity, query.user_id.as_deref(), None)?;
    let owner = owner_of(&identity);
    let filter = ThreadFilter {
        assistant: query.assistant,
        archived: None,
        title: query.title,
        context: query.inventory_id.map(of_inventory),
    };
    let limit = checked_limit(query.limit, THREADS)?;
    let page = state
        .store
        .threads(&owner, &filter, query.cursor.as_deref(), limit)
        .await
        .map_err(|error| refusal(error, "thread"))?;
    let standings = threads::standings(&state, &owner, &page.threads).await;
    let standings = standings.map_err(|error| refusal(error, "thread"))?;
    let threads = page.threads.into_iter().zip(standings);
    Ok(Json(ThreadList {
        threads: threads
            .map(|(thread, standing)| threads::told(thread, standing))
            .collect(),
        next_cursor: page.next,
    }))
}

/// `GET /v1/threads/{thread_id}`.
pub(super) async fn get_thread(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
) -> Result<Json<Thread>, ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let thread = find(&state, &owner, &name).await?;
    Ok(Json(tell(&state, &owner, thread).await?))
}

/// `PATCH /v1/threads/{thread_id}`.
pub(super) async fn update_thread(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
    Json(request): Json<UpdateThread>,
) -> Result<Json<Thread>, ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let (patch, delegated) = threads::patch(request)?;
    let thread = state.store.patch_thread(&owner, &name, &patch).await;
    let thread = thread.map_err(|error| refusal(error, "thread"))?;
    keep(&state, &identity, delegated).await;
    Ok(Json(tell(&state, &owner, thread).await?))
}

/// `DELETE /v1/threads/{thread_id}`.
pub(super) async fn delete_thread(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    identity.require_scope("chat")?;
    threads::delete(&state, &owner_of(&identity), &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /v1/threads/{thread_id}/messages`.
pub(super) async fn list_messages(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
    Query(query): Query<ListMessages>,
) -> Result<Json<MessageList>, ApiError> {
    identity.require_scope("chat")?;
    check_user(&identity, query.user_id.as_deref(), None)?;
    let page = asked_page(&query)?;
    let limit = checked_limit(query.limit, MESSAGES)?;
    let owner = owner_of(&identity);
    let thread = find(&state, &owner, &name).await?;
    let messages = threads::messages(&state, &owner, thread.id, page, limit).await;
    let (messages, has_more) = messages.map_err(|error| refusal(error, "thread"))?;
    Ok(Json(MessageList {
        thread_id: thread.name,
        messages,
        has_more,
    }))
}

/// `GET /v1/threads/{thread_id}/ui-messages`.
pub(super) async fn list_ui_messages(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
    Query(query): Query<ListMessages>,
) -> Result<Json<UiMessageList>, ApiError> {
    identity.require_scope("chat")?;
    check_user(&identity, query.user_id.as_deref(), None)?;
    let page = asked_page(&query)?;
    let limit = checked_limit(query.limit, MESSAGES)?;
    let owner = owner_of(&identity);
    let thread = find(&state, &owner, &name).await?;
    let page = ui_history::page(&state, &owner, thread.id, page, limit).await;
    let page = page.map_err(|error| refusal(error, "thread"))?;
    Ok(Json(UiMessageList {
        thread_id: thread.name,
        messages: page.messages,
        has_more: page.has_more,
        first_seq: page.seqs.map(|(first, _)| first),
        last_seq: page.seqs.map(|(_, last)| last),
    }))
}

/// `GET /v1/threads/{thread_id}/state`.
pub(super) async fn get_thread_state(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
) -> Result<Json<ThreadState>, ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let thread = find(&state, &owner, &name).await?;
    let active = state.store.active_run(&owner, thread.id).await;
    let active = active.map_err(|error| refusal(error, "run"))?;
    let remembered = remembered(&state, &owner, &thread).await?;
    let asks = remembered.as_ref().is_some_and(|state| state.asks);
    let standing = ThreadActivity::of(active.as_ref().map(|run| run.id), asks);
    Ok(Json(ThreadState {
        thread_id: thread.name,
        assistant: thread.assistant,
        status: standing.status(),
        active_run_id: standing.active_run(),
        values: remembered.map(|state| state.values),
    }))
}

/// The assistant's memory of the thread.
pub(super) async fn remembered(
    state: &State,
    owner: &Owner,
    thread: &conversations::Thread,
) -> Result<Option<Remembered>, ApiError> {
    let Some(assistant) = state.assistants.get(&thread.assistant) else {
        return Ok(None);
    };
    let remembered = assistant.state(owner, &thread.id.to_string()).await;
    remembered.map_err(|error| {
        ApiError::unavailable("The thread's state cannot be read at the moment.", error)
    })
}

pub(super) async fn find(
    state: &State,
    owner: &Owner,
    name: &str,
) -> Result<conversations::Thread, ApiError> {
    let thread = state.store.thread(owner, name).await;
    thread.map_err(|error| refusal(error, "thread"))
}

pub(super) async fn tell(
    state: &State,
    owner: &Owner,
    thread: conversations::Thread,
) -> Result<Thread, ApiError> {
    let standings = threads::standings(state, owner, std::slice::from_ref(&thread)).await;
    let standing = standings.map_err(|error| refusal(error, "thread"))?.pop();
    Ok(threads::told(
        thread,
        standing.unwrap_or(ThreadActivity::Idle),
    ))
}

/// Hands over the credential that came with a thread. No run begins that could warn of a refusal;
/// the log does.
async fn keep(state: &State, identity: &Identity, delegated: Option<PutCredential>) {
    let identities = Arc::clone(&state.identities);
    let caller = credentials::Caller::present(identity, identities, state.clock.clone());
    hand_over(state, &caller, delegated, None).await;
    for (code, text) in caller.take_warnings() {
        tracing::warn!(code, text, "a thread's credential is not used");
    }
}

fn new_thread(
    state: &State,
    request: CreateThread,
) -> Result<(NewThread, Option<PutCredential>), ApiError> {
    check_name(request.title.as_deref(), "/title")?;
    let metadata = request.metadata.unwrap_or_default();
    check_attached(&metadata, "/metadata")?;
    let defaults = &state.config.runs.default_assistants;
    let assistant = request
        .assistant
        .unwrap_or_else(|| defaults.of(Dialect::NamedEvents).to_owned());
    known_assistant(state, &assistant)?;
    let attached = checked_context(request.context, request.inventory_id)?;
    let new = NewThread {
        id: state.ids.new_id(),
        name: request
            .thread_id
            .map(|id| checked_id(id, "/thread_id"))
            .transpose()?,
        assistant,
        title: request.title,
        context: attached
            .defaults
            .into_iter()
            .chain(attached.context)
            .flatten()
            .collect(),
        metadata: without_secrets(metadata),
    };
    Ok((new, attached.delegated))
}

fn asked_page(query: &ListMessages) -> Result<MessagePage, ApiError> {
    match (query.before, query.after) {
        (Some(_), Some(_)) => {
            let detail = "cannot be given together with `before`";
            Err(ApiError::invalid_field("/after", detail))
        }
        (Some(before), None) => Ok(MessagePage::Before(before)),
        (None, Some(after)) => Ok(MessagePage::After(after)),
        (None, None) => Ok(MessagePage::Newest),
    }
}

pub(super) fn checked_limit(limit: Option<u32>, default: u32) -> Result<u32, ApiError> {
    let limit = limit.unwrap_or(default);
    if (1..=MOST).contains(&limit) {
        Ok(limit)
    } else {
        let detail = format!("must be 1 to {MOST}");
        Err(ApiError::invalid_field("/limit", detail))
    }
}
