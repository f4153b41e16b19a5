//! Finds what is due, again and again, on every replica: each piece of work goes to one of them.

use std::sync::Arc;

use chrono::TimeDelta;
use conversations::Worker;
use conversations::schedules::{Due, Task};
use service_kit::problem::chain;
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::timing::Timing;
use super::{asking, sending, watching};
use crate::state::State;

/// Looks between two deletions of what is old.
const LOOKS_PER_PRUNING: u32 = 1_000;

/// Works until it is stopped. Work that was begun continues in the tasks of the service.
pub(crate) async fn run(state: State, stop: CancellationToken) {
    if !state.identities.can_issue() {
        tracing::info!("schedules are not available: no issuer of identities is configured");
        return;
    }
    let worker = Worker {
        id: state.ids.new_id(),
        lease: state.config.schedules.lease(),
    };
    let room = || Arc::new(Semaphore::new(state.config.schedules.at_once));
    let rooms = Rooms {
        checks: room(),
        questions: room(),
        messages: room(),
    };
    let mut look = interval(state.config.schedules.look_every());
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut looks = 0_u32;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = look.tick() => {}
            () = state.wake_schedules.notified() => {}
        }
        if let Err(error) = round(&state, worker, &rooms).await {
            tracing::warn!(error = %chain(&error), "what is due cannot be looked for at the moment");
        }
        if looks.is_multiple_of(LOOKS_PER_PRUNING) {
            prune(&state).await;
        }
        looks = looks.wrapping_add(1);
    }
}

/// Room for each kind of work.
struct Rooms {
    checks: Arc<Semaphore>,
    questions: Arc<Semaphore>,
    messages: Arc<Semaphore>,
}

async fn round(state: &State, worker: Worker, rooms: &Rooms) -> Result<(), conversations::Error> {
    let now = state.clock.now();
    if !state.store.is_due(now).await? {
        return Ok(());
    }
    for due in state
        .store
        .due_schedules(worker, now, free(&rooms.checks))
        .await?
    {
        match &due.schedule.task {
            Task::Question { .. } => begin(state, &due).await?,
            Task::Alert { .. } => {
                let (state, again) = (state.clone(), state.clone());
                within(&again, &rooms.checks, async move {
                    watching::check(&state, &due).await;
                });
            }
        }
    }
    for occurrence in state
        .store
        .due_occurrences(worker, now, free(&rooms.questions))
        .await?
    {
        let (state, again) = (state.clone(), state.clone());
        within(&again, &rooms.questions, async move {
            asking::ask(&state, &occurrence).await;
        });
    }
    for message in state
        .store
        .pending_messages(worker, now, free(&rooms.messages))
        .await?
    {
        let (state, again) = (state.clone(), state.clone());
        within(&again, &rooms.messages, async move {
            sending::send(&state, &message).await;
        });
    }
    Ok(())
}

fn free(room: &Semaphore) -> u32 {
    u32::try_from(room.available_permits()).unwrap_or(u32::MAX)
}

/// Does a piece of work in its room, among the tasks of the service.
fn within(state: &State, room: &Arc<Semaphore>, work: impl Future<Output = ()> + Send + 'static) {
    let room = Arc::clone(room);
    state.tasks.spawn(async move {
        let Ok(_permit) = room.acquire().await else {
            return;
        };
        work.await;
    });
}

/// Notes that a question is due, and when it is next. Times that passed while nothing ran are one:
/// the last of them is asked, and its message says so.
async fn begin(state: &State, due: &Due) -> Result<(), conversations::Error> {
    let Some(timing) = due
        .schedule
        .timing
        .as_ref()
        .and_then(|timing| Timing::of(timing).ok())
    else {
        let owner = &due.schedule.owner;
        let reason = "Its time cannot be read any more.";
        return state
            .store
            .stop_schedule(owner, due.schedule.id, reason)
            .await;
    };
    let now = state.clock.now();
    let (at, missed) = timing.last_until(due.due_at, now);
    let next = timing.next_after(now);
    let begun = state
        .store
        .begin_occurrence(due, (at, missed), next)
        .await?;
    if begun && missed > 0 {
        tracing::warn!(schedule_id = %due.schedule.id, missed, "times of a schedule were missed");
    }
    Ok(())
}

async fn prune(state: &State) {
    let age = TimeDelta::days(i64::from(state.config.schedules.keep_days));
    let pruned = state.store.prune_schedules(state.clock.now(), age).await;
    if let Err(error) = pruned {
        tracing::warn!(error = %chain(&error), "old messages of schedules cannot be deleted");
    }
}
