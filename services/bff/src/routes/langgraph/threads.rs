//! Threads, their state and history.

use std::cmp::Reverse;

use axum::body::Bytes;
use axum::extract::{Path, State as Shared};
use chrono::DateTime;
use contracts::threads::{CreateThread, IfExists, Thread, ThreadList, UpdateThread};
use futures::{StreamExt, TryStreamExt, stream};
use http::{Method, StatusCode};
use protocols::langgraph;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use service_kit::problem::ApiError;
use service_kit::web::Json;

use super::{Opened, read};
use crate::credential::Caller;
use crate::orchestrator::{OnBehalf, segment};
use crate::proxy::Tier;
use crate::state::State;

/// Threads whose values are read at a time.
const READ_AT_ONCE: usize = 8;

/// Threads that a search looks at.
const LOOKED_AT: usize = 1_000;

/// The body of `POST /lg/threads`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Create {
    #[serde(default)]
    thread_id: Option<String>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    #[serde(default)]
    if_exists: Option<String>,
    #[serde(default)]
    graph_id: Option<String>,
    #[serde(default)]
    supersteps: Option<Vec<Value>>,
}

/// `POST /lg/threads`.
pub(super) async fn create(
    Shared(state): Shared<State>,
    caller: Caller,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let wanted: Create = read(&body)?;
    if wanted.supersteps.is_some_and(|steps| !steps.is_empty()) {
        let detail = "a thread begins empty: an assistant's memory is changed by messages alone";
        return Err(ApiError::invalid_field("/supersteps", detail));
    }
    let mut metadata = wanted.metadata.unwrap_or_default();
    let named = metadata.remove("graph_id");
    let assistant = wanted
        .graph_id
        .or_else(|| named?.as_str().map(str::to_owned));
    let request = CreateThread {
        thread_id: wanted.thread_id,
        if_exists: match wanted.if_exists.as_deref() {
            Some("do_nothing") => IfExists::DoNothing,
            _ => IfExists::Raise,
        },
        assistant,
        metadata: Some(metadata),
        ..CreateThread::default()
    };
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let made: Thread = on_behalf
        .call(
            Tier::Orchestrator,
            Method::POST,
            "/v1/threads",
            Some(&request),
        )
        .await?;
    Ok(Json(langgraph::thread(&made, None)))
}

/// `GET /lg/threads/{thread_id}`.
pub(super) async fn get(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let opened = Opened::open(&OnBehalf::of(&state, &caller.account), &id).await?;
    let now = opened.state(None)?;
    Ok(Json(langgraph::thread(&opened.thread, Some(&now))))
}

/// The body of `PATCH /lg/threads/{thread_id}`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Update {
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

/// `PATCH /lg/threads/{thread_id}`.
pub(super) async fn update(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let wanted: Update = read(&body)?;
    let change = UpdateThread {
        metadata: wanted.metadata,
        ..UpdateThread::default()
    };
    let path = format!("/v1/threads/{}", segment(&id, "thread")?);
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let changed: Thread = on_behalf
        .call(Tier::Orchestrator, Method::PATCH, &path, Some(&change))
        .await?;
    Ok(Json(langgraph::thread(&changed, None)))
}

