//! One writer per thread: a thread that is answering a message takes no other.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The threads that are busy in this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Threads(Arc<Mutex<HashSet<Arc<str>>>>);

/// The right to write to a thread; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    threads: Threads,
    key: Arc<str>,
}

impl Threads {
    /// The right to write to this thread, unless somebody has it.
    pub(crate) fn hold(&self, key: &Arc<str>) -> Option<Hold> {
        let free = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(Arc::clone(key));
        free.then(|| Hold {
            threads: self.clone(),
            key: Arc::clone(key),
        })
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.threads
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.key);
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

    #[test]
    fn a_thread_is_held_once_until_it_is_given_back() {
        let (threads, key) = (Threads::default(), key("demo", "u", "t"));
        let hold = threads.hold(&key);
        assert!(hold.is_some());
        assert!(threads.hold(&key).is_none());
        drop(hold);
        assert!(threads.hold(&key).is_some());
    }

    #[test]
    fn owners_can_not_reach_each_others_threads_by_choosing_ids() {
        assert_ne!(key("a", "b", "c"), key("a", "c", "c"));
        assert_ne!(key("a/b", "c", "t"), key("a", "b/c", "t"));
        assert_ne!(key("a%2Fb", "c", "t"), key("a/b", "c", "t"));
    }
}
