//! The identity that a run continues with when its process died.
//!
//! The issuer of identities may be away for a while, often for the same reason for which the
//! process died. So it is asked again, with growing pauses, and after them by the process that
//! takes the run over as its next attempt. Only a refusal, or the last attempt, ends the run.

use std::sync::Arc;
use std::time::Duration;

use conversations::Run;
use service_kit::problem::chain;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep};

use super::Taken;
use crate::runs::queue::absent;
use crate::state::State;

/// The pauses between two requests of one attempt.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];

/// The identity and permit that the run continues with. While it waits for an identity it takes no
/// room of other runs.
pub(super) async fn of(
    state: &State,
    run: &Run,
    permit: OwnedSemaphorePermit,
    leased_at: Instant,
) -> Taken {
    let caller = Arc::new(absent(state, &run.owner));
    let mut permit = Some(permit);
    let mut pauses = PAUSES.iter();
    loop {
        let Err(error) = caller.token().await else {
            break;
        };
        if !error.may_pass() {
            tracing::warn!(run_id = %run.id, error = %chain(&error), "no identity is issued for a run");
            return Taken::Over("there is no identity to go on with");
        }
        drop(permit.take());
        let Some(pause) = pauses.next() else {
            return give_back(state, run).await;
        };
        tracing::warn!(run_id = %run.id, error = %chain(&error), "there is no identity for a run at the moment; asking again");
        tokio::select! {
            // What is left is released with all other leases of this worker.
            () = state.stopping.cancelled() => return Taken::LeftToOthers,
            () = sleep(*pause) => {}
        }
        let now = state.store.run(&run.owner, run.id).await;
        if now.is_ok_and(|now| now.cancel_requested) {
            return Taken::Over("a stop was requested");
        }
    }
    match permit {
        Some(permit) => Taken::Ready {
            caller,
            permit,
            leased_at,
        },
        None => match again(state, run).await {
            Some((permit, leased_at)) => Taken::Ready {
                caller,
                permit,
                leased_at,
            },
            None => Taken::LeftToOthers,
        },
    }
}

/// Room for the run, and its lease, which is older than it looks; `None` when the lease is lost.
async fn again(state: &State, run: &Run) -> Option<(OwnedSemaphorePermit, Instant)> {
    let permit = Arc::clone(&state.permits).acquire_owned().await.ok()?;
    let leased_at = Instant::now();
    let renewed = state.store.renew(state.runs.worker()).await.ok()?;
    let ours = renewed
        .iter()
        .any(|ours| ours.run_id == run.id && ours.attempt == run.attempt);
    ours.then_some((permit, leased_at))
}

/// Leaves the run to its next attempt, if it has one.
async fn give_back(state: &State, run: &Run) -> Taken {
    let attempts = u32::try_from(run.attempt).unwrap_or(u32::MAX);
    let Some(fence) = run.fence() else {
        return Taken::LeftToOthers;
    };
    if attempts >= state.config.runs.max_attempts {
        return Taken::Over("no identity to go on with was given in any attempt");
    }
    if let Err(error) = state.store.release_run(fence).await {
        tracing::warn!(run_id = %run.id, error = %chain(&error), "a run cannot be given back; its lease runs out by itself");
    }
    Taken::LeftToOthers
}
