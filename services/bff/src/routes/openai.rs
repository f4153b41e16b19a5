//! The protocol of OpenAI: assistants are models, and a message is a chat completion or a response.
//!
//! A client of this protocol sends the whole conversation with each message, and stops an answer by
//! going away.

use std::fmt::Write;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State as Shared};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use contracts::named_events::{MessageOptions, PostMessage};
use contracts::run::RunEvent;
use contracts::threads::{IfNotExists, Multitask};
use futures::stream;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use protocols::openai::{
    self, ChatRequest, Completion, CompletionStream, Question, Refusal, ResponseRequest,
    ResponseStream, transcript,
};
use protocols::prose::Prose;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use service_kit::problem::{ApiError, chain};
use service_kit::web::Json;

use crate::credential::{Caller, page_address};
use crate::orchestrator::{Heard, OnBehalf, RunReply};
use crate::state::State;

/// The routes whose answer takes as long as a run.
pub(crate) const SLOW: [&str; 2] = ["/v1/chat/completions", "/v1/responses"];

const THREAD: HeaderName = HeaderName::from_static("x-thread-id");
const RUN: HeaderName = HeaderName::from_static("x-run-id");

type Answered = Result<Response, Failure>;

/// The end of a request without an answer.
enum Failure {
    Refusal(Refusal),
    Problem(ApiError),
}

/// Who asks; a refusal is in the form of this protocol.
type Asker = Result<Caller, ApiError>;

/// The routes, as the protocol defines them.
pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/v1/models", get(list_models))
        .route("/v1/models/{model}", get(get_model))
        .route("/v1/chat/completions", post(create_completion))
        .route("/v1/responses", post(create_response))
        .route("/v1/responses/{id}", get(get_response))
        .route("/v1/responses/{id}/cancel", post(cancel_response))
        .route("/v1/{*rest}", any(unknown))
        .layer(from_fn(in_envelope))
}

/// Paths of the protocol that are not served.
async fn unknown(uri: Uri) -> Failure {
    Failure::Refusal(Refusal {
        status: 404,
        message: format!("There is no operation `{}` here.", uri.path()),
        param: None,
        code: Some("unknown_url".to_owned()),
    })
}

/// Gives refusals that were made before a handler the form of the protocol, too.
async fn in_envelope(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind == "application/json");
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (code, message) = match status {
        StatusCode::PAYLOAD_TOO_LARGE => (
            "body_too_large",
            "The body is larger than this operation reads.",
        ),
        StatusCode::METHOD_NOT_ALLOWED => (
            "method_not_allowed",
            "This operation does not have this method.",
        ),
        _ => ("refused", status.canonical_reason().unwrap_or("Refused")),
    };
    let refusal = Refusal {
        status: status.as_u16(),
        message: message.to_owned(),
        param: None,
        code: Some(code.to_owned()),
    };
    in_form(&refusal, response)
}

/// The response with the body of a refusal. Its headers are kept.
fn in_form(refusal: &Refusal, mut response: Response) -> Response {
    let status = StatusCode::from_u16(refusal.status);
    *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().remove(CONTENT_LENGTH);
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    *response.body_mut() = Body::from(refusal.body().to_string());
    response
}

/// `GET /v1/models`.
async fn list_models(Shared(state): Shared<State>, caller: Asker) -> Answered {
    let models = assistants(&OnBehalf::of(&state, &caller?.account)).await?;
    let data: Vec<Value> = models.iter().map(|name| openai::model(name)).collect();
    Ok(Json(json!({ "object": "list", "data": data })).into_response())
}

/// `GET /v1/models/{model}`.
async fn get_model(
    Shared(state): Shared<State>,
    caller: Asker,
    Path(model): Path<String>,
) -> Answered {
    let models = assistants(&OnBehalf::of(&state, &caller?.account)).await?;
    if models.contains(&model) {
        Ok(Json(openai::model(&model)).into_response())
    } else {
        Err(Refusal::model_not_found(&model, &models).into())
    }
}

