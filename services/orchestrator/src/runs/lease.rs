//! Keeps the leases of this process's runs, and gives a run up before another process may take it.

use std::collections::HashSet;
use std::time::Duration;

use conversations::{Fence, Renewed, Worker};
use service_kit::problem::chain;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::Runs;
use crate::state::State;

/// Part of a lease by which it counts as lost here earlier than in the database, because the clocks
/// may differ.
const MARGIN: u32 = 5;

/// Leases are looked at this often within their length.
const LOOKS: u32 = 20;

/// Renews by one statement for all runs, until it is stopped.
pub(crate) async fn keep(state: State, stop: CancellationToken) {
    let mut renew = interval(state.config.runs.renew_every());
    renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut look = interval(state.config.runs.lease() / LOOKS);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut strangers = HashSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = renew.tick() => renew_all(&state, &mut strangers).await,
            _ = look.tick() => {
                if state.runs.give_up_expired(Instant::now()) {
                    // The leases under the old id run out, and any worker may take the runs over.
                    state.runs.rename(state.ids.new_id());
                    strangers.clear();
                }
            }
        }
    }
}

async fn renew_all(state: &State, strangers: &mut HashSet<Fence>) {
    if state.runs.is_idle() && strangers.is_empty() {
        // A run that is not registered here, because the answer of the database was lost, is found
        // when its lease runs out.
        return;
    }
    let worker = state.runs.worker();
    let sent = Instant::now();
    let patience = state.config.runs.renew_every() / 2;
    match timeout(patience, state.store.renew(worker)).await {
        Ok(Ok(renewed)) => {
            let unknown = state.runs.renewed(sent, &renewed, worker);
            // A run that was just accepted may not be registered yet; one that is missing the
            // second time never will be.
            for fence in unknown.intersection(strangers) {
                give_up(state, *fence).await;
            }
            *strangers = unknown;
        }
        Ok(Err(error)) => {
            tracing::warn!(error = %chain(&error), "leases could not be renewed");
        }
        Err(_) => tracing::warn!("leases could not be renewed in time"),
    }
}

/// Gives up a run that the database assigns to this worker and that is not registered here: its
/// acceptance was stored, but the answer of the database was lost. A worker that finds it, this one
/// perhaps, answers it.
async fn give_up(state: &State, fence: Fence) {
    let run_id = fence.run_id;
    match state.store.release_run(fence).await {
        Ok(_) => tracing::warn!(%run_id, "an orphaned run is given up, to be taken over"),
        Err(error) => {
            tracing::warn!(%run_id, error = %chain(&error), "an orphaned run cannot be given up");
        }
    }
}

/// Time that a lease is good for, counted from before it was taken.
pub(super) fn safe(lease: Duration) -> Duration {
    lease.saturating_sub(lease / MARGIN)
}

impl Runs {
    /// Takes note of a renewal that was sent at this moment, and returns what was renewed that is
    /// not here.
    fn renewed(&self, sent: Instant, renewed: &[Renewed], worker: Worker) -> HashSet<Fence> {
        let mut unknown: HashSet<Fence> = renewed
            .iter()
            .map(|renewed| Fence {
                run_id: renewed.run_id,
                worker: worker.id,
                attempt: renewed.attempt,
            })
            .collect();
        {
            let taken = self.taken();
            unknown.retain(|fence| !taken.contains(&fence.run_id));
        }
        for (run_id, run) in self.active().iter_mut() {
            let ours = renewed
                .iter()
                .find(|renewed| renewed.run_id == *run_id && renewed.attempt == run.attempt);
            match ours {
                Some(ours) => {
                    run.leased_until = sent + safe(worker.lease);
                    if ours.cancel_requested {
                        run.cancel.cancel();
                    }
                    unknown.remove(&Fence {
                        run_id: *run_id,
                        worker: worker.id,
                        attempt: run.attempt,
                    });
                }
                // One that came after the renewal was sent is not expected among them.
                None if run.since < sent => run.lost.cancel(),
                None => {}
            }
        }
        unknown
    }

    /// Ends the runs whose lease cannot be counted on any more; says whether there were any.
    fn give_up_expired(&self, now: Instant) -> bool {
        let mut any = false;
        for run in self.active().values() {
            if run.leased_until <= now && !run.lost.is_cancelled() {
                tracing::warn!("a lease could not be renewed in time");
                run.lost.cancel();
                any = true;
            }
        }
        any
    }
}

#[cfg(test)]
mod tests;
