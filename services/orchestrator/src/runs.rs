//! One run: a turn of the assistant, carried to the client as it happens.
//!
//! The run has a task of its own, so that a slow client does not hold it up: it ends, and gives its thread back, while the client
//! still reads. A client that goes away ends the run.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use agent_site::TurnInput;
use axum::body::{Body, Bytes};
use axum::response::Response;
use contracts::chat::UI_MESSAGE_STREAM_HEADER;
use contracts::run::RunEvent;
use contracts::threads::Dialect;
use futures::StreamExt;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use service_kit::identity::Identity;
use service_kit::problem::{ApiError, chain};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::dialects::{Encoder, keep_alive};
use crate::message::Posted;
use crate::solar_tools::CallersTools;
use crate::state::State;
use crate::threads::{self, Hold};

/// Frames that wait for a slow client. A whole answer of the assistant is some dozens; who falls behind further is cut off.
const FRAMES_IN_FLIGHT: usize = 1_024;

/// Frames that are written at once, if they are ready at once.
const FRAMES_AT_ONCE: usize = 32;

/// Starts a run and answers with its stream.
pub(crate) async fn start(
    state: &State,
    identity: &Identity,
    posted: Posted,
) -> Result<Response, ApiError> {
    let permit = Arc::clone(&state.permits).try_acquire_owned();
    let permit = permit.map_err(|full| {
        ApiError::unavailable(
            "Too many messages are being answered; try again in a moment.",
            full,
        )
    })?;
    let thread_id = posted
        .thread_id
        .unwrap_or_else(|| format!("thread_{}", state.ids.new_id().simple()));
    let key = threads::key(&identity.tenant, &identity.subject, &thread_id);
    let hold = state.threads.hold(&key).await;
    let hold = hold.ok_or_else(|| {
        ApiError::conflict("This thread is answering another message; wait until it is done.")
    })?;
    let run_id = state.ids.new_id().simple().to_string();
    let lease = Lease {
        key: Arc::clone(&key),
        hold,
        _permit: permit,
    };
    let cancellation = CancellationToken::new();
    let turn = TurnInput {
        thread_id,
        thread_key: Some(key),
        message_id: posted
            .continued_message
            .unwrap_or_else(|| format!("msg_{run_id}")),
        run_id: run_id.clone(),
        message: posted.input,
        user_timezone: posted.timezone,
        now: state.clock.now(),
        tools: Arc::new(CallersTools::new(
            state.tools.clone(),
            identity.token.clone(),
        )),
        cancellation: cancellation.clone(),
    };
    let (sender, receiver) = mpsc::channel(FRAMES_IN_FLIGHT);
    let span = tracing::info_span!("run", run_id, assistant = "site");
    let carried = carry(state.clone(), turn, lease, sender, cancellation).instrument(span);
    tokio::spawn(carried);
    Ok(response(&run_id, receiver))
}

/// What a run occupies until it ends.
struct Lease {
    key: Arc<str>,
    hold: Hold,
    _permit: OwnedSemaphorePermit,
}

/// Carries the events of a run to the client, until the run has ended or the client has gone.
async fn carry(
    state: State,
    turn: TurnInput,
    lease: Lease,
    client: mpsc::Sender<Bytes>,
    cancellation: CancellationToken,
) {
    let mut stream = Frames {
        client,
        encoder: Encoder::new(Dialect::UiMessages, 1, ""),
    };
    let mut events = pin!(state.assistant.run(turn));
    let mut timeout = pin!(tokio::time::sleep(state.runs.timeout()));
    let period = state.runs.keep_alive();
    let mut quiet = pin!(tokio::time::sleep(period));
    let (mut ended, mut out_of_time) = (false, false);
    while !ended {
        tokio::select! {
            biased;
            event = events.next() => {
                let event = match event.unwrap_or_else(ended_early) {
                    // A run that was stopped closes what was open and ends as if all were well; its client is told better.
                    RunEvent::Finished { .. } if out_of_time => took_too_long(),
                    event => event,
                };
                ended = matches!(event, RunEvent::Finished { .. } | RunEvent::Failed { .. });
                stream.send(&event);
                quiet.as_mut().reset(Instant::now() + period);
            }
            () = stream.client.closed() => {
                tracing::info!("the client went away; the run is cancelled");
                lease.hold.ending();
                cancellation.cancel();
                break;
            }
            () = &mut timeout, if !out_of_time => {
                out_of_time = true;
                lease.hold.ending();
                cancellation.cancel();
            }
            () = &mut quiet => {
                stream.push(keep_alive());
                quiet.as_mut().reset(Instant::now() + period);
            }
        }
    }
    // A cancelled run writes its last checkpoint before the thread is given back.
    while events.next().await.is_some() {}
    forget_old_checkpoints(&state, &lease.key).await;
    // The thread takes the next message before the client can know that this one is answered.
    drop(lease);
}

/// A thread keeps its last checkpoints only. Failing to remove older ones harms nobody; the next turn tries again.
async fn forget_old_checkpoints(state: &State, key: &str) {
    if let Some(checkpointer) = &state.checkpointer
        && let Err(error) = checkpointer.prune(key, state.checkpoints_kept).await
    {
        tracing::warn!(error = %chain(&error), "old checkpoints could not be removed");
    }
}

fn took_too_long() -> RunEvent {
    RunEvent::Failed {
        code: "timeout".to_owned(),
        text: "The answer took too long and was stopped. Please try again.".to_owned(),
        retryable: true,
    }
}

/// A run ends with an event that says so; one that does not has a bug, and its client is told.
fn ended_early() -> RunEvent {
    tracing::error!("a run ended without saying so");
    RunEvent::Failed {
        code: "internal".to_owned(),
        text: "Something went wrong on our side. Please try again.".to_owned(),
        retryable: true,
    }
}

/// The frames on their way to the client.
struct Frames {
    client: mpsc::Sender<Bytes>,
    encoder: Encoder,
}

impl Frames {
    fn send(&mut self, event: &RunEvent) {
        let mut frames = Vec::new();
        self.encoder.encode(event, &mut frames);
        for frame in frames {
            self.push(frame.bytes);
        }
    }

    fn push(&mut self, frame: Bytes) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.client.try_send(frame) {
            tracing::warn!("the client reads too slowly and is cut off");
            // A channel that nobody reads any more: what is in it still goes out, then the stream ends.
            (self.client, _) = mpsc::channel(1);
        }
    }
}

/// Frames that are ready at the same time go out together: no frame waits for another, and each tier on the way has less to do.
fn joined(mut frames: Vec<Bytes>) -> Bytes {
    if frames.len() == 1 {
        return frames.swap_remove(0);
    }
    frames.concat().into()
}

fn response(run_id: &str, frames: mpsc::Receiver<Bytes>) -> Response {
    let written = ReceiverStream::new(frames)
        .ready_chunks(FRAMES_AT_ONCE)
        .map(|frames| Ok::<_, Infallible>(joined(frames)));
    let body = Body::from_stream(written);
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    headers.insert(UI_MESSAGE_STREAM_HEADER, HeaderValue::from_static("v1"));
    if let Ok(run_id) = HeaderValue::from_str(run_id) {
        headers.insert("x-run-id", run_id);
    }
    response
}
