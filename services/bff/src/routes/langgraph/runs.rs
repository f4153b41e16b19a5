//! Runs: created, streamed, waited for, joined, cancelled.

use std::collections::HashSet;
use std::fmt::Write;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State as Shared};
use axum::response::{IntoResponse, Response};
use contracts::named_events::PostMessage;
use contracts::threads::{IfNotExists, Run};
use futures::{StreamExt, stream};
use http::header::{CACHE_CONTROL, CONTENT_LOCATION, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use protocols::langgraph::{self, Mode, RunRequest, RunStream, Wanted};
use serde_json::{Value, json};
use service_kit::problem::ApiError;
use service_kit::web::Json;

use super::{Opened, read, refused};
use crate::credential::Caller;
use crate::orchestrator::{Heard, OnBehalf, RunReply, segment};
use crate::proxy::Tier;
use crate::state::State;

/// `POST /lg/threads/{thread_id}/runs`.
pub(super) async fn create(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    begun(&on_behalf, Some(id), &headers, &body).await
}

/// `POST /lg/runs`.
pub(super) async fn create_alone(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    begun(
        &OnBehalf::of(&state, &caller.account),
        None,
        &headers,
        &body,
    )
    .await
}

/// `POST /lg/threads/{thread_id}/runs/stream`.
pub(super) async fn stream(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let asked = Asked::ask(on_behalf, Some(id), &headers, &body).await?;
    Ok(asked.streamed(0))
}

/// `POST /lg/runs/stream`.
pub(super) async fn stream_alone(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let asked = Asked::ask(on_behalf, None, &headers, &body).await?;
    Ok(asked.streamed(0))
}

/// `POST /lg/threads/{thread_id}/runs/wait`.
pub(super) async fn wait(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    Asked::ask(on_behalf, Some(id), &headers, &body)
        .await?
        .whole()
        .await
}

/// `POST /lg/runs/wait`.
pub(super) async fn wait_alone(
    Shared(state): Shared<State>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    Asked::ask(on_behalf, None, &headers, &body)
        .await?
        .whole()
        .await
}

/// `GET /lg/threads/{thread_id}/runs`: the newest first.
pub(super) async fn list(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let opened = Opened::open(&on_behalf, &id).await?;
    let number = |name: &str| {
        parameter(query.as_deref(), name)
            .next()?
            .parse::<usize>()
            .ok()
    };
    let (limit, offset) = (number("limit").unwrap_or(10), number("offset").unwrap_or(0));
    let status = parameter(query.as_deref(), "status").next();
    let stored = opened
        .messages
        .iter()
        .rev()
        .filter_map(|message| message.run_id.clone());
    let mut seen = HashSet::new();
    let ids = opened
        .thread
        .active_run_id
        .clone()
        .into_iter()
        .chain(stored);
    let mut found = Vec::new();
    for run_id in ids.filter(|id| seen.insert(id.clone())).skip(offset) {
        if found.len() >= limit.min(100) {
            break;
        }
        let run = langgraph::run(&on_behalf.run(&run_id).await?);
        if status
            .as_ref()
            .is_none_or(|status| run["status"] == **status)
        {
            found.push(run);
        }
    }
    Ok(Json(found.into()))
}

/// `GET /lg/threads/{thread_id}/runs/{run_id}`.
pub(super) async fn get(
    Shared(state): Shared<State>,
    caller: Caller,
    Path((thread, run)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    let run = run_of(&OnBehalf::of(&state, &caller.account), Some(&thread), &run).await?;
    Ok(Json(langgraph::run(&run)))
}

/// `GET /lg/threads/{thread_id}/runs/{run_id}/join`.
pub(super) async fn join(
    Shared(state): Shared<State>,
    caller: Caller,
    Path((thread, run)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    Asked::join(on_behalf, Some(&thread), &run, None)
        .await?
        .whole()
        .await
}

/// `GET /lg/threads/{thread_id}/runs/{run_id}/stream`.
pub(super) async fn join_stream(
    Shared(state): Shared<State>,
    caller: Caller,
    Path((thread, run)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let asked = Asked::join(on_behalf, Some(&thread), &run, query.as_deref()).await?;
    Ok(asked.streamed(last_seen(&headers)))
}

/// `GET /lg/runs/{run_id}/stream`.
pub(super) async fn join_stream_alone(
    Shared(state): Shared<State>,
    caller: Caller,
    Path(run): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let asked = Asked::join(on_behalf, None, &run, query.as_deref()).await?;
    Ok(asked.streamed(last_seen(&headers)))
}

/// `POST /lg/threads/{thread_id}/runs/{run_id}/cancel`.
pub(super) async fn cancel(
    Shared(state): Shared<State>,
    caller: Caller,
    Path((thread, run)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, ApiError> {
    let on_behalf = OnBehalf::of(&state, &caller.account);
    let is = |name, values: &[&str]| {
        parameter(query.as_deref(), name).any(|value| values.contains(&&*value))
    };
    if is("action", &["rollback"]) {
        let detail = "a run cannot be rolled back: it must be `interrupt`, which keeps what there is of the answer";
        return Err(ApiError::invalid_field("/action", detail));
    }
    let run = run_of(&on_behalf, Some(&thread), &run).await?;
    on_behalf.cancel(&run.run_id).await?;
    if is("wait", &["1", "true"]) {
        let mut answer = on_behalf.follow(&run.run_id).await?;
        while answer.next().await?.is_some() {}
    }
    Ok(StatusCode::ACCEPTED)
}

/// A run that is being read.
struct Asked {
    on_behalf: OnBehalf,
    answer: RunReply,
    encoder: RunStream,
    /// The query that follows the run in the same modes.
    modes: String,
    /// The thread was made for the run and goes with it.
    alone: bool,
    whole_thread: bool,
}

impl Asked {
    /// Posts the message of a request.
    async fn ask(
        on_behalf: OnBehalf,
        thread: Option<String>,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Self, ApiError> {
        let wanted = read::<RunRequest>(body)?.wanted().map_err(refused)?;
        let alone = thread.is_none() && !wanted.keeps_thread;
        let whole_thread = thread.is_some();
        let answer = posted(&on_behalf, thread, &wanted, headers).await?;
        let answer = if wanted.stops_on_disconnect {
            answer.stop_when_dropped(&on_behalf)
        } else {
            answer
        };
        let mut asked = Self::read(on_behalf, answer, &wanted.assistant, wanted.modes).await?;
        asked.modes = query_of(&wanted.mode_names);
        asked.alone = alone;
        asked.whole_thread = whole_thread;
        Ok(asked)
    }

    /// Follows a run from its first event.
    async fn join(
        on_behalf: OnBehalf,
        thread: Option<&str>,
        run: &str,
        query: Option<&str>,
    ) -> Result<Self, ApiError> {
        let run = run_of(&on_behalf, thread, run).await?;
        let names: Vec<String> = parameter(query, "stream_mode")
            .flat_map(|modes| {
                let modes = modes.trim_matches(['[', ']']).replace('"', "");
                modes
                    .split(',')
                    .map(|mode| mode.trim().to_owned())
                    .collect::<Vec<_>>()
            })
            .filter(|mode| !mode.is_empty())
            .collect();
        let known = names.iter().map(|name| {
            Mode::named(name).ok_or_else(|| {
                ApiError::invalid_field("/stream_mode", format!("there is no mode `{name}`"))
            })
        });
        let mut modes = known.collect::<Result<Vec<Mode>, ApiError>>()?;
        if modes.is_empty() {
            modes = vec![Mode::Values];
        }
        let answer = on_behalf.follow(&run.run_id).await?;
        let stops =
            parameter(query, "cancel_on_disconnect").any(|value| matches!(&*value, "1" | "true"));
        let answer = if stops {
            answer.stop_when_dropped(&on_behalf)
        } else {
            answer
        };
        let mut asked = Self::read(on_behalf, answer, &run.assistant, modes).await?;
        asked.modes = query_of(&names);
        Ok(asked)
    }

    async fn read(
        on_behalf: OnBehalf,
        answer: RunReply,
        assistant: &str,
        modes: Vec<Mode>,
    ) -> Result<Self, ApiError> {
        let opened = Opened::open(&on_behalf, &answer.thread_id).await?;
        // The state before the run: without its own answer, and what came after it.
        let own = opened.messages.iter().position(|message| {
            message.run_id.as_deref() == Some(&answer.run_id)
                && message.role == contracts::threads::MessageRole::Assistant
        });
        let before = &opened.messages[..own.unwrap_or(opened.messages.len())];
        let before = before.iter().flat_map(langgraph::of_stored).collect();
        let encoder = RunStream::new(modes, assistant, &answer.thread_id, &answer.run_id, before);
        Ok(Self {
            on_behalf,
            answer,
            encoder,
            modes: String::new(),
            alone: false,
            whole_thread: true,
        })
    }

    /// The state when the run has ended.
    async fn whole(mut self) -> Result<Response, ApiError> {
        while let Some(event) = self.answer.next_event().await? {
            self.encoder.encode(&event);
        }
        self.forget().await;
        let mut response = Json(self.encoder.state()).into_response();
        response.headers_mut().extend(self.headers());
        Ok(response)
    }

    /// The run as it goes, after the frame that the client saw last.
    fn streamed(self, seen: u64) -> Response {
        let headers = self.headers();
        let reply = stream::unfold(Some(self), move |asked| async move {
            let mut asked = asked?;
            match asked.answer.next().await {
                Ok(Some(Heard::Alive)) => Some((": heartbeat\n\n".to_owned(), Some(asked))),
                Ok(Some(Heard::Event(event))) => {
                    let mut text = String::new();
                    for frame in asked.encoder.encode(&event) {
                        if frame.id > seen {
                            // Writing to a string cannot fail.
                            let _ = write!(
                                text,
                                "id: {}\nevent: {}\ndata: {}\n\n",
                                frame.id, frame.name, frame.data
                            );
                        }
                    }
                    if event.is_terminal() {
                        asked.forget().await;
                    }
                    Some((text, Some(asked)))
                }
                Ok(None) => None,
                Err(error) => {
                    let problem = error.problem();
                    let data = json!({ "error": problem.code, "message": problem.detail });
                    Some((format!("event: error\ndata: {data}\n\n"), None))
                }
            }
        });
        let frames = reply.filter(|text| std::future::ready(!text.is_empty()));
        let frames = frames.map(Ok::<_, std::convert::Infallible>);
        let mut response = Response::new(Body::from_stream(frames));
        *response.headers_mut() = headers;
        let fixed = [
            (CONTENT_TYPE, "text/event-stream"),
            (CACHE_CONTROL, "no-cache"),
            (HeaderName::from_static("x-accel-buffering"), "no"),
        ];
        for (name, value) in fixed {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        }
        response
    }

    /// The path of the run, and the path at which a lost stream continues.
    fn headers(&self) -> HeaderMap {
        let (thread, run) = (&self.answer.thread_id, &self.answer.run_id);
        let place = if self.whole_thread {
            format!("/threads/{thread}/runs/{run}")
        } else {
            format!("/runs/{run}")
        };
        let mut headers = HeaderMap::new();
        let stream = format!("{place}/stream{}", self.modes);
        for (name, value) in [(CONTENT_LOCATION, place), (LOCATION, stream)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        headers
    }

    /// Deletes a thread that was made for the run alone.
    fn forget(&self) -> impl Future<Output = ()> + Send + use<> {
        let path = format!("/v1/threads/{}", self.answer.thread_id);
        let (on_behalf, alone) = (self.on_behalf.clone(), self.alone);
        async move {
            if alone && let Err(error) = on_behalf.delete(Tier::Orchestrator, &path).await {
                let code = &error.problem().code;
                tracing::warn!(code, "a thread that was made for one run cannot be deleted");
            }
        }
    }
}

/// Begins a run that nothing waits for.
async fn begun(
    on_behalf: &OnBehalf,
    thread: Option<String>,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Response, ApiError> {
    let wanted = read::<RunRequest>(body)?.wanted().map_err(refused)?;
    let answer = posted(on_behalf, thread, &wanted, headers).await?;
    let run = on_behalf.run(&answer.run_id).await?;
    let place = format!("/threads/{}/runs/{}", run.thread_id, run.run_id);
    let mut response = Json(langgraph::run(&run)).into_response();
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(CONTENT_LOCATION, place);
    }
    Ok(response)
}

async fn posted(
    on_behalf: &OnBehalf,
    thread: Option<String>,
    wanted: &Wanted,
    headers: &HeaderMap,
) -> Result<RunReply, ApiError> {
    if let Some(id) = &thread {
        segment(id, "thread")?;
        if let Some(checkpoint) = &wanted.checkpoint {
            let opened = Opened::open(on_behalf, id).await?;
            let newest = opened.messages.last();
            if newest.is_some_and(|newest| newest.message_id != *checkpoint) {
                let detail = "is not the newest checkpoint of the thread: a run cannot begin at an older one";
                return Err(ApiError::invalid_field("/checkpoint_id", detail));
            }
        }
        if wanted.interrupts
            && let Ok(Some(run)) = Opened::active_run(on_behalf, id).await
        {
            on_behalf.cancel(&run).await?;
        }
    }
    let message = PostMessage {
        content: wanted.text.clone(),
        if_not_exists: if wanted.creates_thread && thread.is_some() {
            IfNotExists::Create
        } else {
            IfNotExists::Reject
        },
        thread_id: thread,
        context: wanted.context.clone(),
        options: wanted.options.clone(),
        assistant: Some(wanted.assistant.clone()),
        multitask_strategy: wanted.multitask,
        ..PostMessage::default()
    };
    on_behalf.ask(&message, headers).await
}

/// A run of the account, in this thread if one is named.
async fn run_of(on_behalf: &OnBehalf, thread: Option<&str>, run: &str) -> Result<Run, ApiError> {
    let run = on_behalf.run(run).await?;
    if thread.is_none_or(|thread| thread == run.thread_id) {
        Ok(run)
    } else {
        Err(ApiError::not_found("There is no such run in the thread."))
    }
}

fn query_of(modes: &[String]) -> String {
    let mut query = String::new();
    for (first, mode) in (0..).zip(modes) {
        let separator = if first == 0 { '?' } else { '&' };
        let _ = write!(query, "{separator}stream_mode={mode}");
    }
    query
}

/// The values of a parameter of a query.
fn parameter<'a>(query: Option<&'a str>, name: &'a str) -> impl Iterator<Item = String> + 'a {
    let pairs = query.unwrap_or_default().split('&');
    pairs.filter_map(move |pair| {
        let (key, value) = pair.split_once('=')?;
        let value = value
            .replace("%2C", ",")
            .replace("%22", "\"")
            .replace("%5B", "[")
            .replace("%5D", "]");
        (key == name).then_some(value)
    })
}

fn last_seen(headers: &HeaderMap) -> u64 {
    let id = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    id.and_then(|id| id.trim().parse().ok()).unwrap_or_default()
}
