//! Stores what a run says while it says it: a row per some fifty milliseconds, never one per token,
//! and never in the run's way. What a short run says is stored with its end.

use std::sync::Arc;
use std::time::Duration;

use contracts::run::RunEvent;
use conversations::{Error, EventBatch, Fence, Store};
use service_kit::problem::chain;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::log::{Reader, RunLog};

/// Time that one write may take; then it may have arrived or not, and is sent again.
const WRITE_PATIENCE: Duration = Duration::from_secs(2);

/// Intervals before the first write: a run that ends within them is stored with its end, in one
/// statement. A process that dies so early leaves a run that begins again from nothing.
const BEFORE_FIRST: u32 = 5;

/// The pause after a write that failed.
const PAUSE: Duration = Duration::from_millis(500);

/// Stores a run's events.
pub(super) struct Persister {
    stop: CancellationToken,
    task: JoinHandle<Progress>,
}

/// The progress of storing.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Events that are stored for certain.
    pub(super) stored: usize,
    /// A batch that may be stored or not; it is sent again as it is before anything else.
    pub(super) unsure: Option<Unsure>,
    /// Events of this run cannot be stored at all.
    pub(super) broken: bool,
}

impl Persister {
    /// Begins to store what is in the log. Cancels `lost` when the run turns out to be another
    /// worker's.
    pub(super) fn start(
        store: Store,
        fence: Fence,
        log: &RunLog,
        every: Duration,
        lost: CancellationToken,
    ) -> Self {
        let stop = CancellationToken::new();
        let work = Work {
            store,
            fence,
            log: log.clone(),
            progress: Progress::default(),
            lost,
        };
        Self {
            task: tokio::spawn(work.run(log.reader(0), every, stop.clone())),
            stop,
        }
    }

    /// Ends it, after the write that is in progress, and says how far it came.
    pub(super) async fn stop(self) -> Progress {
        self.stop.cancel();
        self.task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "storing a run's events broke down");
            Progress {
                broken: true,
                ..Progress::default()
            }
        })
    }
}

/// A batch that was sent.
#[derive(Debug)]
pub(super) struct Unsure {
    pub(super) batch: EventBatch,
    /// The number of the event after it.
    pub(super) end: usize,
}

struct Work {
    store: Store,
    fence: Fence,
    log: RunLog,
    progress: Progress,
    lost: CancellationToken,
}

impl Work {
    async fn run(
        mut self,
        mut reader: Reader,
        every: Duration,
        stop: CancellationToken,
    ) -> Progress {
        let mut pause = every * BEFORE_FIRST;
        while !self.progress.broken && !self.lost.is_cancelled() {
            // More may come soon, and a short run is stored with its end, at once.
            let something = async {
                let some = reader.next().await.is_some();
                tokio::time::sleep(pause).await;
                some
            };
            let something = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                something = something => something,
            };
            if !something {
                break;
            }
            pause = every;
            let written = self.write().await;
            reader = self.log.reader(self.progress.stored);
            if !written {
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = tokio::time::sleep(PAUSE) => {}
                }
            }
        }
        self.progress
    }

    /// Stores what is there; false when that has to be tried again.
    async fn write(&mut self) -> bool {
        if self.progress.unsure.is_none() {
            let events = self.log.read(self.progress.stored, usize::MAX);
            let end = self.progress.stored + events.len();
            let batch = batch(self.progress.stored, events);
            self.progress.unsure = batch.map(|batch| Unsure { batch, end });
        }
        let Some(unsure) = &self.progress.unsure else {
            self.progress.broken = true;
            return true;
        };
        let append = self.store.append_events(self.fence, &unsure.batch);
        match tokio::time::timeout(WRITE_PATIENCE, append).await {
            Ok(Ok(())) => {
                self.progress.stored = unsure.end;
                self.progress.unsure = None;
                true
            }
            Ok(Err(Error::LostFence)) => {
                self.lost.cancel();
                true
            }
            Ok(Err(error @ Error::Unavailable(_))) => {
                tracing::warn!(error = %chain(&error), "a run's events cannot be stored at the moment");
                false
            }
            Ok(Err(error)) => {
                tracing::error!(error = %chain(&error), "a run's events cannot be stored");
                self.progress.broken = true;
                true
            }
            Err(_) => false,
        }
    }
}

/// A batch of these events; `None` when there are none.
pub(super) fn batch(first: usize, events: Vec<Arc<RunEvent>>) -> Option<EventBatch> {
    EventBatch::new(i64::try_from(first).unwrap_or(i64::MAX), events)
}
