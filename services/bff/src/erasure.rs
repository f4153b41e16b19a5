//! The end of an account, with everything that is kept of its person.
//!
//! Each service owns its schema, so each erases its own: the account goes first, with its sessions
//! and refresh tokens, so that nothing new comes; then the orchestrator is asked, which stops what
//! still runs; then the tools service. What is left to do is kept in `bff.erasures` until it is
//! done: a service that is away, or a bff that stops in the middle, only puts it off.
//!
//! A request that was on its way while the account went may still have left something. The tokens
//! of such requests are good for [`TOKEN_LIFETIME_SECONDS`], so every service is asked a last time
//! when they are over; then nothing of the person is kept here either.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use contracts::person::{Erasure, ErasureStatus};
use service_kit::identity::TOKEN_LIFETIME_SECONDS;
use service_kit::problem::chain;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::audit;
use crate::proxy::Tier;
use crate::state::State;

/// Interval between looks for erasures that are not done.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Time that an erasure is left to the process that took it.
const TAKEN: TimeDelta = TimeDelta::seconds(90);

/// The first and the longest wait between two attempts.
const RETRY_AFTER: TimeDelta = TimeDelta::seconds(5);
const LONGEST_RETRY: TimeDelta = TimeDelta::minutes(5);

/// When no token of the person is valid any more, however far the clocks of the services are off.
const SETTLED: TimeDelta = TimeDelta::seconds(TOKEN_LIFETIME_SECONDS + 60);

/// An erasure that someone works on.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    erasure_id: Uuid,
    subject: Uuid,
    tenant: String,
    requested_at: DateTime<Utc>,
    orchestrator_done: bool,
    tools_done: bool,
    attempts: i32,
}

/// The account of this name, and its tenant; also one that is disabled.
pub(crate) async fn find(
    pool: &PgPool,
    username: &str,
) -> Result<Option<(Uuid, String)>, sqlx::Error> {
    let found = sqlx::query!(
        "SELECT account_id, tenant FROM bff.accounts WHERE lower(username) = lower($1)",
        username,
    )
    .fetch_optional(pool)
    .await?;
    Ok(found.map(|row| (row.account_id, row.tenant)))
}

/// Whether the process that begins an erasure continues with it, or the next one that looks for
/// erasures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GoesOn {
    Here,
    Elsewhere,
}

/// Takes an account away, and notes what is to be erased of its person. `None` when there is no
/// such account.
pub(crate) async fn begin(
    pool: &PgPool,
    (erasure_id, now): (Uuid, DateTime<Utc>),
    account_id: Uuid,
    goes_on: GoesOn,
) -> Result<Option<Pending>, sqlx::Error> {
    let next_try_at = match goes_on {
        GoesOn::Here => now + TAKEN,
        GoesOn::Elsewhere => now,
    };
    let mut transaction = pool.begin().await?;
    audit::forget(&mut transaction, account_id).await?;
    let pending = sqlx::query_as!(
        Pending,
        "WITH gone AS (DELETE FROM bff.accounts WHERE account_id = $2 RETURNING account_id, tenant)
         INSERT INTO bff.erasures (erasure_id, subject, tenant, requested_at, next_try_at)
         SELECT $1, account_id, tenant, $3, $4 FROM gone
         RETURNING erasure_id, subject, tenant, requested_at, orchestrator_done, tools_done, attempts",
        erasure_id,
        account_id,
        now,
        next_try_at,
    )
    .fetch_optional(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(pending)
}

/// Takes the next erasure that is due.
async fn take(pool: &PgPool, now: DateTime<Utc>) -> Result<Option<Pending>, sqlx::Error> {
    sqlx::query_as!(
        Pending,
        "UPDATE bff.erasures SET next_try_at = $2
         WHERE erasure_id = (
             SELECT erasure_id FROM bff.erasures WHERE next_try_at <= $1 ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING erasure_id, subject, tenant, requested_at, orchestrator_done, tools_done, attempts",
        now,
        now + TAKEN,
    )
    .fetch_optional(pool)
    .await
}

/// Asks every service that has not erased its own yet, in order: what runs may still write to the
/// tools. Tells how far it is.
pub(crate) async fn advance(state: &State, mut pending: Pending) -> Result<Erasure, sqlx::Error> {
    if !pending.orchestrator_done {
        pending.orchestrator_done = asked(state, Tier::Orchestrator, &pending).await;
    }
    if pending.orchestrator_done && !pending.tools_done {
        pending.tools_done = asked(state, Tier::Tools, &pending).await;
    }
    let waiting_for: Vec<String> = [
        ("orchestrator", pending.orchestrator_done),
        ("tools", pending.tools_done),
    ]
    .into_iter()
    .filter(|(_, done)| !done)
    .map(|(name, _)| name.to_owned())
    .collect();
    note(state, &pending).await?;
    let status = if waiting_for.is_empty() {
        ErasureStatus::Erased
    } else {
        ErasureStatus::Pending
    };
    Ok(Erasure {
        status,
        waiting_for,
    })
}

async fn asked(state: &State, tier: Tier, pending: &Pending) -> bool {
    let erased = state
        .upstreams
        .erase(&state.token_issuer, tier, pending.subject, &pending.tenant);
    match erased.await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(
                service = ?tier,
                erasure = %pending.erasure_id,
                error = %chain(&error),
                "a service has not erased what it keeps of a person; it will be asked again"
            );
            false
        }
    }
}

