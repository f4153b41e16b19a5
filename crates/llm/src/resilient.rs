//! Wraps a model in the limit on calls in progress, the circuit breaker, retries, telemetry and the
//! usage meter.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt, stream};
use tokio::time::Instant;
use tracing::Instrument;

use crate::chat::{ChatEvent, ChatModel, ChatRequest, ChatStream, ModelId, ResponseFormat};
use crate::circuit::{Attempt, Circuit};
use crate::config::{CircuitConfig, PriceConfig, RetriesConfig};
use crate::limits::{InFlight, Permit};
use crate::meter::UsageMeter;
use crate::retry;
use crate::telemetry::{ObservedCall, metrics};
use crate::{Error, ErrorKind};

/// Repeats a call that failed before its first token, and stops calling a model that fails too
/// often.
pub(crate) struct Resilient {
    shared: Arc<ResilientParts>,
}

struct ResilientParts {
    model: Arc<dyn ChatModel>,
    id: ModelId,
    policy: Policy,
    circuit: Circuit,
    /// The provider refused a schema and answered without one.
    refuses_schemas: AtomicBool,
}

/// What each call of a model is wrapped in.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) retries: RetriesConfig,
    pub(crate) circuit: CircuitConfig,
    /// The provider's name in traces.
    pub(crate) telemetry_name: Arc<str>,
    /// Shared by all models of the provider.
    pub(crate) in_flight: InFlight,
    /// Shared by all models.
    pub(crate) meter: UsageMeter,
    /// Whether traces contain prompts and answers.
    pub(crate) record_content: bool,
    /// The price of the model's tokens, if it is configured.
    pub(crate) price: Option<PriceConfig>,
}

impl Resilient {
    /// Wraps `model`.
    pub(crate) fn new(model: Arc<dyn ChatModel>, policy: Policy) -> Self {
        let id = model.id();
        metrics::begin_counters(&id);
        Self {
            shared: Arc::new(ResilientParts {
                circuit: Circuit::new(id.clone(), &policy.circuit),
                id,
                model,
                policy,
                refuses_schemas: AtomicBool::new(false),
            }),
        }
    }
}

impl ChatModel for Resilient {
    fn stream(&self, request: ChatRequest) -> ChatStream {
        let shared = self.shared.clone();
        stream::once(async move { shared.open(request).await })
            .try_flatten()
            .boxed()
    }

    fn id(&self) -> ModelId {
        self.shared.id.clone()
    }
}

impl ResilientParts {
    /// Repeats the call until the first event arrives or another attempt is useless.
    async fn open(self: Arc<Self>, request: ChatRequest) -> Result<AnswerStream, Error> {
        let mut call = ObservedCall::chat(
            &self.id,
            &self.policy.telemetry_name,
            &request,
            self.policy.record_content,
        );
        let opened = self.first_event(&request).instrument(call.span()).await;
        match opened {
            Ok(opened) => Ok(AnswerStream {
                shared: self,
                call,
                attempt: opened.attempt,
                first: Some(opened.event),
                rest: Some(opened.rest),
                permit: Some(opened.permit),
            }),
            Err(error) => {
                call.failed(&error);
                self.policy.meter.failed(&self.id);
                Err(error)
            }
        }
    }

    /// The same where the provider does not take the schema of the answer: it gets the schema in
    /// words, and the caller checks the answer anyway.
    async fn first_event(&self, request: &ChatRequest) -> Result<Opened, Error> {
        let Some(plain) = in_words(request) else {
            return self.first_of(request).await;
        };
        if self.refuses_schemas.load(Ordering::Relaxed) {
            return self.first_of(&plain).await;
        }
        match self.first_of(request).await {
            Err(error) if error.kind == ErrorKind::BadRequest => {
                let opened = self.first_of(&plain).await.map_err(|_| error)?;
                tracing::warn!(
                    model = %self.id,
                    "the provider refuses answers of a schema; the schema is given in words from now on"
                );
                self.refuses_schemas.store(true, Ordering::Relaxed);
                Ok(opened)
            }
            other => other,
        }
    }

