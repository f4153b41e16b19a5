//! The orchestrator, for the routes that speak the protocols of other systems: a message becomes a
//! run, whose events are read as they are.

use std::collections::VecDeque;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::response::Response;
use contracts::assistants::AssistantList;
use contracts::named_events::PostMessage;
use contracts::run::RunEvent;
use contracts::threads::Run;
use futures::StreamExt;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use http_body_util::{BodyExt, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use service_kit::problem::{ApiError, chain};

use crate::accounts::Account;
use crate::proxy::{Forward, Tier};
use crate::state::State;

/// Maximum number of bytes of an answer that is read whole.
const ANSWER_LIMIT: usize = 64 * 1024 * 1024;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The inner tiers, on behalf of an account.
#[derive(Clone)]
pub(crate) struct OnBehalf {
    state: State,
    account: Account,
}

/// The answer to a message, while it is made.
pub(crate) struct RunReply {
    pub(crate) run_id: String,
    pub(crate) thread_id: String,
    body: BodyDataStream,
    buffer: Vec<u8>,
    heard: VecDeque<Heard>,
    ended: bool,
    stop: Option<OnBehalf>,
}

/// An event of a run, or a sign of life.
#[derive(Debug)]
pub(crate) enum Heard {
    Event(Box<RunEvent>),
    /// Nothing is new, but the run is still there.
    Alive,
}

/// An answer of an inner tier that cannot be used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("the run's events ended before the run did")]
    EndedEarly,
    #[error("the answer cannot be read: {0}")]
    Body(String),
    #[error("the answer is not what the contract says")]
    Shape(#[from] serde_json::Error),
    #[error("the answer names no run")]
    NoRun,
}

impl OnBehalf {
    pub(crate) fn of(state: &State, account: &Account) -> Self {
        Self {
            state: state.clone(),
            account: account.clone(),
        }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    /// Whether the account has a scope.
    pub(crate) fn may(&self, scope: &str) -> bool {
        self.account.scopes.iter().any(|held| held == scope)
    }

    /// The assistants that the account can ask.
    pub(crate) async fn assistants(&self) -> Result<AssistantList, ApiError> {
        self.get(Tier::Orchestrator, "/v1/assistants").await
    }

    /// Posts a message. A key in the headers makes the same message twice one run.
    pub(crate) async fn ask(
        &self,
        message: &PostMessage,
        headers: &HeaderMap,
    ) -> Result<RunReply, ApiError> {
        let path = "/v1/messages?dialect=run_events";
        let mut with_key = HeaderMap::new();
        if let Some(key) = headers.get(IDEMPOTENCY_KEY) {
            with_key.insert(IDEMPOTENCY_KEY, key.clone());
        }
        let body = serde_json::to_vec(message).map_err(ApiError::internal)?;
        let response = self
            .send(Tier::Orchestrator, Method::POST, path, with_key, body)
            .await?;
        RunReply::of(response)
    }

    /// The events of a run from its first.
    pub(crate) async fn follow(&self, run_id: &str) -> Result<RunReply, ApiError> {
        let path = format!(
            "/v1/runs/{}/events?dialect=run_events",
            segment(run_id, "run")?
        );
        let response = self
            .send(
                Tier::Orchestrator,
                Method::GET,
                &path,
                HeaderMap::new(),
                Vec::new(),
            )
            .await?;
        RunReply::of(response)
    }

    /// A run as it stands.
    pub(crate) async fn run(&self, run_id: &str) -> Result<Run, ApiError> {
        let path = format!("/v1/runs/{}", segment(run_id, "run")?);
        self.get(Tier::Orchestrator, &path).await
    }

    /// Stops a run.
    pub(crate) async fn cancel(&self, run_id: &str) -> Result<Run, ApiError> {
        let path = format!("/v1/runs/{}/cancel", segment(run_id, "run")?);
        self.call(Tier::Orchestrator, Method::POST, &path, None::<&()>)
            .await
    }

    /// A resource of a tier.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        tier: Tier,
        path: &str,
    ) -> Result<T, ApiError> {
        self.call(tier, Method::GET, path, None::<&()>).await
    }

    /// An operation of a tier whose answer is JSON.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        tier: Tier,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<T, ApiError> {
        let body = body.map(serde_json::to_vec).transpose();
        let body = body.map_err(ApiError::internal)?.unwrap_or_default();
        let response = self
            .send(tier, method, path, HeaderMap::new(), body)
            .await?;
        let bytes = read(response.into_body()).await?;
        serde_json::from_slice(&bytes).map_err(|error| failed(Unusable::Shape(error)))
    }

    /// Deletes a resource of a tier.
    pub(crate) async fn delete(&self, tier: Tier, path: &str) -> Result<(), ApiError> {
        self.send(tier, Method::DELETE, path, HeaderMap::new(), Vec::new())
            .await?;
        Ok(())
    }

    async fn send(
        &self,
        tier: Tier,
        method: Method,
        path: &str,
        mut headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Response, ApiError> {
        if !body.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let request = Forward {
            tier,
            method,
            path,
            headers: &headers,
            body: body.into(),
            uploads: false,
        };
        self.state
            .upstreams
            .forward(&self.state.token_issuer, &self.account, request)
            .await
    }
}

impl RunReply {
    fn of(response: Response) -> Result<Self, ApiError> {
        let header = |name: &str| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let (Some(run_id), Some(thread_id)) = (header("x-run-id"), header("x-thread-id")) else {
            return Err(failed(Unusable::NoRun));
        };
        Ok(Self {
            run_id,
            thread_id,
            body: response.into_body().into_data_stream(),
            buffer: Vec::new(),
            heard: VecDeque::new(),
            ended: false,
            stop: None,
        })
    }

    /// Stops the run when its reader goes away before it ends: for protocols in which that is how a
    /// client stops.
    pub(crate) fn stop_when_dropped(mut self, on_behalf: &OnBehalf) -> Self {
        self.stop = Some(on_behalf.clone());
        self
    }

    /// The next event or sign of life; `None` after the event that ends the run.
    pub(crate) async fn next(&mut self) -> Result<Option<Heard>, ApiError> {
        loop {
            if let Some(heard) = self.heard.pop_front() {
                if let Heard::Event(event) = &heard
                    && event.is_terminal()
                {
                    self.ended = true;
                    self.heard.clear();
                }
                return Ok(Some(heard));
            }
            if self.ended {
                return Ok(None);
            }
            match self.body.next().await {
                Some(Ok(bytes)) => self.take(&bytes)?,
                Some(Err(error)) => return Err(failed(Unusable::Body(chain(&error)))),
                None => return Err(failed(Unusable::EndedEarly)),
            }
        }
    }

    /// The next event; `None` after the one that ends the run.
    pub(crate) async fn next_event(&mut self) -> Result<Option<RunEvent>, ApiError> {
        while let Some(heard) = self.next().await? {
            if let Heard::Event(event) = heard {
                return Ok(Some(*event));
            }
        }
        Ok(None)
    }

    /// Takes the lines that are complete. The orchestrator writes each event's data as one line.
    fn take(&mut self, bytes: &Bytes) -> Result<(), ApiError> {
        self.buffer.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(length) = self.buffer[from..].iter().position(|byte| *byte == b'\n') {
            let line = &self.buffer[from..from + length];
            from += length + 1;
            if let Some(data) = line.strip_prefix(b"data: ") {
                let event = serde_json::from_slice(data);
                let event = event.map_err(|error| failed(Unusable::Shape(error)))?;
                self.heard.push_back(Heard::Event(Box::new(event)));
            } else if line.starts_with(b":") {
                self.heard.push_back(Heard::Alive);
            }
        }
        self.buffer.drain(..from);
        Ok(())
    }
}

impl Drop for RunReply {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let Some(on_behalf) = self.stop.take() else {
            return;
        };
        let run_id = std::mem::take(&mut self.run_id);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = on_behalf.cancel(&run_id).await {
                    tracing::warn!(%run_id, code = error.problem().code, "a run that nothing reads cannot be stopped");
                }
            });
        }
    }
}

/// An id as a segment of a path; one that would reach another path is none.
pub(crate) fn segment<'a>(id: &'a str, kind: &str) -> Result<&'a str, ApiError> {
    let plain = !matches!(id, "" | "." | "..")
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte));
    if plain {
        Ok(id)
    } else {
        Err(ApiError::not_found(format!("There is no such {kind}.")))
    }
}

async fn read(body: Body) -> Result<Bytes, ApiError> {
    let whole = Limited::new(body, ANSWER_LIMIT).collect().await;
    let whole = whole.map_err(|error| failed(Unusable::Body(error.to_string())))?;
    Ok(whole.to_bytes())
}

fn failed(error: Unusable) -> ApiError {
    ApiError::upstream_failed(error)
}
