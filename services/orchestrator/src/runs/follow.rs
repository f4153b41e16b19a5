//! Following a run from its first event to its last, wherever it runs: out of the log when it runs
//! here, otherwise from the database, woken by its notices.

use std::sync::Arc;
use std::time::Duration;

use contracts::run::RunEvent;
use conversations::{Error, EventLog, Run, RunStatus};
use service_kit::problem::{ApiError, chain};
use tokio::time::{Instant, sleep};

use super::Subscription;
use super::event_writer::{cancelled, failed, warning};
use super::log::Reader;
use crate::error::{gone, refusal};
use crate::state::State;

/// Stored batches that are read at once.
const BATCHES: u32 = 64;

/// Notices can get lost; so often a follower looks on its own.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The same after the first look, during which events may have been stored without a notice.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Time that a follower waits for a database that is away before it gives up.
const PATIENCE: Duration = Duration::from_mins(1);

/// A reader of a run.
pub(crate) struct Follow {
    state: State,
    run: Run,
    subscription: Subscription,
    /// The attempt and the number of the newest event seen.
    seen: Option<(i32, i64)>,
    here: Option<(i32, Reader)>,
    /// Logs here up to this attempt are over, or older than what was seen elsewhere.
    read_out: i32,
    away_since: Option<Instant>,
    /// Whether the process that runs it knows that it is followed.
    announced: Announced,
    over: bool,
}

/// Whether the process that runs a run knows that it is followed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Announced {
    No,
    /// Since the newest look.
    Now,
    Before,
}

/// Events that follow each other in one attempt of a run.
pub(crate) struct Batch {
    pub(crate) attempt: i32,
    pub(crate) events: Vec<Arc<RunEvent>>,
}

/// The rest of a run cannot be read now; who comes again later may have it.
#[derive(Debug, thiserror::Error)]
#[error("the rest of the run cannot be read at the moment")]
pub(crate) struct RunUnavailable;

impl Follow {
    /// Follows a run from its first event.
    pub(crate) fn new(state: &State, run: Run) -> Self {
        Self {
            subscription: state.runs.news.listen(run.id),
            state: state.clone(),
            run,
            seen: None,
            here: None,
            read_out: 0,
            away_since: None,
            announced: Announced::No,
            over: false,
        }
    }

    /// The run as it was when this began.
    pub(crate) fn run(&self) -> &Run {
        &self.run
    }

    /// The next events, as soon as there are some; `None` after the one that ends the run. Safe to
    /// drop while it waits.
    pub(crate) async fn next(&mut self) -> Result<Option<Batch>, RunUnavailable> {
        loop {
            if self.over {
                return Ok(None);
            }
            self.look_here();
            if let Some((attempt, reader)) = &mut self.here {
                let attempt = *attempt;
                if let Some(events) = reader.next().await {
                    let last = i64::try_from(reader.position()).unwrap_or(i64::MAX) - 1;
                    return Ok(Some(self.take(attempt, last, events)));
                }
                // It ended without saying how: another process continues with the run.
                self.here = None;
                self.read_out = attempt;
            }
            if let Some(batch) = self.look_in_database().await? {
                return Ok(Some(batch));
            }
            if self.over
                || self
                    .state
                    .runs
                    .log(self.run.id)
                    .is_some_and(|(attempt, _)| attempt > self.read_out)
            {
                continue;
            }
            let pause = match self.announced {
                Announced::No | Announced::Before => LOOK_EVERY,
                Announced::Now => {
                    self.announced = Announced::Before;
                    LOOK_AGAIN
                }
            };
            tokio::select! {
                () = self.subscription.heard() => {}
                () = sleep(pause) => {}
            }
        }
    }

    /// Changes over to the log of the run, if it runs here.
    fn look_here(&mut self) {
        if self.here.is_some() {
            return;
        }
        let seen = self.seen.map_or(0, |(attempt, _)| attempt);
        if let Some((attempt, log)) = self.state.runs.log(self.run.id)
            && attempt > self.read_out
        {
            if attempt < seen {
                // What runs here is over and does not know it yet.
                self.read_out = attempt;
                return;
            }
            let from = match self.seen {
                Some((same, last)) if same == attempt => usize::try_from(last + 1).unwrap_or(0),
                _ => 0,
            };
            self.here = Some((attempt, log.reader(from)));
        }
    }

    async fn look_in_database(&mut self) -> Result<Option<Batch>, RunUnavailable> {
        match self.read().await {
            Ok(log) => {
                self.away_since = None;
                Ok(self.stored(log))
            }
            Err(Error::NotFound) => Ok(Some(self.gone(RunStatus::Interrupted))),
            Err(error) => {
                let since = *self.away_since.get_or_insert_with(Instant::now);
                if since.elapsed() > PATIENCE {
                    return Err(RunUnavailable);
                }
                tracing::warn!(error = %chain(&error), "a run's events cannot be read at the moment");
                Ok(None)
            }
        }
    }

    /// Reads what is stored, and asks for news of what will be.
    async fn read(&mut self) -> Result<EventLog, Error> {
        let (store, run) = (&self.state.store, &self.run);
        if self.announced == Announced::No && !run.status.is_ended() {
            store.follow_run(&run.owner, run.id).await?;
            self.announced = Announced::Now;
        }
        store.events(&run.owner, run.id, self.seen, BATCHES).await
    }

    fn stored(&mut self, log: EventLog) -> Option<Batch> {
        if let Some(last) = log.events.last().map(|event| event.seq) {
            let events = log.events.into_iter().map(|event| Arc::new(event.event));
            return Some(self.take(log.attempt, last, events.collect()));
        }
        log.status.is_ended().then(|| self.gone(log.status))
    }

    fn take(&mut self, attempt: i32, last: i64, events: Vec<Arc<RunEvent>>) -> Batch {
        self.seen = Some((attempt, last));
        self.over = events.last().is_some_and(|event| event.is_terminal());
        Batch { attempt, events }
    }

    /// How a run ends whose end is stored nowhere: it never began, or was deleted.
    fn gone(&mut self, status: RunStatus) -> Batch {
        let mut events = Vec::new();
        if self.seen.is_none() {
            events.push(RunEvent::Started {
                thread_id: self.run.thread_name.clone(),
                run_id: self.run.id.simple().to_string(),
                message_id: self.run.message_id.clone(),
            });
        }
        if status == RunStatus::Cancelled {
            events.push(warning("cancelled", "The answer was stopped."));
            events.push(cancelled(None));
        } else {
            events.push(failed(
                "interrupted",
                "The answer ended early, and the rest of it is not there any more.",
            ));
        }
        let attempt = self.seen.map_or(1, |(attempt, _)| attempt);
        self.over = true;
        Batch {
            attempt,
            events: events.into_iter().map(Arc::new).collect(),
        }
    }
}

/// Refuses a run that is over and whose events are kept no more: its message is.
pub(crate) async fn check_kept(state: &State, run: &Run) -> Result<(), ApiError> {
    if !run.status.is_ended() || run.attempt == 0 || state.runs.log(run.id).is_some() {
        return Ok(());
    }
    let log = state.store.events(&run.owner, run.id, None, 1).await;
    let log = log.map_err(|error| refusal(error, "run"))?;
    if log.events.is_empty() && log.status.is_ended() {
        return Err(gone());
    }
    Ok(())
}
