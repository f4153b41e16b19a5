//! The end of a run: first it is stored, answer and all, then it is sent.

use std::sync::Arc;
use std::time::Duration;

use contracts::run::RunEvent;
use conversations::{Error, Fence, Finish, Store};
use service_kit::problem::chain;

use super::log::RunLog;
use super::persist::{Progress, batch};

/// The pauses between tries to store an end while its reader waits.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_millis(900),
];

/// Time that one try may take.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// The pause between tries when no client waits any more.
const LATER: Duration = Duration::from_secs(1);

/// How an end was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Saved {
    /// All of it.
    Whole,
    /// The end of the run without its answer, which the database refuses.
    WithoutAnswer,
    /// Not at all; the database is away.
    NotYet,
    /// The run is another worker's by now. This worker's answer is dropped.
    Lost,
}

/// An end to be stored.
pub(super) struct Ending {
    pub(super) store: Store,
    pub(super) fence: Fence,
    pub(super) log: RunLog,
    pub(super) progress: Progress,
    pub(super) finish: Arc<Finish>,
}

impl Ending {
    /// Stores the end while its reader waits: a few tries. `terminal` is the event that will be
    /// sent.
    pub(super) async fn save(&mut self, terminal: &Arc<RunEvent>) -> Saved {
        for pause in PAUSES {
            match self.attempt(Some(terminal)).await {
                Saved::NotYet => tokio::time::sleep(pause).await,
                saved => return saved,
            }
        }
        self.attempt(Some(terminal)).await
    }

    /// Stores an end that was already sent, as soon as that is possible.
    pub(super) async fn save_later(mut self) -> Saved {
        loop {
            tokio::time::sleep(LATER).await;
            match self.attempt(None).await {
                Saved::NotYet => {}
                saved => return saved,
            }
        }
    }

    async fn attempt(&mut self, terminal: Option<&Arc<RunEvent>>) -> Saved {
        let stored = tokio::time::timeout(PATIENCE, self.write(terminal)).await;
        match stored {
            Ok(Ok(())) => Saved::Whole,
            Ok(Err(Error::LostFence)) => Saved::Lost,
            Ok(Err(error @ Error::Unavailable(_))) => {
                tracing::warn!(error = %chain(&error), "an answer cannot be stored at the moment");
                Saved::NotYet
            }
            Ok(Err(error)) => {
                tracing::error!(error = %chain(&error), "an answer cannot be stored");
                self.free_the_thread().await
            }
            Err(_) => Saved::NotYet,
        }
    }

    /// What may have arrived before is sent again as it was, then the rest with the end. Sending
    /// either twice does nothing.
    async fn write(&mut self, terminal: Option<&Arc<RunEvent>>) -> Result<(), Error> {
        if let Some(unsure) = &self.progress.unsure {
            self.store.append_events(self.fence, &unsure.batch).await?;
            self.progress.stored = unsure.end;
            self.progress.unsure = None;
        }
        if !self.progress.broken {
            let mut rest = self.log.read(self.progress.stored, usize::MAX);
            rest.extend(terminal.cloned());
            let events = batch(self.progress.stored, rest);
            // A try that was given up may still wait and hold the end, which a change would copy.
            if self.finish.events != events {
                Arc::make_mut(&mut self.finish).events = events;
            }
        }
        let finish = Arc::clone(&self.finish);
        self.store.finish(self.fence, finish).await.map(drop)
    }

    /// The database has this answer for impossible. The run is over nevertheless.
    async fn free_the_thread(&self) -> Saved {
        let bare = Finish {
            message: None,
            events: None,
            answered: Vec::new(),
            ..Finish::clone(&self.finish)
        };
        match self.store.finish(self.fence, bare).await {
            Ok(_) => Saved::WithoutAnswer,
            Err(Error::LostFence) => Saved::Lost,
            Err(error) => {
                tracing::error!(error = %chain(&error), "a run cannot be ended");
                Saved::NotYet
            }
        }
    }
}
