//! Leases: kept by the living, lost by the dead.

use std::time::Duration;

use contracts::run::Usage;
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use super::{Fence, Row, Run, RunStatus, Worker};
use crate::error::Error;
use crate::listener::{self, NoticeKind};
use crate::store::Store;

/// A run whose lease was renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renewed {
    /// The run.
    pub run_id: Uuid,
    /// The attempt that is the worker's.
    pub attempt: i32,
    /// A user asked to stop it.
    pub cancel_requested: bool,
}

/// What processes that died left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftBehind {
    /// Runs whose lease is over, for [`Store::take_over_expired`] and
    /// [`Store::take_over_released`].
    pub expired: bool,
    /// Runs that wait for a thread that none has, for [`Store::free_threads`].
    pub waiting: bool,
}

impl Store {
    /// Whether anything was left behind. One statement, so that looking costs little while nothing
    /// was.
    pub async fn left_behind(&self, waiting_for: Duration) -> Result<LeftBehind, Error> {
        Ok(sqlx::query_file_as!(
            LeftBehind,
            "queries/left_behind.sql",
            waiting_for.as_secs_f64(),
        )
        .fetch_one(&self.pool)
        .await?)
    }

    /// Renews all leases of a worker by one statement. A run that the worker believes to run and
    /// that is not among them is not its any more: it must stop writing.
    pub async fn renew(&self, worker: Worker) -> Result<Vec<Renewed>, Error> {
        Ok(sqlx::query_as!(
            Renewed,
            "UPDATE orchestrator.runs
             SET lease_until = clock_timestamp() + make_interval(secs => $2)
             WHERE worker = $1 AND status = 'running'
             RETURNING id AS run_id, attempt, cancel_requested",
            worker.id,
            worker.lease.as_secs_f64(),
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// Gives up all leases of a worker that stops, and notifies the others
    /// ([`NoticeKind::Released`]), so that they take its runs over at once. Returns how many.
    pub async fn release(&self, worker: Uuid) -> Result<u64, Error> {
        let released = sqlx::query_file_scalar!(
            "queries/release.sql",
            worker,
            listener::CHANNEL,
            NoticeKind::Released.as_str(),
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(released.unsigned_abs())
    }

    /// Gives up one run, which its worker cannot continue, and notifies the others. It counts as
    /// expired. `false` when the fence is lost.
    pub async fn release_run(&self, fence: Fence) -> Result<bool, Error> {
        let released = sqlx::query_file_scalar!(
            "queries/release_run.sql",
            fence.run_id,
            fence.worker,
            fence.attempt,
            listener::CHANNEL,
            NoticeKind::Released.as_str(),
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(released > 0)
    }

    /// Takes at most `limit` runs of workers that died, whose lease is over, of any owner, as their
    /// next attempt. Several workers may do so at once: each run goes to one of them. The caller
    /// runs them again or ends them.
    pub async fn take_over_expired(&self, worker: Worker, limit: u32) -> Result<Vec<Run>, Error> {
        self.take_over(worker, limit, false).await
    }

    /// Takes runs as [`Self::take_over_expired`] does, of workers that stopped as planned and gave
    /// them up ([`Self::release`]).
    pub async fn take_over_released(&self, worker: Worker, limit: u32) -> Result<Vec<Run>, Error> {
        self.take_over(worker, limit, true).await
    }

    async fn take_over(
        &self,
        worker: Worker,
        limit: u32,
        is_released: bool,
    ) -> Result<Vec<Run>, Error> {
        let rows = sqlx::query_file_as!(
            Row,
            "queries/take_over_expired.sql",
            worker.id,
            worker.lease.as_secs_f64(),
            i64::from(limit),
            is_released,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(Run::from).collect())
    }

    /// Starts the first waiting run of a thread for `worker`, with its question stored, unless a
    /// run has the thread or none waits. To be called whenever a run of the thread has ended.
    pub async fn start_queued(
        &self,
        worker: Worker,
        thread_id: Uuid,
    ) -> Result<Option<Run>, Error> {
        let row = sqlx::query_file_as!(
            Row,
            "queries/start_queued.sql",
            thread_id,
            worker.id,
            worker.lease.as_secs_f64(),
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(Run::from))
    }

    /// Threads of any owner that a run waits for while none runs, the longest waiting first: what a
    /// process that died between an end and the next start left behind. For
    /// [`Store::start_queued`].
    pub async fn free_threads(
        &self,
        waiting_for: Duration,
        limit: u32,
    ) -> Result<Vec<Uuid>, Error> {
        Ok(sqlx::query_file_scalar!(
            "queries/free_threads.sql",
            waiting_for.as_secs_f64(),
            i64::from(limit),
        )
        .fetch_all(&self.pool)
        .await?)
    }
}
