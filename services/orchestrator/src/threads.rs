//! One writer per thread: a thread that is answering a message takes no other.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// A run that is cancelled only writes its checkpoint; a message that comes meanwhile, as after a stop, waits for that.
const ENDING_PATIENCE: Duration = Duration::from_secs(1);

/// The threads that are busy in this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Threads(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    held: Mutex<HashMap<Arc<str>, Stage>>,
    /// Told whenever a thread is given back.
    freed: Notify,
}

/// How far a thread's holder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Busy,
    Ending,
}

/// The right to write to a thread; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    threads: Threads,
    key: Arc<str>,
}

impl Threads {
    /// The right to write to this thread. Nobody gets it from a run that goes on, and everybody soon from one that is cancelled.
    pub(crate) async fn hold(&self, key: &Arc<str>) -> Option<Hold> {
        let deadline = Instant::now() + ENDING_PATIENCE;
        loop {
            let mut freed = pin!(self.0.freed.notified());
            // From here on nothing is missed, so looking comes after it.
            freed.as_mut().enable();
            match self.try_hold(key) {
                Ok(hold) => return Some(hold),
                Err(Stage::Busy) => return None,
                Err(Stage::Ending) => timeout_at(deadline, freed).await.ok()?,
            }
        }
    }

    fn try_hold(&self, key: &Arc<str>) -> Result<Hold, Stage> {
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        match held.entry(Arc::clone(key)) {
            Entry::Occupied(stage) => Err(*stage.get()),
            Entry::Vacant(free) => {
                free.insert(Stage::Busy);
                Ok(Hold {
                    threads: self.clone(),
                    key: Arc::clone(key),
                })
            }
        }
    }
}

impl Hold {
    /// Says that the run is cancelled and the thread will soon be free.
    pub(crate) fn ending(&self) {
        let mut held = self
            .threads
            .0
            .held
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        held.insert(Arc::clone(&self.key), Stage::Ending);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self
            .threads
            .0
            .held
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        held.remove(&self.key);
        drop(held);
        self.threads.0.freed.notify_waiters();
    }
}

/// The key of a thread in the checkpoint store. A chat's id is chosen by its client, so it names a thread within its owner only; the
/// parts before it can not hold the separator.
pub(crate) fn key(tenant: &str, subject: &str, thread_id: &str) -> Arc<str> {
    let clean = |part: &str| part.replace('%', "%25").replace('/', "%2F");
    format!("{}/{}/{thread_id}", clean(tenant), clean(subject)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_thread_is_held_once_until_it_is_given_back() {
        let (threads, key) = (Threads::default(), key("demo", "u", "t"));
        let hold = threads.hold(&key).await;
        assert!(hold.is_some());
        assert!(threads.hold(&key).await.is_none());
        drop(hold);
        assert!(threads.hold(&key).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_waits_for_a_run_that_is_cancelled_and_not_for_ever() {
        let (threads, key) = (Threads::default(), key("demo", "u", "t"));
        let hold = threads.hold(&key).await.unwrap();
        hold.ending();
        assert!(threads.hold(&key).await.is_none(), "it did not end in time");
        let freed = async {
            tokio::time::sleep(ENDING_PATIENCE / 2).await;
            drop(hold);
        };
        let (next, ()) = tokio::join!(threads.hold(&key), freed);
        assert!(next.is_some());
    }

    #[test]
    fn owners_can_not_reach_each_others_threads_by_choosing_ids() {
        assert_ne!(key("a", "b", "c"), key("a", "c", "c"));
        assert_ne!(key("a/b", "c", "t"), key("a", "b/c", "t"));
        assert_ne!(key("a%2Fb", "c", "t"), key("a/b", "c", "t"));
    }
}
