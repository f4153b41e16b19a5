//! Messages in the three dialects, and joining and stopping what answers them.

use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use contracts::agent_events::AgentChatRequest;
use contracts::chat::ChatRequest;
use contracts::named_events::PostMessage;
use contracts::threads::{Dialect, PostedIn};
use conversations::{Error, MessagePage, Owner, Role};
use http::{HeaderMap, StatusCode};
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};

use crate::credentials::owner_of;
use crate::error::refusal;
use crate::requests::ui_messages::IncomingMessage;
use crate::requests::{Key, agent_events, check_user, named_events, ui_messages};
use crate::runs::accept::start;
use crate::runs::control;
use crate::runs::follow::Follow;
use crate::runs::stream::{After, has_seen_all, response};
use crate::state::State;

/// `POST /ai/chat`.
pub(super) async fn create_chat(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    headers: HeaderMap,
    Json(request): Json<ChatRequest>,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    let key = Key::of(&headers, "create_chat", &request)?;
    let mut posted = ui_messages::read(request)?;
    if posted.again && is_newest_question(&state, &owner_of(&identity), &posted).await? {
        // It is in the thread already; only its answer is written again.
        posted.wanted.question = None;
    }
    start(&state, &identity, posted.wanted, key).await
}

/// `POST /internal/chat/stream`.
pub(super) async fn create_agent_chat(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    headers: HeaderMap,
    Json(request): Json<AgentChatRequest>,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    let conversation = &request.conversation;
    check_user(
        &identity,
        conversation.user_id.as_deref(),
        conversation.company_id.as_deref(),
    )?;
    let key = Key::of(&headers, "create_agent_chat", &request)?;
    start(&state, &identity, agent_events::read(request)?, key).await
}

/// `POST /v1/messages`.
pub(super) async fn post_message(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Query(query): Query<PostedIn>,
    headers: HeaderMap,
    Json(request): Json<PostMessage>,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    check_user(&identity, request.user_id.as_deref(), None)?;
    let key = Key::of(&headers, "post_message", &request)?;
    let mut wanted = named_events::read(request)?;
    wanted.dialect = query.dialect.unwrap_or(wanted.dialect);
    start(&state, &identity, wanted, key).await
}

/// `GET /ai/chat/{thread_id}/stream`. AI SDK clients ask this of chats that were never used, and
/// take any refusal for a broken chat.
pub(super) async fn resume_chat(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let after = After::of(&headers);
    let nothing = || Ok(StatusCode::NO_CONTENT.into_response());
    let thread = match state.store.thread(&owner, &name).await {
        Ok(thread) => thread,
        Err(Error::NotFound) => return nothing(),
        Err(error) => return Err(refusal(error, "thread")),
    };
    let run = state.store.active_run(&owner, thread.id).await;
    let mut run = run.map_err(|error| refusal(error, "run"))?;
    if run.is_none() && after.is_some() {
        // It ended while its reader was away: what is missing is still there.
        let latest = state.store.latest_run(&owner, thread.id).await;
        run = latest.map_err(|error| refusal(error, "run"))?;
    }
    let Some(run) = run else { return nothing() };
    if crate::runs::follow::check_kept(&state, &run).await.is_err() {
        return nothing();
    }
    let after = after.unwrap_or_default();
    if has_seen_all(&state, &run, Dialect::UiMessages, after).await {
        return nothing();
    }
    let follow = Follow::new(&state, run);
    let quiet = state.config.runs.keep_alive();
    Ok(response(follow, Dialect::UiMessages, after, quiet))
}

/// `POST /ai/chat/{thread_id}/stop`.
pub(super) async fn stop_chat(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let thread = state.store.thread(&owner, &name).await;
    let thread = thread.map_err(|error| refusal(error, "thread"))?;
    let run = state.store.active_run(&owner, thread.id).await;
    if let Some(run) = run.map_err(|error| refusal(error, "run"))? {
        let stopped = control::cancel(&state, &owner, run.id).await;
        stopped.map_err(|error| refusal(error, "run"))?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Whether what is asked again is the newest question of the thread.
async fn is_newest_question(
    state: &State,
    owner: &Owner,
    posted: &IncomingMessage,
) -> Result<bool, ApiError> {
    let (Some(name), Some(asked)) = (&posted.wanted.thread, &posted.wanted.question) else {
        return Ok(false);
    };
    let thread = match state.store.thread(owner, name).await {
        Ok(thread) => thread,
        Err(Error::NotFound) => return Ok(false),
        Err(error) => return Err(refusal(error, "thread")),
    };
    let newest = state
        .store
        .messages(owner, thread.id, MessagePage::Newest, 10)
        .await
        .map_err(|error| refusal(error, "thread"))?;
    let question = newest
        .iter()
        .rev()
        .find(|message| message.role == Role::User);
    Ok(question.is_some_and(|question| question.text == asked.text))
}
