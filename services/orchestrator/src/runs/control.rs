//! Stopping runs, from any replica.

use std::time::Duration;

use conversations::{Cancellation, Error, Owner, Run};
use tokio::time::{Instant, sleep, timeout_at};
use uuid::Uuid;

use crate::state::State;

/// Time that a request to stop a run waits for its end, so that the next message finds the thread
/// free.
const PATIENCE: Duration = Duration::from_secs(4);

/// Number of times that the run is looked at in the meantime, should the news of its end get lost.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Asks a run to stop, waits a while for its end, and returns it as it is then. Stopping what is
/// over changes nothing.
pub(crate) async fn cancel(state: &State, owner: &Owner, run_id: Uuid) -> Result<Run, Error> {
    let mut subscription = state.runs.news.listen(run_id);
    match state.store.request_cancel(owner, run_id).await? {
        Cancellation::Requested => state.runs.cancel(run_id),
        Cancellation::Ended => {
            state.runs.take_waiting(run_id);
        }
        Cancellation::Already(_) => {}
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        let run = state.store.run(owner, run_id).await?;
        if run.status.is_ended() || Instant::now() >= deadline {
            return Ok(run);
        }
        let news = async {
            tokio::select! {
                () = subscription.heard() => {}
                () = sleep(LOOK_EVERY) => {}
            }
        };
        if timeout_at(deadline, news).await.is_err() {
            return state.store.run(owner, run_id).await;
        }
    }
}
