//! Background work of the service: keeping leases, listening, recovering, cleaning up. And its end.

use std::sync::Arc;
use std::time::Duration;

use conversations::{Attached, Listener, NoticeKind, Signal};
use service_kit::identity::Verifier;
use service_kit::problem::chain;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::context::without_credentials;
use crate::retention;
use crate::runs::{lease, queue, recovery};
use crate::schedules;
use crate::secrets::without_secrets;
use crate::state::State;
use crate::threads;

/// Threads, and logs of runs, that are deleted at once; between two such bites others get their
/// turn.
const BITE: u32 = 200;

/// Time limit for the release of runs that are left to others. A run whose end cannot be stored
/// while the database is unavailable never finishes.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The service's work in the background.
pub struct Work {
    state: State,
    verifier: Arc<Verifier>,
}

impl Work {
    pub(crate) fn new(state: State, verifier: Arc<Verifier>) -> Self {
        Self { state, verifier }
    }

    /// Begins it, on these tasks. When `shutdown` comes, runs have the service's drain time to end;
    /// what is left is handed to the worker that takes it over.
    pub fn start(self, shutdown: CancellationToken, tasks: &TaskTracker) {
        let state = self.state;
        let idle = CancellationToken::new();
        tasks.spawn(self.verifier.keep_keys(shutdown.clone()));
        tasks.spawn(lease::keep(state.clone(), idle.clone()));
        tasks.spawn(recovery::watch(state.clone(), shutdown.clone()));
        tasks.spawn(schedules::run(state.clone(), shutdown.clone()));
        tasks.spawn(listen(state.clone(), idle.clone()));
        tasks.spawn(clean(state.clone(), shutdown.clone()));
        tasks.spawn(async move {
            shutdown.cancelled().await;
            stop(&state).await;
            idle.cancel();
        });
    }
}

/// Ends this process's share in runs.
async fn stop(state: &State) {
    state.stopping.cancel();
    state.tasks.close();
    // A message that was accepted a moment ago may not have its run yet, so it is tasks that are
    // waited for.
    let drain = state.config.http.drain_timeout();
    if timeout(drain, state.tasks.wait()).await.is_err() {
        let runs = state.runs.count();
        tracing::warn!(runs, "runs are left to other processes");
        state.runs.abandon_all();
        if timeout(LAST_WORDS, state.tasks.wait()).await.is_err() {
            tracing::warn!("what could not be stored in time is cut off");
        }
    }
    if let Err(error) = state.store.release(state.runs.worker().id).await {
        tracing::warn!(error = %chain(&error), "leases could not be given back; they run out by themselves");
    }
}

/// Passes on the news of runs, whichever process made it.
async fn listen(state: State, stop: CancellationToken) {
    let mut listener = Listener::new(state.store.pool().clone());
    loop {
        let signal = tokio::select! {
            () = stop.cancelled() => return,
            signal = listener.next() => signal,
        };
        match signal {
            Signal::Listening => {
                state.runs.news.tell_all();
                for thread_id in state.runs.awaited() {
                    start_next(&state, thread_id);
                }
            }
            Signal::Notice(notice) => {
                match notice.kind {
                    NoticeKind::Events => {}
                    NoticeKind::Cancel => state.runs.cancel(notice.run_id),
                    NoticeKind::Released => state.runs.left_behind.notify_one(),
                    NoticeKind::Ended => {
                        // One that was stopped while it waited.
                        state.runs.take_waiting(notice.run_id);
                        start_next(&state, notice.thread_id);
                    }
                }
                state.runs.news.tell(notice.run_id);
            }
        }
    }
}

fn start_next(state: &State, thread_id: uuid::Uuid) {
    if state.runs.awaits(thread_id) {
        let next = state.clone();
        state
            .tasks
            .spawn(async move { queue::start_next(&next, thread_id).await });
    }
}

/// Cleans up at the start and on the interval. A failure is logged; the next round tries again.
async fn clean(state: State, stop: CancellationToken) {
    let mut round = interval(state.config.conversation.cleanup_interval());
    round.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut scrubbed = false;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = round.tick() => {}
        }
        if !scrubbed {
            scrubbed = scrub(&state, &stop).await;
        }
        if let Err(error) = clean_up(&state, &stop).await {
            tracing::error!(error = %chain(&error), "the clean-up failed");
        }
    }
}

/// Takes what looks like a credential out of what was attached to threads before such things were
/// dropped. Says whether it came to its end.
async fn scrub(state: &State, stop: &CancellationToken) -> bool {
    let mut after = uuid::Uuid::nil();
    while !stop.is_cancelled() {
        let threads = match state.store.attached(after, BITE).await {
            Ok(threads) => threads,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "what is attached to threads cannot be read");
                return false;
            }
        };
        for was in &threads {
            after = was.id;
            let now = Attached {
                id: was.id,
                context: without_credentials(was.context.clone()),
                metadata: without_secrets(was.metadata.clone()),
            };
            if now == *was {
                continue;
            }
            if let Err(error) = state.store.reattach(was, &now).await {
                tracing::warn!(error = %chain(&error), "a credential cannot be taken out of a thread");
                return false;
            }
            tracing::info!(thread_id = %was.id, "what looks like a credential was taken out of a thread");
        }
        if threads.len() < BITE as usize {
            return true;
        }
    }
    false
}

/// Deletes what is too old, of each tenant by its own ages, in bites.
async fn clean_up(state: &State, stop: &CancellationToken) -> Result<(), conversations::Error> {
    // The checkpoints of a tenant that keeps its threads longer, or forever, stay.
    let mut longest = age_of_all(state);
    for tenant in state.store.tenants().await? {
        // Read for each: an administrator may have set it since the clean-up began.
        let own = state.store.own_retention(&tenant).await?;
        let ages = retention::ages(&state.config, &tenant, own);
        longest = match (longest, ages.threads) {
            (Some(longest), Some(age)) => Some(longest.max(age)),
            _ => None,
        };
        let mut deleted = 0;
        while let (Some(age), false) = (ages.threads, stop.is_cancelled()) {
            let threads = state.store.delete_old(&tenant, age, BITE).await?;
            for thread_id in &threads {
                threads::forget(state, *thread_id).await;
            }
            deleted += threads.len();
            if threads.len() < BITE as usize {
                break;
            }
        }
        if deleted > 0 {
            tracing::info!(threads = deleted, tenant, "old conversations were deleted");
        }
        let prune = async || state.store.prune_events(&tenant, ages.runs, BITE).await;
        while !stop.is_cancelled() && prune().await? > 0 {}
    }
    if let Some(age) = longest {
        forget_idle(state, age).await;
    }
    Ok(())
}

/// The longest age that the configuration has, also for tenants without threads; `None` if one of
/// them keeps its threads forever.
fn age_of_all(state: &State) -> Option<Duration> {
    let conversation = &state.config.conversation;
    let named = conversation.max_age_hours_of.values();
    let mut hours = named.chain([&conversation.max_age_hours]).copied();
    let longest = hours.clone().max().unwrap_or_default();
    let forever = hours.any(|hours| hours == 0);
    (!forever).then(|| Duration::from_hours(longest.into()))
}

/// Deletes checkpoints of deleted threads, should any have been left behind.
async fn forget_idle(state: &State, age: Duration) {
    let Some(before) = std::time::SystemTime::from(state.clock.now()).checked_sub(age) else {
        return;
    };
    if let Err(error) = state.checkpointer.delete_idle(before).await {
        tracing::warn!(error = %chain(&error), "old checkpoints cannot be removed");
    }
}
