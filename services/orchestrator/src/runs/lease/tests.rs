use uuid::Uuid;

use super::*;
use crate::runs::{Active, log};

const LEASE: Duration = Duration::from_secs(15);

fn worker() -> Worker {
    Worker {
        id: Uuid::from_u128(9),
        lease: LEASE,
    }
}

fn runs_with(id: u128, leased_at: Instant) -> Runs {
    let runs = Runs::new(worker());
    let active = Active {
        attempt: 1,
        log: log::new().1,
        cancel: CancellationToken::new(),
        lost: CancellationToken::new(),
        leased_until: leased_at + safe(LEASE),
        since: leased_at,
    };
    runs.add(Uuid::from_u128(id), active);
    runs
}

fn renewed(id: u128, cancel_requested: bool) -> Renewed {
    Renewed {
        run_id: Uuid::from_u128(id),
        attempt: 1,
        cancel_requested,
    }
}

fn is_lost(runs: &Runs, id: u128) -> bool {
    runs.active()[&Uuid::from_u128(id)].lost.is_cancelled()
}

#[tokio::test(start_paused = true)]
async fn a_run_is_given_up_before_its_lease_is_over_and_not_while_it_is_renewed() {
    let start = Instant::now();
    let runs = runs_with(1, start);
    assert!(!runs.give_up_expired(start + LEASE / 2));
    runs.renewed(start + LEASE / 3, &[renewed(1, false)], worker());
    assert!(!runs.give_up_expired(start + safe(LEASE)));
    assert!(runs.give_up_expired(start + LEASE / 3 + safe(LEASE)));
    assert!(is_lost(&runs, 1));
    assert!(
        start + LEASE / 3 + safe(LEASE) < start + LEASE / 3 + LEASE,
        "before the database thinks so"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_not_renewed_any_more_is_lost_unless_it_just_came() {
    let start = Instant::now();
    let runs = runs_with(1, start);
    runs.renewed(start, &[], worker());
    assert!(!is_lost(&runs, 1), "it came during this renewal");
    runs.renewed(start + Duration::from_secs(1), &[], worker());
    assert!(is_lost(&runs, 1));
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_of_a_run_elsewhere_is_heard_with_its_renewal() {
    let start = Instant::now();
    let runs = runs_with(1, start);
    let unknown = runs.renewed(
        start + LEASE / 3,
        &[renewed(1, true), renewed(2, false)],
        worker(),
    );
    assert!(runs.active()[&Uuid::from_u128(1)].cancel.is_cancelled());
    let unknown: Vec<Uuid> = unknown.iter().map(|fence| fence.run_id).collect();
    assert_eq!(unknown, [Uuid::from_u128(2)], "ours by name, and not here");
}
