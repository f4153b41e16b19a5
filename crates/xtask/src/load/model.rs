//! A model for load tests: sends a sentence, waits until it is released, sends another one.

use std::net::Ipv4Addr;

use anyhow::Context;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The text before it waits. A sentence is forwarded when the next one starts.
const BEFORE: &str = "Let me see. That";

/// The text at the end.
const AFTER: &str = " is how things stand.";

/// The model, which listens until this is dropped. It implements `OpenAI`'s chat completions.
pub(crate) struct HeldModel {
    url: String,
    may_go_on: watch::Sender<bool>,
    /// Aborted when this is dropped.
    _task: JoinSet<()>,
}

impl HeldModel {
    /// Starts a model that waits, or one that does not.
    pub(crate) async fn start(may_go_on: bool) -> anyhow::Result<Self> {
        let may_go_on = watch::Sender::new(may_go_on);
        let routes = Router::new()
            .route("/v1/chat/completions", post(answer))
            .with_state(may_go_on.clone());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.context("no free port")?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let mut task = JoinSet::new();
        task.spawn(async move {
            if let Err(error) = axum::serve(listener, routes).await {
                tracing::error!(%error, "the model of the load has ended");
            }
        });
        Ok(Self {
            url,
            may_go_on,
            _task: task,
        })
    }

    /// The variables for an orchestrator to use this model, without limits on concurrency and
    /// waiting time.
    pub(crate) fn environment(&self) -> [(&str, &str); 9] {
        [
            ("AI_PROVIDER", "openai"),
            ("OPENAI_BASE_URL", &self.url),
            ("OPENAI_API_KEY", "none"),
            (
                "HELIOGRAPH_ORCHESTRATOR__LLM__LIMITS__MAX_IN_FLIGHT",
                "100000",
            ),
            (
                "HELIOGRAPH_ORCHESTRATOR__LLM__TIMEOUTS__FIRST_WORD_MS",
                "600000",
            ),
            (
                "HELIOGRAPH_ORCHESTRATOR__LLM__TIMEOUTS__FIRST_TOKEN_MS",
                "600000",
            ),
            ("HELIOGRAPH_ORCHESTRATOR__LLM__TIMEOUTS__IDLE_MS", "600000"),
            (
                "HELIOGRAPH_ORCHESTRATOR__LLM__TIMEOUTS__ANSWER_MS",
                "600000",
            ),
            ("HELIOGRAPH_ORCHESTRATOR__RUNS__TIMEOUT_MS", "600000"),
        ]
    }

    /// Releases all waiting answers.
    pub(crate) fn go_on(&self) {
        self.may_go_on.send_replace(true);
    }
}

async fn answer(State(may_go_on): State<watch::Sender<bool>>, request: Bytes) -> Response {
    let request: Value = serde_json::from_slice(&request).unwrap_or_default();
    let (before, after) = if request["response_format"].is_null() {
        (BEFORE, AFTER)
    } else {
        (
            r#"{"flow":"free_chat","confidence":0.95,"logger_ids":[],"start_date":null,"end_date":null}"#,
            "",
        )
    };
    let before = [chunk(before, None)];
    let after = [
        chunk(after, None),
        chunk("", Some("stop")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let wait = async move {
        // The sender exists as long as the server.
        let _ = may_go_on.subscribe().wait_for(|may| *may).await;
        stream::iter(after)
    };
    let frames = stream::iter(before).chain(stream::once(wait).flatten());
    let body = Body::from_stream(frames.map(Ok::<_, std::convert::Infallible>));
    ([("content-type", "text/event-stream")], body).into_response()
}

fn chunk(text: &str, end: Option<&str>) -> String {
    let delta = json!({ "role": "assistant", "content": text });
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": end });
    let chunk = json!({
        "id": "chatcmpl-load", "object": "chat.completion.chunk", "created": 0, "model": "load", "choices": [choice],
    });
    format!("data: {chunk}\n\n")
}