/// Notes how far it is: done, put off until the last look, or until the next attempt.
async fn note(state: &State, pending: &Pending) -> Result<(), sqlx::Error> {
    let now = state.clock.now();
    let settled_at = pending.requested_at + SETTLED;
    let is_done = pending.orchestrator_done && pending.tools_done;
    if is_done && now >= settled_at {
        let mut transaction = state.pool.begin().await?;
        audit::forget(&mut transaction, pending.subject).await?;
        sqlx::query!(
            "DELETE FROM bff.erasures WHERE erasure_id = $1",
            pending.erasure_id
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        tracing::info!(erasure = %pending.erasure_id, "a person was erased in every service");
        return Ok(());
    }
    let wait = RETRY_AFTER * 2_i32.saturating_pow(pending.attempts.clamp(0, 10).unsigned_abs());
    // For the last look everything is asked again.
    let (orchestrator, tools, next, attempts) = if is_done {
        (false, false, settled_at, 0)
    } else {
        (
            pending.orchestrator_done,
            pending.tools_done,
            now + wait.min(LONGEST_RETRY),
            pending.attempts.saturating_add(1),
        )
    };
    sqlx::query!(
        "UPDATE bff.erasures SET orchestrator_done = $2, tools_done = $3, next_try_at = $4, attempts = $5 WHERE erasure_id = $1",
        pending.erasure_id,
        orchestrator,
        tools,
        next,
        attempts,
    )
    .execute(&state.pool)
    .await?;
    Ok(())
}

/// Work in the background: the erasures that are not done, and the end of old audit entries.
pub struct Erasures {
    state: State,
}

impl Erasures {
    pub(crate) fn new(state: State) -> Self {
        Self { state }
    }

    /// Works on them until `shutdown`, on these tasks.
    pub fn start(self, shutdown: CancellationToken, tasks: &TaskTracker) {
        tasks.spawn(audit::keep_only_recent(
            self.state.clone(),
            shutdown.clone(),
        ));
        tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = shutdown.cancelled() => return,
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
                if let Err(error) = self.work().await {
                    tracing::warn!(error = %chain(&error), "cannot look for erasures");
                }
            }
        });
    }

    /// Deletes entries of the audit log that are older than they are kept.
    pub async fn delete_old_entries(&self) -> Result<(), sqlx::Error> {
        audit::delete_old(&self.state).await
    }

    /// Goes on with every erasure that is due.
    pub async fn work(&self) -> Result<(), sqlx::Error> {
        while let Some(pending) = take(&self.state.pool, self.state.clock.now()).await? {
            advance(&self.state, pending).await?;
        }
        Ok(())
    }
}
