//! The task of a run: from the assistant's first event to the end that is stored and then sent.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use agent_kit::UserInput;
use contracts::run::RunEvent;
use conversations::{Fence, Run};
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use llm::ModelOptions;
use serde::{Deserialize, Serialize};
use service_kit::context::RequestContext;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::conclude::{Ending, Saved};
use super::event_writer::{EventWriter, Stopped, cancelled, ended_early, failed};
use super::log::{RunLog, Writer};
use super::metrics::ObservedRun;
use super::persist::Persister;
use super::{Active, lease, log};
use crate::assistants::Turn;
use crate::credentials::Caller;
use crate::delegation::Credentials;
use crate::history;
use crate::schedules::OfTurn;
use crate::state::State;

/// The code of the warning that a run was stopped on request.
const CANCELLED: &str = "cancelled";

/// Time that a cancelled assistant has to close what it had opened; then it is closed for it.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// What any replica needs to run a run, as it is stored with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunInput {
    /// The user's input.
    pub(crate) input: UserInput,
    /// The message that the client continues with, when a picker was answered in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) continued_message: Option<String>,
    /// The text that the client wrote into the picker's part in place of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gave_up: Option<String>,
    /// IANA zone of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timezone: Option<String>,
    /// Options for the models. Stored requests call them by their former name.
    #[serde(default, rename = "wishes")]
    pub(crate) model_options: ModelOptions,
    /// Whether it runs without a user who waits for it: a schedule asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unattended: bool,
}

impl RunInput {
    /// The stored input of a run that another process, or this one before, accepted; `None` when it
    /// cannot be read.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let read = Self::deserialize(&run.input);
        read.inspect_err(|error| tracing::error!(run_id = %run.id, %error, "what a run was asked cannot be read"))
            .ok()
    }
}

/// A run that is this worker's, to be run.
pub(crate) struct Job {
    pub(crate) run: Run,
    /// The input; `None` when it cannot be read.
    pub(crate) input: Option<RunInput>,
    pub(crate) caller: Arc<Caller>,
    pub(crate) permit: OwnedSemaphorePermit,
    /// When the lease was taken, or a moment before.
    pub(crate) leased_at: tokio::time::Instant,
    /// The request that it belongs to.
    pub(crate) request: Option<RequestContext>,
    /// The span of that request; without one, the run is a trace of its own.
    pub(crate) parent: Option<Span>,
}

/// Starts a run. It can be followed when this returns.
pub(crate) fn launch(state: &State, job: Job) {
    let Some(fence) = job.run.fence() else {
        tracing::error!("a run without a worker cannot be run");
        return;
    };
    let (writer, log) = log::new();
    let lease = lease::safe(state.config.runs.lease());
    let active = Active::new(&job.run, log, job.leased_at + lease);
    let (cancel, lost) = (active.cancel.clone(), active.lost.clone());
    if job.run.cancel_requested {
        cancel.cancel();
    }
    let span = tracing::info_span!(
        parent: job.parent.as_ref().and_then(Span::id),
        "run",
        otel.name = %format_args!("invoke_agent {}", job.run.assistant),
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = job.run.assistant,
        gen_ai.conversation.id = job.run.thread_name,
        heliograph.tenant = job.run.owner.tenant,
        run_id = %job.run.id.simple(),
        assistant = job.run.assistant,
        attempt = job.run.attempt,
        dialect = job.run.dialect,
        total_messages = tracing::field::Empty,
        preserved_count = tracing::field::Empty,
        pruned_count = tracing::field::Empty,
        context_items = tracing::field::Empty,
    );
    let task = Task {
        state: state.clone(),
        fence,
        log: active.log.clone(),
        cancel,
        lost,
    };
    state.runs.add(job.run.id, active);
    let request = job.request.clone();
    let work = task.run(writer, job).instrument(span);
    state.tasks.spawn(async move {
        match request {
            Some(request) => Box::pin(request.scope(work)).await,
            None => work.await,
        }
    });
}

