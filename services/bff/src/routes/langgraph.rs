//! The protocol of the LangGraph server under `/lg`: assistants, threads and runs, as its SDKs ask
//! for them. Errors are problems, whose `detail` those clients show.

mod runs;
mod threads;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Request, State as Shared};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{any, get, post};
use contracts::problem::FieldError;
use contracts::threads::{MessageList, StoredMessage, Thread, ThreadState};
use http::HeaderValue;
use http::header::AUTHORIZATION;
use protocols::langgraph::{self, Refused};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use service_kit::problem::ApiError;
use service_kit::web::Json;

use crate::credential::Caller;
use crate::orchestrator::{OnBehalf, segment};
use crate::proxy::Tier;
use crate::state::State;

/// The routes whose answer takes as long as a run.
pub(crate) const SLOW: [&str; 6] = [
    "/lg/runs/wait",
    "/lg/runs/stream",
    "/lg/threads/{thread_id}/runs/wait",
    "/lg/threads/{thread_id}/runs/stream",
    "/lg/threads/{thread_id}/runs/{run_id}/join",
    "/lg/threads/{thread_id}/runs/{run_id}/cancel",
];

/// Messages of a thread that are read at once, and at most.
const PAGE: usize = 100;
const MOST: usize = 1_000;

/// The routes, as the protocol defines them.
pub(super) fn routes() -> Router<State> {
    let routes = Router::new()
        .route("/ok", get(async || Json(json!({ "ok": true }))))
        .route("/info", get(info))
        .route("/assistants/search", post(search_assistants))
        .route("/assistants/count", post(count_assistants))
        .route("/assistants/{assistant_id}", get(get_assistant))
        .route("/assistants/{assistant_id}/graph", get(get_graph))
        .route("/assistants/{assistant_id}/schemas", get(get_schemas))
        .route("/assistants/{assistant_id}/subgraphs", get(get_subgraphs))
        .route("/threads", post(threads::create))
        .route("/threads/search", post(threads::search))
        .route("/threads/count", post(threads::count))
        .route(
            "/threads/{thread_id}",
            get(threads::get)
                .patch(threads::update)
                .delete(threads::delete),
        )
        .route("/threads/{thread_id}/copy", post(threads::copy))
        .route(
            "/threads/{thread_id}/state",
            get(threads::state)
                .post(threads::update_state)
                .patch(threads::update_state),
        )
        .route(
            "/threads/{thread_id}/state/checkpoint",
            post(threads::state_at_posted),
        )
        .route(
            "/threads/{thread_id}/state/{checkpoint_id}",
            get(threads::state_at),
        )
        .route(
            "/threads/{thread_id}/history",
            get(threads::history).post(threads::history),
        )
        .route(
            "/threads/{thread_id}/runs",
            get(runs::list).post(runs::create),
        )
        .route("/threads/{thread_id}/runs/stream", post(runs::stream))
        .route("/threads/{thread_id}/runs/wait", post(runs::wait))
        .route("/threads/{thread_id}/runs/{run_id}", get(runs::get))
        .route("/threads/{thread_id}/runs/{run_id}/join", get(runs::join))
        .route(
            "/threads/{thread_id}/runs/{run_id}/stream",
            get(runs::join_stream),
        )
        .route(
            "/threads/{thread_id}/runs/{run_id}/cancel",
            post(runs::cancel),
        )
        .route("/runs", post(runs::create_alone))
        .route("/runs/stream", post(runs::stream_alone))
        .route("/runs/wait", post(runs::wait_alone))
        .route("/runs/{run_id}/stream", get(runs::join_stream_alone));
    Router::new()
        .nest("/lg", refusals(routes))
        .layer(from_fn(key_as_bearer))
}

const FIXED: &str = "The assistants are part of the program and cannot be changed.";

/// Operations of the protocol that there are none of, each with the reason.
fn refusals(routes: Router<State>) -> Router<State> {
    let refused = [
        ("/assistants", FIXED),
        ("/assistants/{assistant_id}", FIXED),
        ("/assistants/{assistant_id}/versions", FIXED),
        ("/assistants/{assistant_id}/latest", FIXED),
        (
            "/threads/{thread_id}/runs/{run_id}",
            "A run is part of its thread; delete the thread: DELETE /lg/threads/{thread_id}.",
        ),
        (
            "/threads/prune",
            "Threads are deleted one by one: DELETE /lg/threads/{thread_id}.",
        ),
        (
            "/threads/{thread_id}/stream",
            "Join the run of the thread: /lg/threads/{thread_id}/runs/{run_id}/stream.",
        ),
        (
            "/threads/{thread_id}/runs/crons",
            "There are no scheduled runs.",
        ),
        ("/runs/crons", "There are no scheduled runs."),
        ("/runs/crons/{*rest}", "There are no scheduled runs."),
        ("/runs/batch", "Runs are created one by one: POST /lg/runs."),
        (
            "/runs/cancel",
            "Runs are cancelled one by one: POST /lg/threads/{thread_id}/runs/{run_id}/cancel.",
        ),
        ("/store/{*rest}", "Assistants keep no items for clients."),
    ];
    refused.into_iter().fold(routes, |routes, (path, why)| {
        let refuse = async move |caller: Result<Caller, ApiError>| {
            let refusal = caller.err();
            Err::<(), ApiError>(
                refusal.unwrap_or_else(|| ApiError::invalid_field("", why).with_detail(why)),
            )
        };
        routes.route(path, any(refuse))
    })
}