/// `DELETE /lg/threads/{thread_id}`.
pub(super) async fn delete(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let path = format!("/v1/threads/{}", segment(&id, "thread")?);
    let on_behalf = OnBehalf::of(&state, &caller.account);
    on_behalf.delete(Tier::Orchestrator, &path).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /lg/threads/{thread_id}/copy`.
pub(super) async fn copy(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let path = format!("/v1/threads/{}/copy", segment(&id, "thread")?);
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let copy: Thread = on_behalf
        .call(Tier::Orchestrator, Method::POST, &path, None::<&()>)
        .await?;
    let opened = Opened::open(&on_behalf, &copy.thread_id).await?;
    let now = opened.state(None)?;
    Ok(Json(langgraph::thread(&opened.thread, Some(&now))))
}

/// The body of `POST /lg/threads/search` and `/count`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    #[serde(default)]
    ids: Option<Vec<String>>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    values: Option<Map<String, Value>>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    offset: usize,
    /// The members that are shown; all without it.
    #[serde(default)]
    select: Option<Vec<String>>,
    /// Refused: parts of the state cannot be picked.
    #[serde(default)]
    extract: Option<Map<String, Value>>,
    #[serde(default)]
    sort_by: Option<SortBy>,
    #[serde(default)]
    sort_order: Option<SortOrder>,
}

/// The member by which threads are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SortBy {
    ThreadId,
    Status,
    CreatedAt,
    #[default]
    UpdatedAt,
    StateUpdatedAt,
}

impl SortBy {
    fn member(self) -> &'static str {
        match self {
            Self::ThreadId => "thread_id",
            Self::Status => "status",
            Self::CreatedAt => "created_at",
            Self::UpdatedAt => "updated_at",
            Self::StateUpdatedAt => "state_updated_at",
        }
    }
}

/// The direction in which threads are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SortOrder {
    Asc,
    #[default]
    Desc,
}

impl Search {
    /// Whether the threads are wanted in the order in which they are listed anyway.
    fn is_newest_first(&self) -> bool {
        let by = self.sort_by.unwrap_or_default();
        matches!(by, SortBy::UpdatedAt | SortBy::StateUpdatedAt)
            && self.sort_order.unwrap_or_default() == SortOrder::Desc
    }

    /// Sorts threads that were listed with the most recently used first, which stays the order of
    /// those that are equal.
    fn sort(&self, threads: &mut [Value]) {
        let member = self.sort_by.unwrap_or_default().member();
        // Moments compare as such, whatever their fractions of a second look like.
        let key = |thread: &Value| {
            let text = thread[member].as_str().unwrap_or_default();
            let moment = DateTime::parse_from_rfc3339(text).ok();
            (moment, text.to_owned())
        };
        match self.sort_order.unwrap_or_default() {
            SortOrder::Asc => threads.sort_by_key(key),
            SortOrder::Desc => threads.sort_by_key(|thread| Reverse(key(thread))),
        }
    }
}

/// `POST /lg/threads/search`: the most recently used first unless another order is asked for, with
/// their values.
pub(super) async fn search(
    Shared(state): Shared<State>,
    caller: Caller,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let query: Search = read(&body)?;
    let limit = query.limit.unwrap_or(10).min(LOOKED_AT);
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let found = if query.is_newest_first() {
        found(&on_behalf, &query, query.offset.saturating_add(limit)).await?
    } else {
        let mut all = found(&on_behalf, &query, usize::MAX).await?;
        query.sort(&mut all);
        all
    };
    let page = found.into_iter().skip(query.offset).take(limit);
    let shown = page.map(|thread| with_values(&on_behalf, thread, query.select.as_deref()));
    let shown: Vec<Value> = stream::iter(shown)
        .buffered(READ_AT_ONCE)
        .try_collect()
        .await?;
    Ok(Json(shown.into()))
}

/// A thread of a list, with what was said in it unless only other members are wanted.
async fn with_values(
    on_behalf: &OnBehalf,
    listed: Value,
    select: Option<&[String]>,
) -> Result<Value, ApiError> {
    let is_wanted = |name: &str| select.is_none_or(|names| names.iter().any(|one| one == name));
    let id = listed["thread_id"].as_str().unwrap_or_default();
    let mut thread = if is_wanted("values") || is_wanted("interrupts") {
        match Opened::open(on_behalf, id).await {
            Ok(opened) => langgraph::thread(&opened.thread, Some(&opened.state(None)?)),
            // It was deleted since it was listed.
            Err(error) if error.problem().status == 404 => listed,
            Err(error) => return Err(error),
        }
    } else {
        listed
    };
    if let Some(members) = thread.as_object_mut() {
        members.retain(|name, _| is_wanted(name));
    }
    Ok(thread)
}

/// `POST /lg/threads/count`.
pub(super) async fn count(
    Shared(state): Shared<State>,
    caller: Caller,
    body: Bytes,
) -> Result<Json<usize>, ApiError> {
    let query: Search = read(&body)?;
    let on_behalf = OnBehalf::of(&state, &caller.account);
    Ok(Json(found(&on_behalf, &query, LOOKED_AT).await?.len()))
}

/// Threads that a search asks for, until there are enough.
async fn found(
    on_behalf: &OnBehalf,
    query: &Search,
    enough: usize,
) -> Result<Vec<Value>, ApiError> {
    if query
        .values
        .as_ref()
        .is_some_and(|values| !values.is_empty())
    {
        let detail =
            "threads cannot be searched by their values; GET /api/messages/search finds words";
        return Err(ApiError::invalid_field("/values", detail));
    }
    if query
        .extract
        .as_ref()
        .is_some_and(|paths| !paths.is_empty())
    {
        let detail = "parts of the state cannot be picked; `select` chooses whole members";
        return Err(ApiError::invalid_field("/extract", detail));
    }
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut cursor = String::new();
    while found.len() < enough {
        if looked_at >= LOOKED_AT {
            if query.is_newest_first() {
                break;
            }
            let detail = format!(
                "sorts at most {LOOKED_AT} threads, and there are more; leave it and `sort_order` out for the most recently used first"
            );
            return Err(ApiError::invalid_field("/sort_by", detail));
        }
        let path = format!("/v1/threads?limit=100{cursor}");
        let page: ThreadList = on_behalf.get(Tier::Orchestrator, &path).await?;
        looked_at += page.threads.len();
        let shown = page
            .threads
            .iter()
            .map(|thread| langgraph::thread(thread, None));
        found.extend(shown.filter(|thread| fits(thread, query)));
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    Ok(found)
}

fn fits(thread: &Value, query: &Search) -> bool {
    let mut metadata = query.metadata.iter().flatten();
    let ids = query
        .ids
        .as_ref()
        .is_none_or(|ids| ids.iter().any(|id| thread["thread_id"] == **id));
    let status = query
        .status
        .as_ref()
        .is_none_or(|status| thread["status"] == **status);
    ids && status && metadata.all(|(key, value)| thread["metadata"][key] == *value)
}

/// `GET /lg/threads/{thread_id}/state`.
pub(super) async fn state(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let opened = Opened::open(&OnBehalf::of(&state, &caller.account), &id).await?;
    opened.state(None).map(Json)
}

/// `GET /lg/threads/{thread_id}/state/{checkpoint_id}`.
pub(super) async fn state_at(
    Shared(state): Shared<State>,
    caller: Caller,
    Path((id, checkpoint)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    let opened = Opened::open(&OnBehalf::of(&state, &caller.account), &id).await?;
    opened.state(Some(&checkpoint)).map(Json)
}

/// `POST /lg/threads/{thread_id}/state/checkpoint`.
pub(super) async fn state_at_posted(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let posted: Value = read(&body)?;
    let checkpoint = posted["checkpoint"]["checkpoint_id"].as_str();
    let opened = Opened::open(&OnBehalf::of(&state, &caller.account), &id).await?;
    opened.state(checkpoint).map(Json)
}

/// `POST /lg/threads/{thread_id}/state`: refused.
pub(super) async fn update_state(_: Caller) -> Result<(), ApiError> {
    let detail = "The state of a thread cannot be changed directly: an assistant's memory is changed by messages alone.";
    Err(ApiError::invalid_field("", detail).with_detail(detail))
}

/// The body of `POST /lg/threads/{thread_id}/history`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct History {
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    before: Option<Value>,
}

/// `POST /lg/threads/{thread_id}/history`.
pub(super) async fn history(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let query: History = read(&body)?;
    let before = query.before.unwrap_or_default();
    // A checkpoint, a configuration with one, or its id.
    let id_of = |value: &Value| value["checkpoint_id"].as_str().map(str::to_owned);
    let before = id_of(&before)
        .or_else(|| id_of(&before["configurable"]))
        .or_else(|| before.as_str().map(str::to_owned));
    let opened = Opened::open(&OnBehalf::of(&state, &caller.account), &id).await?;
    let limit = query.limit.unwrap_or(10);
    let states = langgraph::history(&opened.thread, &opened.messages, before.as_deref(), limit);
    Ok(Json(json!(states)))
}
