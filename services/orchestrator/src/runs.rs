//! Runs: each the answer to one message, in a task of its own that no client can hold up or end by
//! going away.
//!
//! In reading order: [`accept`] takes a message; [`task`] runs it, appending its events to a
//! [`log`] and, behind it, to the database ([`persist`]); [`conclude`] stores the end before it is
//! sent. Clients [`follow`] a run, here or on another replica, and [`stream`] writes what they see.
//! [`control`] stops runs, [`queue`] starts those that waited, [`recovery`] finds those whose
//! process died, and [`lease`] keeps this process's leases.

pub(crate) mod accept;
mod conclude;
pub(crate) mod control;
mod event_writer;
pub(crate) mod follow;
pub(crate) mod lease;
mod log;
pub(crate) mod metrics;
mod news;
mod persist;
pub(crate) mod queue;
pub(crate) mod recovery;
pub(crate) mod stream;
mod task;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use conversations::{Run, Worker};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::credentials::Caller;
use log::RunLog;
pub(crate) use news::{News, Subscription};
pub(crate) use task::{Job, RunInput, launch};

/// The runs of this process.
pub(crate) struct Runs {
    worker: Mutex<Worker>,
    active: Mutex<HashMap<Uuid, Active>>,
    waiting: Mutex<HashMap<Uuid, Waiting>>,
    /// Runs that were taken over and are about to begin or end.
    taken: Mutex<HashSet<Uuid>>,
    /// Subscriptions to news of runs, of this process or others.
    pub(crate) news: News,
    /// Notified when another process stops and releases its runs.
    pub(crate) left_behind: Notify,
}

/// A run that is running here.
pub(crate) struct Active {
    attempt: i32,
    log: RunLog,
    /// Stops it, keeping what there is.
    cancel: CancellationToken,
    /// Ends it without a word: it is another worker's.
    lost: CancellationToken,
    leased_until: Instant,
    /// Since when it is here.
    since: Instant,
}

/// A run that was accepted here and waits for its thread.
pub(crate) struct Waiting {
    pub(crate) thread_id: Uuid,
    /// The input of the run.
    pub(crate) input: RunInput,
    pub(crate) caller: Arc<Caller>,
    pub(crate) request: Option<service_kit::context::RequestContext>,
    /// The span of the request.
    pub(crate) parent: tracing::Span,
    pub(crate) _observed: metrics::ObservedWait,
}

impl Active {
    fn new(run: &Run, log: RunLog, leased_until: Instant) -> Self {
        Self {
            attempt: run.attempt,
            log,
            cancel: CancellationToken::new(),
            lost: CancellationToken::new(),
            leased_until,
            since: Instant::now(),
        }
    }
}

impl Runs {
    pub(crate) fn new(worker: Worker) -> Self {
        Self {
            worker: Mutex::new(worker),
            active: Mutex::default(),
            waiting: Mutex::default(),
            taken: Mutex::default(),
            news: News::default(),
            left_behind: Notify::new(),
        }
    }

    /// This process as the database knows it.
    pub(crate) fn worker(&self) -> Worker {
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn active(&self) -> MutexGuard<'_, HashMap<Uuid, Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Uuid, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn taken(&self) -> MutexGuard<'_, HashSet<Uuid>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, run_id: Uuid, active: Active) {
        self.active().insert(run_id, active);
        self.news.tell(run_id);
    }

    fn remove(&self, run_id: Uuid, attempt: i32) {
        let mut active = self.active();
        if active
            .get(&run_id)
            .is_some_and(|run| run.attempt == attempt)
        {
            active.remove(&run_id);
        }
        drop(active);
        self.news.tell(run_id);
    }

    /// The log of a run that is running here, and its attempt.
    fn log(&self, run_id: Uuid) -> Option<(i32, RunLog)> {
        let active = self.active();
        active
            .get(&run_id)
            .map(|run| (run.attempt, run.log.clone()))
    }

    /// Number of runs here.
    pub(crate) fn count(&self) -> usize {
        self.active().len()
    }

    /// Whether no run is here, not even one that was taken over and has not begun.
    fn is_idle(&self) -> bool {
        self.active().is_empty() && self.taken().is_empty()
    }

    /// Stops a run, if it runs here.
    pub(crate) fn cancel(&self, run_id: Uuid) {
        if let Some(run) = self.active().get(&run_id) {
            run.cancel.cancel();
        }
    }

    /// Gives up every run without a word: the process ends.
    pub(crate) fn abandon_all(&self) {
        for run in self.active().values() {
            run.lost.cancel();
        }
    }

    /// Takes another id, under which no run is held yet.
    fn rename(&self, id: Uuid) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        worker.id = id;
    }

    /// Remembers a run that waits for its thread.
    pub(crate) fn wait(&self, run_id: Uuid, waiting: Waiting) {
        self.waiting().insert(run_id, waiting);
    }

    /// Takes a run out of those that wait.
    pub(crate) fn take_waiting(&self, run_id: Uuid) -> Option<Waiting> {
        self.waiting().remove(&run_id)
    }

    /// Whether a run that was accepted here waits for this thread.
    pub(crate) fn awaits(&self, thread_id: Uuid) -> bool {
        let waiting = self.waiting();
        waiting.values().any(|run| run.thread_id == thread_id)
    }

    /// The threads that runs wait for here.
    pub(crate) fn awaited(&self) -> Vec<Uuid> {
        self.waiting().values().map(|run| run.thread_id).collect()
    }
}