    async fn first_of(&self, request: &ChatRequest) -> Result<Opened, Error> {
        let mut attempt = 1;
        let mut before: Option<Error> = None;
        loop {
            let error = match self.ask(request).await {
                Ok(opened) => return Ok(opened),
                Err(error) => error,
            };
            // An attempt that the end of the time cuts says less than the one before it.
            let is_over = request.begin_by.is_some_and(|due| Instant::now() >= due);
            let is_cut = is_over && error.kind == ErrorKind::Timeout;
            let error = before.take().filter(|_| is_cut).unwrap_or(error);
            let pause = retry::pause(&self.policy.retries, attempt, &error);
            let in_time = |pause: &Duration| {
                let due = request.begin_by;
                due.is_none_or(|due| Instant::now() + *pause < due)
            };
            let pause = pause.filter(in_time).filter(|_| self.circuit.is_closed());
            let Some(pause) = pause else {
                return Err(error);
            };
            tracing::warn!(
                model = %self.id, %error, attempt,
                pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
                "a model failed before its first token; the call is repeated"
            );
            metrics::retried(&self.id);
            tokio::time::sleep(pause).await;
            before = Some(error);
            attempt += 1;
        }
    }

    async fn ask(&self, request: &ChatRequest) -> Result<Opened, Error> {
        let mut attempt = self.circuit.enter()?;
        let permit = self.policy.in_flight.enter(request.begin_by).await?;
        let mut rest = self.model.stream(request.clone());
        let event = match rest.next().await {
            Some(event) => event,
            None => Err(Error::truncated()),
        };
        match event {
            Ok(event) => Ok(Opened {
                event,
                rest,
                attempt,
                permit,
            }),
            Err(error) => {
                attempt.failed(&error);
                Err(error)
            }
        }
    }
}

/// A request for JSON of a schema as one for text; `None` of other requests.
fn in_words(request: &ChatRequest) -> Option<ChatRequest> {
    let ResponseFormat::Json { schema, .. } = &request.response else {
        return None;
    };
    let asks = format!("Answer with one JSON object of this schema and nothing else: {schema}");
    let system = match &request.system {
        Some(system) => format!("{system}\n\n{asks}"),
        None => asks,
    };
    Some(ChatRequest {
        system: Some(system.into()),
        response: ResponseFormat::Text,
        ..request.clone()
    })
}

/// An answer whose first event has arrived.
struct Opened {
    event: ChatEvent,
    rest: ChatStream,
    attempt: Attempt,
    permit: Permit,
}

/// The events of one call. Holds its permit until the answer ends or is dropped.
struct AnswerStream {
    shared: Arc<ResilientParts>,
    call: ObservedCall,
    attempt: Attempt,
    first: Option<ChatEvent>,
    rest: Option<ChatStream>,
    permit: Option<Permit>,
}

impl Stream for AnswerStream {
    type Item = Result<ChatEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let answer = &mut *self;
        // A span ends when it is left for the last time.
        let span = answer.call.span();
        let _within = span.enter();
        let Some(rest) = &mut answer.rest else {
            return Poll::Ready(None);
        };
        let item = match answer.first.take() {
            Some(event) => Some(Ok(event)),
            None => ready!(rest.poll_next_unpin(context)),
        };
        let item = item.unwrap_or_else(|| Err(Error::truncated()));
        Poll::Ready(Some(match item {
            Ok(mut event) => {
                answer.note(&mut event);
                Ok(event)
            }
            Err(error) => Err(answer.fail(error)),
        }))
    }
}

impl AnswerStream {
    fn note(&mut self, event: &mut ChatEvent) {
        if let ChatEvent::Finished(finished) = event
            && let Some(price) = &self.shared.policy.price
        {
            finished.usage.cost_micros = price.of(finished.usage);
        }
        self.call.event(event);
        if let ChatEvent::Finished(finished) = event {
            let shared = &self.shared;
            shared.policy.meter.answered(&shared.id, finished.usage);
            self.attempt.succeeded();
            self.close();
        }
    }

    /// Closes the connection and releases the permit, even if the caller keeps the stream.
    fn close(&mut self) {
        self.rest = None;
        self.permit = None;
    }

    /// The answer failed after its first token.
    fn fail(&mut self, mut error: Error) -> Error {
        error.after_first_token = true;
        self.close();
        self.attempt.failed(&error);
        self.call.failed(&error);
        self.shared.policy.meter.failed(&self.shared.id);
        error
    }
}

#[cfg(test)]
mod tests;