struct Task {
    state: State,
    fence: Fence,
    log: RunLog,
    /// A user asked to stop it.
    cancel: CancellationToken,
    /// Cancelled when the lease is lost.
    lost: CancellationToken,
}

impl Task {
    async fn run(self, writer: Writer, mut job: Job) {
        let input = job.input.take();
        let (run_id, thread_id) = (job.run.id, job.run.thread_id);
        let persister = Persister::start(
            self.state.store.clone(),
            self.fence,
            &self.log,
            self.state.config.runs.store_events_every(),
            self.lost.clone(),
        );
        let observed = ObservedRun::begin(&job.run.assistant);
        let mut event_writer = EventWriter::new(writer, observed);
        let answered = AssertUnwindSafe(self.answer(&mut event_writer, &job, input)).catch_unwind();
        let answered = answered.await.unwrap_or_else(|_| Some(ended_early()));
        if let Some(terminal) = answered {
            self.conclude(event_writer, persister, terminal).await;
        } else {
            tracing::warn!("the run is another worker's now; this attempt ends here");
            event_writer.lost();
            persister.stop().await;
        }
        self.state.runs.remove(run_id, self.fence.attempt);
        drop(job.permit);
        if self.fence.attempt > 1 {
            // The process that accepted the next run may be as dead as the one that ran this one.
            super::queue::start_first(&self.state, thread_id).await;
        } else {
            super::queue::start_next(&self.state, thread_id).await;
        }
    }

    /// Lets the assistant answer, and returns the event to end with; `None` when the run is lost.
    async fn answer(
        &self,
        event_writer: &mut EventWriter,
        job: &Job,
        input: Option<RunInput>,
    ) -> Option<RunEvent> {
        let run = &job.run;
        let assistant = self.state.assistants.get(&run.assistant);
        let (Some(asked), Some(assistant)) = (input, assistant) else {
            event_writer.write(RunEvent::Started {
                thread_id: run.thread_name.clone(),
                run_id: run.id.simple().to_string(),
                message_id: run.message_id.clone(),
            });
            return Some(failed(
                "assistant_missing",
                "The assistant of this conversation is not there any more.",
            ));
        };
        let history = if assistant.reads_history() {
            history::window(&self.state, run).await
        } else {
            Arc::default()
        };
        let thread = if assistant.reads_thread() {
            let thread = self.state.store.thread(&run.owner, &run.thread_name).await;
            thread.ok()
        } else {
            None
        };
        let context = thread.map(|thread| thread.context).unwrap_or_default();
        let cancellation = CancellationToken::new();
        event_writer.begin(&asked);
        let continued = asked.continued_message;
        let events = assistant.run(Turn {
            thread_id: run.thread_name.clone(),
            thread_key: run.thread_id.to_string().into(),
            run_id: run.id.simple().to_string(),
            fence: self.fence,
            message_id: continued.unwrap_or_else(|| run.message_id.clone()),
            input: asked.input,
            timezone: asked.timezone,
            model_options: asked.model_options,
            unattended: asked.unattended,
            history,
            context: context.into(),
            now: self.state.clock.now(),
            credentials: Credentials::new(self.state.delegation.clone(), Arc::clone(&job.caller)),
            schedules: Arc::new(OfTurn::new(
                self.state.clone(),
                Arc::clone(&job.caller),
                run.id.simple().to_string(),
            )),
            caller: Arc::clone(&job.caller),
            cancellation: cancellation.clone(),
        });
        self.carry(events, cancellation, event_writer, job).await
    }