/// The SDKs send a key in a header of their own.
async fn key_as_bearer(mut request: Request, next: Next) -> Response {
    let headers = request.headers_mut();
    if !headers.contains_key(AUTHORIZATION)
        && let Some(key) = headers.get("x-api-key").and_then(|key| key.to_str().ok())
        && let Ok(bearer) = HeaderValue::from_str(&format!("Bearer {key}"))
    {
        headers.insert(AUTHORIZATION, bearer);
    }
    next.run(request).await
}

/// `GET /lg/info`.
async fn info() -> Json<Value> {
    let version = env!("CARGO_PKG_VERSION");
    let flags = json!({ "assistants": true, "crons": false, "langsmith": false });
    Json(json!({ "version": version, "flags": flags }))
}

/// A page of a list.
#[derive(Debug, Default, Deserialize)]
struct Paged {
    #[serde(default)]
    graph_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    offset: usize,
}

/// `POST /lg/assistants/search`.
async fn search_assistants(
    Shared(state): Shared<State>,
    caller: Caller,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let query: Paged = read(&body)?;
    let found = assistants(&OnBehalf::of(&state, &caller.account), &query).await?;
    let page = found.into_iter().skip(query.offset);
    Ok(Json(page.take(query.limit.unwrap_or(10)).collect()))
}

/// `POST /lg/assistants/count`.
async fn count_assistants(
    Shared(state): Shared<State>,
    caller: Caller,
    body: Bytes,
) -> Result<Json<usize>, ApiError> {
    let found = assistants(&OnBehalf::of(&state, &caller.account), &read(&body)?).await?;
    Ok(Json(found.len()))
}

/// `GET /lg/assistants/{assistant_id}`.
async fn get_assistant(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    known(&OnBehalf::of(&state, &caller.account), &id)
        .await
        .map(Json)
}

/// `GET /lg/assistants/{assistant_id}/graph`.
async fn get_graph(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    known(&OnBehalf::of(&state, &caller.account), &id).await?;
    Ok(Json(langgraph::assistant_graph(&id)))
}

/// `GET /lg/assistants/{assistant_id}/schemas`.
async fn get_schemas(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    known(&OnBehalf::of(&state, &caller.account), &id).await?;
    Ok(Json(langgraph::assistant_schemas(&id)))
}

/// `GET /lg/assistants/{assistant_id}/subgraphs`: an assistant has none.
async fn get_subgraphs(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    known(&OnBehalf::of(&state, &caller.account), &id).await?;
    Ok(Json(json!({})))
}

async fn assistants(on_behalf: &OnBehalf, query: &Paged) -> Result<Vec<Value>, ApiError> {
    let list = on_behalf.assistants().await?;
    let wanted = list.assistants.iter().filter(|one| {
        let graph = query
            .graph_id
            .as_deref()
            .is_none_or(|graph| graph == one.id);
        let name = query
            .name
            .as_deref()
            .is_none_or(|name| one.title.contains(name));
        graph && name
    });
    Ok(wanted.map(langgraph::assistant).collect())
}

async fn known(on_behalf: &OnBehalf, id: &str) -> Result<Value, ApiError> {
    let list = on_behalf.assistants().await?;
    let found = list.assistants.iter().find(|one| one.id == id);
    found.map(langgraph::assistant).ok_or_else(|| {
        let names = list.assistants.iter().map(|one| one.id.clone()).collect();
        ApiError::not_found(format!("There is no assistant `{id}`.")).with_available(names)
    })
}

/// A thread and what was said in it.
struct Opened {
    thread: Thread,
    messages: Vec<StoredMessage>,
}

impl Opened {
    /// The newest messages of a thread of the account.
    async fn open(on_behalf: &OnBehalf, id: &str) -> Result<Self, ApiError> {
        let id = segment(id, "thread")?;
        let thread: Thread = on_behalf
            .get(Tier::Orchestrator, &format!("/v1/threads/{id}"))
            .await?;
        let mut messages: Vec<StoredMessage> = Vec::new();
        let mut before = String::new();
        loop {
            let path = format!("/v1/threads/{id}/messages?limit={PAGE}{before}");
            let page: MessageList = on_behalf.get(Tier::Orchestrator, &path).await?;
            let has_more = page.has_more;
            messages.splice(0..0, page.messages);
            match messages.first() {
                Some(first) if has_more && messages.len() < MOST => {
                    before = format!("&before={}", first.seq);
                }
                _ => break,
            }
        }
        // An answer that is being written is not part of the state yet.
        if let Some(run) = &thread.active_run_id {
            messages.retain(|message| {
                message.role == contracts::threads::MessageRole::User
                    || message.run_id.as_ref() != Some(run)
            });
        }
        Ok(Self { thread, messages })
    }

    /// The state, now or after a message.
    fn state(&self, after: Option<&str>) -> Result<Value, ApiError> {
        langgraph::state(&self.thread, &self.messages, after)
            .ok_or_else(|| ApiError::not_found("There is no such checkpoint in the thread."))
    }

    /// The run that answers now.
    async fn active_run(on_behalf: &OnBehalf, id: &str) -> Result<Option<String>, ApiError> {
        let path = format!("/v1/threads/{}/state", segment(id, "thread")?);
        let state: ThreadState = on_behalf.get(Tier::Orchestrator, &path).await?;
        Ok(state.active_run_id)
    }
}

/// A body that may be absent.
fn read<T: DeserializeOwned + Default>(body: &Bytes) -> Result<T, ApiError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(T::default());
    }
    serde_json::from_slice(body)
        .map_err(|error| ApiError::malformed(format!("The body cannot be read: {error}.")))
}

fn refused(refused: Refused) -> ApiError {
    ApiError::invalid(vec![FieldError {
        pointer: refused.pointer.to_owned(),
        detail: refused.detail,
    }])
}