/// `POST /v1/chat/completions`.
async fn create_completion(
    Shared(state): Shared<State>,
    caller: Asker,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Answered {
    let on_behalf = OnBehalf::of(&state, &caller?.account);
    let question = read::<ChatRequest>(&body)?.question()?;
    let asked = Asked::ask(on_behalf, question, &uri, &headers).await?;
    let include_usage = asked.question.include_usage;
    let encoder = CompletionStream::new(asked.completion(), include_usage, asked.prose());
    if asked.question.stream {
        return Ok(asked.streamed(Encoder::Chat(encoder)));
    }
    let completion = asked.completion();
    let (encoder, asked, ended) = asked.whole(Encoder::Chat(encoder)).await?;
    let whole = completion.whole(encoder.text(), &ended)?;
    Ok(asked.with_headers(Json(whole).into_response()))
}

/// `POST /v1/responses`.
async fn create_response(
    Shared(state): Shared<State>,
    caller: Asker,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Answered {
    let on_behalf = OnBehalf::of(&state, &caller?.account);
    let mut question = read::<ResponseRequest>(&body)?.question()?;
    if let Some(previous) = &question.previous_response {
        let run = match openai::run_of_response(previous) {
            Some(run_id) => on_behalf.run(run_id).await.ok(),
            None => None,
        };
        let Some(run) = run else {
            let message = format!("There is no response `{previous}` of yours.");
            return Err(Refusal::invalid("previous_response_id", message).into());
        };
        question.thread = Some(run.thread_id);
    }
    let asked = Asked::ask(on_behalf, question, &uri, &headers).await?;
    let encoder = asked.response_stream();
    if asked.question.stream {
        return Ok(asked.streamed(Encoder::Response(encoder)));
    }
    let (encoder, asked, ended) = asked.whole(Encoder::Response(encoder)).await?;
    let Encoder::Response(encoder) = encoder else {
        return Err(ApiError::internal("another encoder").into());
    };
    Ok(asked.with_headers(Json(encoder.whole(&ended)?).into_response()))
}

/// `GET /v1/responses/{id}`.
async fn get_response(
    Shared(state): Shared<State>,
    caller: Asker,
    uri: Uri,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Answered {
    let on_behalf = OnBehalf::of(&state, &caller?.account);
    let run = on_behalf.run(known_response(&id)?).await?;
    let completion = Completion {
        run_id: run.run_id.clone(),
        model: run.assistant.clone(),
        created: run.created_at.timestamp(),
    };
    if !run.status.is_over() {
        let conversation = json!({ "conversation": { "id": run.thread_id } });
        let response =
            openai::whole_response(&completion, "in_progress", &json!([]), &conversation);
        return Ok(Json(response).into_response());
    }
    let prose = Prose::new(page_address(&uri, &headers));
    let mut answer = on_behalf.follow(&run.run_id).await?;
    let mut encoder = ResponseStream::new(completion, run.thread_id, None, prose);
    while let Some(event) = answer.next_event().await? {
        encoder.encode(&event);
        if event.is_terminal() {
            return Ok(Json(encoder.whole(&event)?).into_response());
        }
    }
    Err(ApiError::upstream_failed("the run has no end").into())
}

/// `POST /v1/responses/{id}/cancel`.
async fn cancel_response(
    Shared(state): Shared<State>,
    caller: Asker,
    uri: Uri,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Answered {
    let caller = caller?;
    let on_behalf = OnBehalf::of(&state, &caller.account);
    on_behalf.cancel(known_response(&id)?).await?;
    get_response(Shared(state), Ok(caller), uri, headers, Path(id)).await
}

/// A question that is being answered.
struct Asked {
    on_behalf: OnBehalf,
    question: Question,
    answer: RunReply,
    page: Option<String>,
    created: i64,
}

impl Asked {
    async fn ask(
        on_behalf: OnBehalf,
        question: Question,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Self, Failure> {
        let named = headers.get(THREAD).map(HeaderValue::to_str).transpose();
        let named = named.map_err(|_not_ascii| {
            Refusal::invalid(THREAD.as_str(), "The id of a thread is in ASCII.")
        })?;
        let thread = match (&question.thread, named) {
            (Some(thread), _) => Some(thread.clone()),
            (None, Some(thread)) => Some(thread.to_owned()),
            (None, None) => known_thread(&on_behalf, &question).await?,
        };
        let message = PostMessage {
            content: question.text.clone(),
            if_not_exists: if thread.is_some() {
                IfNotExists::Create
            } else {
                IfNotExists::default()
            },
            thread_id: thread,
            assistant: Some(question.assistant.clone()),
            options: MessageOptions {
                model: None,
                temperature: question.temperature,
                max_tokens: question.max_tokens,
            },
            // A client that stopped an answer may send its next message before the run has ended.
            multitask_strategy: Multitask::Enqueue,
            ..PostMessage::default()
        };
        let answer = on_behalf.ask(&message, headers).await;
        let answer = answer.map_err(|error| unknown_assistant(error, &question.assistant))?;
        Ok(Self {
            answer: answer.stop_when_dropped(&on_behalf),
            page: page_address(uri, headers),
            created: on_behalf.state().clock.now().timestamp(),
            on_behalf,
            question,
        })
    }

    fn completion(&self) -> Completion {
        Completion {
            run_id: self.answer.run_id.clone(),
            model: self.question.assistant.clone(),
            created: self.created,
        }
    }

    fn prose(&self) -> Prose {
        Prose::new(self.page.clone())
    }

    fn response_stream(&self) -> ResponseStream {
        let previous = self.question.previous_response.clone();
        let thread = self.answer.thread_id.clone();
        ResponseStream::new(self.completion(), thread, previous, self.prose())
    }

    /// Reads the answer to its end.
    async fn whole(mut self, mut encoder: Encoder) -> Result<(Encoder, Self, RunEvent), Failure> {
        while let Some(event) = self.answer.next_event().await? {
            encoder.encode(&event);
            if event.is_terminal() {
                self.keep(encoder.text()).await;
                return Ok((encoder, self, event));
            }
        }
        Err(ApiError::upstream_failed("the run has no end").into())
    }

    /// The answer as it comes.
    fn streamed(self, encoder: Encoder) -> Response {
        let headers = self.headers();
        let reply = stream::unfold(Some((self, encoder)), |reply| async {
            let (mut asked, mut encoder) = reply?;
            match asked.answer.next().await {
                Ok(Some(Heard::Alive)) => {
                    let alive = Bytes::from_static(b": keep-alive\n\n");
                    Some((alive, Some((asked, encoder))))
                }
                Ok(Some(Heard::Event(event))) => {
                    let frames = encoder.encode(&event);
                    if event.is_terminal() {
                        // Before the client knows that it may send its next message.
                        asked.keep(encoder.text()).await;
                    }
                    Some((frames.into(), Some((asked, encoder))))
                }
                Ok(None) => None,
                Err(error) => {
                    let failed = Refusal::of(error.problem());
                    tracing::warn!(code = error.problem().code, "an answer ended early");
                    let frames = encoder.broken(&failed);
                    Some((frames.into(), None))
                }
            }
        });
        let bytes = futures::StreamExt::filter(reply, |bytes: &Bytes| {
            std::future::ready(!bytes.is_empty())
        });
        let bytes = futures::StreamExt::map(bytes, Ok::<_, std::convert::Infallible>);
        let mut response = Response::new(Body::from_stream(bytes));
        *response.headers_mut() = headers;
        let fixed = [
            (CONTENT_TYPE, "text/event-stream"),
            (CACHE_CONTROL, "no-cache"),
            (HeaderName::from_static("x-accel-buffering"), "no"),
        ];
        for (name, value) in fixed {
            let value = HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        response
    }

    /// Remembers the conversation as the client now has it.
    fn keep(&self, text: &str) -> impl Future<Output = ()> + Send + use<> {
        let before = self.question.before.iter();
        let before = before.map(|(role, text)| (role.as_str(), text.as_str()));
        let now = [("user", self.question.text.as_str()), ("assistant", text)];
        let key = transcript(&self.question.assistant, before.chain(now));
        let state = self.on_behalf.state().clone();
        let account_id = self.on_behalf.account().account_id;
        let thread_id = self.answer.thread_id.clone();
        async move {
            let kept = state.transcripts.keep(account_id, &key, &thread_id).await;
            if let Err(error) = kept {
                tracing::warn!(error = %chain(&error), "the thread of a conversation cannot be kept");
            }
        }
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in [(RUN, &self.answer.run_id), (THREAD, &self.answer.thread_id)] {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        }
        headers
    }

    fn with_headers(&self, mut response: Response) -> Response {
        response.headers_mut().extend(self.headers());
        response
    }
}

/// The two forms of an answer.
enum Encoder {
    Chat(CompletionStream),
    Response(ResponseStream),
}

impl Encoder {
    fn encode(&mut self, event: &RunEvent) -> String {
        let mut frames = String::new();
        // Writing to a string cannot fail.
        match self {
            Self::Chat(encoder) => {
                for data in encoder.encode(event) {
                    let _ = write!(frames, "data: {data}\n\n");
                }
            }
            Self::Response(encoder) => {
                for (name, data) in encoder.encode(event) {
                    let _ = write!(frames, "event: {name}\ndata: {data}\n\n");
                }
            }
        }
        frames
    }

    fn text(&self) -> &str {
        match self {
            Self::Chat(encoder) => encoder.text(),
            Self::Response(encoder) => encoder.text(),
        }
    }

    /// What ends a stream whose run cannot be read any more.
    fn broken(&self, refusal: &Refusal) -> String {
        match self {
            Self::Chat(_) => format!("data: {}\n\ndata: [DONE]\n\n", refusal.body()),
            Self::Response(_) => {
                let event = json!({ "type": "error", "code": refusal.code, "message": refusal.message, "param": null, "sequence_number": 0 });
                format!("event: error\ndata: {event}\n\n")
            }
        }
    }
}

/// The thread of the conversation that a client sends along.
async fn known_thread(
    on_behalf: &OnBehalf,
    question: &Question,
) -> Result<Option<String>, ApiError> {
    let spoken = |role: &str| matches!(role, "user" | "assistant");
    if !question.before.iter().any(|(role, _)| spoken(role)) {
        return Ok(None);
    }
    let before = question.before.iter();
    let before = before.map(|(role, text)| (role.as_str(), text.as_str()));
    let key = transcript(&question.assistant, before);
    let account_id = on_behalf.account().account_id;
    let known = on_behalf.state().transcripts.thread(account_id, &key).await;
    known.map_err(crate::error::database)
}

async fn assistants(on_behalf: &OnBehalf) -> Result<Vec<String>, ApiError> {
    let list = on_behalf.assistants().await?;
    Ok(list.assistants.into_iter().map(|one| one.id).collect())
}

/// The orchestrator's refusal of an assistant's name, as one of a model's.
fn unknown_assistant(error: ApiError, name: &str) -> Failure {
    let problem = error.problem();
    let is_name = problem
        .errors
        .iter()
        .any(|fault| fault.pointer == "/assistant");
    if is_name && !problem.available.is_empty() {
        Refusal::model_not_found(name, &problem.available).into()
    } else {
        error.into()
    }
}

/// The run of a response.
fn known_response(id: &str) -> Result<&str, Failure> {
    openai::run_of_response(id).ok_or_else(|| {
        Failure::Refusal(Refusal {
            status: 404,
            message: format!("There is no response `{id}` of yours."),
            param: None,
            code: Some("not_found".to_owned()),
        })
    })
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        Failure::Refusal(Refusal {
            status: 400,
            message: format!("The body cannot be read: {error}."),
            param: None,
            code: Some("malformed_request".to_owned()),
        })
    })
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refusal(refusal)
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Problem(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (refusal, response) = match self {
            Self::Refusal(refusal) => (refusal, StatusCode::OK.into_response()),
            // The problem is logged, and its headers are kept.
            Self::Problem(error) => (Refusal::of(error.problem()), error.into_response()),
        };
        in_form(&refusal, response)
    }
}
