//! Runs that wait for their thread.

use std::sync::Arc;

use service_kit::problem::chain;
use tokio::time::Instant;
use uuid::Uuid;

use super::{Job, RunInput, launch};
use crate::credentials::Caller;
use crate::state::State;

/// Starts the first run that waits for a thread, if one that was accepted here does. To be called
/// whenever a run of the thread ended.
pub(crate) async fn start_next(state: &State, thread_id: Uuid) {
    if state.runs.awaits(thread_id) {
        start_first(state, thread_id).await;
    }
}

/// Starts the first run that waits for a thread, wherever it was accepted.
pub(crate) async fn start_first(state: &State, thread_id: Uuid) {
    let permit = Arc::clone(&state.permits).acquire_owned().await;
    let Ok(permit) = permit else { return };
    if state.stopping.is_cancelled() {
        return;
    }
    let leased_at = Instant::now();
    match state
        .store
        .start_queued(state.runs.worker(), thread_id)
        .await
    {
        Ok(Some(run)) => {
            let waiting = state.runs.take_waiting(run.id);
            let (input, caller, request, parent) = if let Some(waiting) = waiting {
                let parent = Some(waiting.parent);
                (Some(waiting.input), waiting.caller, waiting.request, parent)
            } else {
                let caller = Arc::new(absent(state, &run.owner));
                (RunInput::of(&run), caller, None, None)
            };
            launch(
                state,
                Job {
                    run,
                    input,
                    caller,
                    permit,
                    leased_at,
                    request,
                    parent,
                },
            );
        }
        Ok(None) => {}
        // The look for runs that were left behind finds it.
        Err(error) => {
            tracing::warn!(error = %chain(&error), "a run that waits could not be started");
        }
    }
}

/// The caller of a run whose request is not here.
pub(super) fn absent(state: &State, owner: &conversations::Owner) -> Caller {
    Caller::absent(
        owner.clone(),
        Arc::clone(&state.identities),
        state.clock.clone(),
    )
}
