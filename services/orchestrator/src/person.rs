//! The data that the orchestrator keeps of a person, and their erasure.
//!
//! Everything hangs on threads: messages, runs and their events, plans, attempts and queries go
//! with them, and checkpoints are kept under their ids. A table that names a person otherwise
//! belongs in [`erase`]; a test finds one that is missing.

use conversations::Owner;
use service_kit::problem::ApiError;

use crate::error::refusal;
use crate::runs::control;
use crate::state::State;
use crate::threads;

/// Threads looked at together.
const BATCH: u32 = 50;

/// Number of times that a run that answers is asked to stop before the erasure is refused: more may
/// wait behind it.
const STOPS: u32 = 5;

/// Erases every thread of a person, one by one, after stopping what answers in it. What was erased
/// stays erased when a later one fails, and erasing again continues from there.
pub(crate) async fn erase(state: &State, owner: &Owner) -> Result<(), ApiError> {
    // First: a schedule would make threads.
    let forgotten = state.store.forget_schedules(owner).await;
    forgotten.map_err(|error| refusal(error, "person"))?;
    loop {
        let threads = state.store.threads_of(owner, BATCH).await;
        let threads = threads.map_err(|error| refusal(error, "person"))?;
        if threads.is_empty() {
            let forgotten = state.store.forget_model_usage(owner).await;
            return forgotten.map_err(|error| refusal(error, "person"));
        }
        for (id, name) in threads {
            stop_runs(state, owner, id).await?;
            // Before the thread: without its row, the owner of the checkpoints would be unknown.
            let forgotten = state.checkpointer.delete_thread(&id.to_string()).await;
            forgotten.map_err(|error| {
                ApiError::unavailable(
                    "What assistants remember cannot be erased at the moment.",
                    error,
                )
            })?;
            threads::delete(state, owner, &name).await?;
        }
    }
}

/// Stops what answers in a thread and what waits in it. A run has its thread alone until it has
/// ended.
async fn stop_runs(state: &State, owner: &Owner, thread_id: uuid::Uuid) -> Result<(), ApiError> {
    for _ in 0..STOPS {
        let active = state.store.active_run(owner, thread_id).await;
        let Some(run) = active.map_err(|error| refusal(error, "run"))? else {
            return Ok(());
        };
        let stopped = control::cancel(state, owner, run.id).await;
        stopped.map_err(|error| refusal(error, "run"))?;
    }
    Err(ApiError::conflict(
        "A run of this person did not stop in time; ask again.",
    ))
}