    /// Reports what the assistant says until it ends or is stopped.
    async fn carry(
        &self,
        mut events: BoxStream<'static, RunEvent>,
        cancellation: CancellationToken,
        event_writer: &mut EventWriter,
        job: &Job,
    ) -> Option<RunEvent> {
        let runs = &self.state.config.runs;
        let mut timeout = pin!(tokio::time::sleep(runs.timeout()));
        let mut patience = pin!(tokio::time::sleep(Duration::MAX));
        let mut stopped: Option<Stopped> = None;
        loop {
            let stop = tokio::select! {
                biased;
                () = self.lost.cancelled() => return None,
                () = self.cancel.cancelled(), if stopped.is_none() => Stopped::OnRequest,
                () = &mut timeout, if stopped.is_none() => Stopped::TooLong,
                () = &mut patience, if stopped.is_some() => {
                    tracing::warn!("the assistant did not stop in time");
                    return Some(ending(stopped, None, event_writer));
                }
                event = events.next() => match event {
                    Some(event) if !event.is_terminal() => {
                        // The reason is reported below, once; the assistant only knows that it was
                        // stopped.
                        if stopped == Some(Stopped::TooMuch) || stopped.is_some() && says_stopped(&event) {
                            continue;
                        }
                        // Words that come are an answer on its way, however slow.
                        if matches!(event, RunEvent::TextDelta { .. }) && stopped.is_none() {
                            timeout.as_mut().reset(tokio::time::Instant::now() + runs.timeout());
                        }
                        let begins = matches!(event, RunEvent::Started { .. });
                        event_writer.write(event);
                        if begins {
                            for (code, text) in job.caller.take_warnings() {
                                event_writer.warn(code, &text);
                            }
                        }
                        if begins && job.run.attempt > 1 {
                            event_writer.warn("restarted", "The answer was interrupted and has begun again.");
                        }
                        if event_writer.written() < runs.max_events {
                            continue;
                        }
                        Stopped::TooMuch
                    }
                    event => {
                        // A turn's memory is stored when its stream is over, and not before.
                        while events.next().await.is_some() {}
                        return Some(ending(stopped, event, event_writer));
                    }
                }
            };
            stopped = Some(stop);
            cancellation.cancel();
            patience
                .as_mut()
                .reset(tokio::time::Instant::now() + STOP_PATIENCE);
        }
    }

    /// Stores the end, then sends it.
    async fn conclude(
        &self,
        mut event_writer: EventWriter,
        persister: Persister,
        terminal: RunEvent,
    ) {
        let terminal = Arc::new(terminal);
        let mut ending = Ending {
            store: self.state.store.clone(),
            fence: self.fence,
            log: self.log.clone(),
            progress: persister.stop().await,
            finish: Arc::new(event_writer.finish(&terminal)),
        };
        let saved = ending.save(&terminal).await;
        if let Some(usage) = &ending.finish.usage {
            tracing::info!(
                usage.input_tokens,
                usage.output_tokens,
                usage.cached_input_tokens,
                usage.reasoning_tokens,
                "what the run's models read and wrote"
            );
        }
        match saved {
            Saved::Whole => event_writer.end(terminal),
            Saved::Lost => tracing::warn!("the run was taken from us before its end was stored"),
            Saved::WithoutAnswer | Saved::NotYet => {
                event_writer.warn(
                    "history_not_saved",
                    "This answer could not be saved, so it may be missing from the conversation later.",
                );
                event_writer.end(terminal);
            }
        }
        if saved == Saved::NotYet {
            let saved = ending.save_later().await;
            tracing::info!(?saved, "an answer was stored late");
        }
    }
}

/// Whether an assistant says that it was stopped.
fn says_stopped(event: &RunEvent) -> bool {
    matches!(event, RunEvent::Warning { code, .. } if code == CANCELLED)
}

/// The event that a run ends with, after what closes what the assistant left open.
fn ending(
    stopped: Option<Stopped>,
    said: Option<RunEvent>,
    event_writer: &mut EventWriter,
) -> RunEvent {
    event_writer.close();
    match stopped {
        Some(Stopped::OnRequest) => {
            event_writer.warn(
                CANCELLED,
                "The answer was stopped. What there is of it is kept.",
            );
            cancelled(said.as_ref())
        }
        Some(Stopped::TooLong) => failed(
            "timeout",
            "The answer took too long and was stopped. Please try again.",
        ),
        Some(Stopped::TooMuch) => failed(
            "too_long",
            "The answer became too long and was stopped. Please ask for less at once.",
        ),
        None => said.unwrap_or_else(ended_early),
    }
}
