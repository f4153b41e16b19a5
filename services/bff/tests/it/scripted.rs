//! An orchestrator that answers by a script, over real HTTP: what the routes of other systems'
//! protocols read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use contracts::run::RunEvent;
use futures::StreamExt;
use http::StatusCode;
use serde_json::{Value, json};

/// The answer to each message.
#[derive(Debug, Clone)]
pub(crate) enum Script {
    /// These events, and the end of the stream.
    Says(Vec<RunEvent>),
    /// These events, and then nothing until the reader goes away.
    Hangs(Vec<RunEvent>),
    /// This status and problem.
    Refuses(StatusCode, Value),
}

/// The orchestrator and the requests that it got.
#[derive(Debug, Clone)]
pub(crate) struct Scripted {
    script: Arc<Mutex<Script>>,
    asked: Arc<Mutex<Vec<Value>>>,
    pub(crate) url: String,
}

impl Scripted {
    pub(crate) async fn start(script: Script) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let scripted = Self {
            script: Arc::new(Mutex::new(script)),
            asked: Arc::default(),
            url: format!("http://{}", listener.local_addr().unwrap()),
        };
        let routes = Router::new()
            .route("/v1/assistants", get(assistants))
            .route("/v1/messages", post(message))
            .route("/v1/runs/{id}/cancel", post(cancel))
            .route("/v1/threads", get(threads))
            .with_state(scripted.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        scripted
    }

    pub(crate) fn now(&self, script: Script) {
        *self.script.lock().unwrap() = script;
    }

    /// The messages and cancelled runs so far.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

/// Events with this text.
pub(crate) fn says(text: &str) -> Vec<RunEvent> {
    let events = json!([
        { "event": "started", "thread_id": "t1", "run_id": "0a", "message_id": "msg_0a" },
        { "event": "text_started", "id": "x", "channel": "final" },
        { "event": "text_delta", "id": "x", "delta": text },
        { "event": "text_finished", "id": "x" },
        { "event": "finished", "reason": "stop", "source": "model", "usage": { "input_tokens": 3, "output_tokens": 2 } },
    ]);
    serde_json::from_value(events).unwrap()
}

async fn assistants() -> Response {
    let list = ["site", "data"].map(|id| json!({ "id": id, "title": id, "description": "d", "available": true, "starters": [] }));
    axum::Json(json!({ "assistants": list })).into_response()
}

async fn message(State(scripted): State<Scripted>, body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let thread = {
        let mut all = scripted.asked.lock().unwrap();
        let begun = |one: &&Value| one["content"].is_string() && one["thread_id"].is_null();
        let number = all.iter().filter(begun).count() + 1;
        let thread = asked["thread_id"].as_str().map(str::to_owned);
        all.push(asked);
        thread.unwrap_or_else(|| format!("t{number}"))
    };
    let script = scripted.script.lock().unwrap().clone();
    let (events, hangs) = match script {
        Script::Says(events) => (events, false),
        Script::Hangs(events) => (events, true),
        Script::Refuses(status, problem) => {
            let body = Body::from(problem.to_string());
            return (status, [("content-type", "application/problem+json")], body).into_response();
        }
    };
    let frames = (1..).zip(events).map(|(id, event)| {
        let data = serde_json::to_string(&event).unwrap();
        Ok::<_, std::convert::Infallible>(format!("id: {id}\ndata: {data}\n\n"))
    });
    let frames: Vec<_> = frames.collect();
    let said = futures::stream::iter(frames);
    let body = if hangs {
        Body::from_stream(said.chain(futures::stream::pending()))
    } else {
        Body::from_stream(said)
    };
    let headers = [
        ("content-type", "text/event-stream"),
        ("x-run-id", "0a"),
        ("x-thread-id", thread.as_str()),
    ];
    (headers, body).into_response()
}

async fn cancel(State(scripted): State<Scripted>, Path(id): Path<String>) -> Response {
    scripted
        .asked
        .lock()
        .unwrap()
        .push(json!({ "cancelled": id }));
    let at = "2026-11-22T08:30:00Z";
    let run = json!({
        "run_id": id, "thread_id": "t1", "message_id": "m", "assistant": "site", "status": "cancelled", "attempt": 1,
        "error": null, "usage": null, "created_at": at, "started_at": at, "ended_at": at,
    });
    (StatusCode::ACCEPTED, axum::Json(run)).into_response()
}

/// Three threads, the most recently used first, in pages of two.
async fn threads(Query(query): Query<HashMap<String, String>>) -> Response {
    let thread = |id: &str, created: &str, used: &str, status: &str| {
        json!({
            "thread_id": id, "assistant": "site", "title": id, "inventory_id": null, "context": {}, "metadata": {},
            "status": status, "active_run_id": null, "created_at": created, "last_updated": used,
        })
    };
    let newest = thread(
        "b",
        "2026-11-20T08:00:00Z",
        "2026-11-22T09:00:00.5Z",
        "idle",
    );
    let middle = thread(
        "c",
        "2026-11-22T07:00:00Z",
        "2026-11-22T09:00:00Z",
        "interrupted",
    );
    let oldest = thread("a", "2026-11-21T07:00:00Z", "2026-11-21T08:00:00Z", "idle");
    let (page, next) = match query.get("cursor") {
        None => (vec![newest, middle], Some("2")),
        Some(_) => (vec![oldest], None),
    };
    axum::Json(json!({ "threads": page, "next_cursor": next })).into_response()
}
