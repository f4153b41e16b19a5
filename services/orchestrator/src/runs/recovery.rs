//! Finds runs whose process died, and has them answered again or ends them properly.

mod identity;

use std::sync::Arc;

use contracts::run::{Open, RunEvent};
use conversations::record::MessageBuilder;
use conversations::{Error, Run, RunStatus};
use service_kit::problem::chain;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::event_writer::{CUT_SHORT, cancelled, failed, note_choice, warning};
use super::metrics;
use super::persist::batch;
use super::queue::start_first;
use super::{Job, RunInput, launch};
use crate::credentials::Caller;
use crate::state::State;

/// Runs that are taken over at once; the next look is soon.
const AT_ONCE: u32 = 32;

/// Looks for what was left behind, at once, when a process says that it leaves something, and again
/// and again, until it is stopped.
pub(crate) async fn watch(state: State, stop: CancellationToken) {
    let mut look = interval(state.config.runs.recovery_interval());
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = look.tick() => {}
            () = state.runs.left_behind.notified() => {}
        }
        if let Err(error) = recover(&state).await {
            tracing::warn!(error = %chain(&error), "runs that were left behind could not be looked for");
        }
    }
}

async fn recover(state: &State) -> Result<(), Error> {
    let patience = state.config.runs.recovery_interval();
    let left_behind = state.store.left_behind(patience).await?;
    if left_behind.expired {
        take_over(state).await?;
    }
    if left_behind.waiting {
        for thread_id in state.store.free_threads(patience, AT_ONCE).await? {
            let state = state.clone();
            state
                .tasks
                .clone()
                .spawn(async move { start_first(&state, thread_id).await });
        }
    }
    Ok(())
}

/// Takes over runs whose lease is over: first those of processes that stopped as planned, whose
/// clients wait for the next attempt since then.
async fn take_over(state: &State) -> Result<(), Error> {
    let worker = state.runs.worker();
    let room = || {
        let room = u32::try_from(state.permits.available_permits()).unwrap_or(u32::MAX);
        AT_ONCE.min(room)
    };
    let leased_at = Instant::now();
    let released = state.store.take_over_released(worker, room()).await?;
    take_up_all(state, released, leased_at, LeftBy::Stop).await;
    let leased_at = Instant::now();
    let expired = state.store.take_over_expired(worker, room()).await?;
    take_up_all(state, expired, leased_at, LeftBy::Death).await;
    Ok(())
}

/// How a process left its runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftBy {
    /// It stopped as planned and gave them up.
    Stop,
    /// It died, or lost its database.
    Death,
}

async fn take_up_all(state: &State, runs: Vec<Run>, leased_at: Instant, left_by: LeftBy) {
    state.runs.taken().extend(runs.iter().map(|run| run.id));
    for run in runs {
        // Those that came first may have taken all the room in the meantime; then this one waits
        // for one of them to end.
        let Ok(permit) = Arc::clone(&state.permits).acquire_owned().await else {
            return;
        };
        let (state, run_id) = (state.clone(), run.id);
        state.tasks.clone().spawn(async move {
            take_up(&state, run, permit, leased_at, left_by).await;
            state.runs.taken().remove(&run_id);
        });
    }
}

/// Continues a run that was taken over.
async fn take_up(
    state: &State,
    run: Run,
    permit: OwnedSemaphorePermit,
    leased_at: Instant,
    left_by: LeftBy,
) {
    let (input, taken) = match may_begin_again(state, &run) {
        Ok(input) => (
            Some(input),
            identity::of(state, &run, permit, leased_at).await,
        ),
        Err(reason) => (None, Taken::Over(reason)),
    };
    let (run_id, thread_id) = (run.id, run.thread_id);
    match taken {
        Taken::Ready {
            caller,
            permit,
            leased_at,
        } => {
            match left_by {
                LeftBy::Stop => {
                    tracing::info!(%run_id, attempt = run.attempt, "a run whose process was stopped begins again");
                    metrics::handed_over();
                }
                LeftBy::Death => {
                    tracing::info!(%run_id, attempt = run.attempt, "a run whose process died begins again");
                    metrics::taken_over(metrics::RESTARTED);
                }
            }
            launch(
                state,
                Job {
                    run,
                    input,
                    caller,
                    permit,
                    leased_at,
                    request: None,
                    parent: None,
                },
            );
        }
        Taken::LeftToOthers => {}
        Taken::Over(reason) => {
            tracing::warn!(%run_id, reason, "a run that its process left is ended");
            metrics::taken_over(metrics::ENDED);
            if let Err(error) = end(state, &run).await {
                tracing::warn!(%run_id, error = %chain(&error), "it could not be ended; it will be found again");
            }
            state.runs.news.tell(run_id);
            start_first(state, thread_id).await;
        }
    }
}

/// The result of a run that was taken over.
enum Taken {
    /// It begins again.
    Ready {
        caller: Arc<Caller>,
        permit: OwnedSemaphorePermit,
        leased_at: Instant,
    },
    /// Another process, or this one later, takes it over.
    LeftToOthers,
    /// It cannot continue, for this reason.
    Over(&'static str),
}

/// The input of the run, if it can begin again, or the reason why it cannot.
fn may_begin_again(state: &State, run: &Run) -> Result<RunInput, &'static str> {
    if run.cancel_requested {
        return Err("a stop was requested");
    }
    let attempts = u32::try_from(run.attempt).unwrap_or(u32::MAX);
    if attempts > state.config.runs.max_attempts {
        return Err("it was begun too often");
    }
    let assistant = state.assistants.get(&run.assistant);
    if !assistant.is_some_and(|assistant| assistant.is_repeatable()) {
        return Err("its assistant's steps are not safe to repeat");
    }
    RunInput::of(run).ok_or("what it was asked cannot be read")
}

/// Ends a run with what its last attempt had said, closed properly.
async fn end(state: &State, run: &Run) -> Result<(), Error> {
    let Some(fence) = run.fence() else {
        return Ok(());
    };
    let mut events = state.store.earlier_events(fence).await?;
    events.retain(|event| !event.is_terminal());
    if events.is_empty() {
        events.push(RunEvent::Started {
            thread_id: run.thread_name.clone(),
            run_id: run.id.simple().to_string(),
            message_id: run.message_id.clone(),
        });
    }
    let mut open = Open::default();
    for event in &events {
        open.note(event);
    }
    events.extend(open.closing(CUT_SHORT));
    if run.cancel_requested {
        events.push(warning("cancelled", "The answer was stopped."));
        events.push(cancelled(None));
    } else {
        events.push(warning(
            "interrupted",
            "The answer was interrupted. What there was of it is kept.",
        ));
        events.push(failed(
            "interrupted",
            "The answer was interrupted and could not be continued. Please ask again.",
        ));
    }
    let mut record = MessageBuilder::default();
    if let Some(asked) = RunInput::of(run) {
        note_choice(&mut record, &asked);
    }
    for event in &events {
        record.apply(event);
    }
    let mut finish = record.finish();
    if !run.cancel_requested {
        finish.status = RunStatus::Interrupted;
    }
    finish.events = batch(0, events.into_iter().map(Arc::new).collect());
    state.store.finish(fence, finish).await.map(drop)
}
