//! A point at which a server waits for its test.

use std::sync::Arc;

use tokio::sync::watch;

/// Holds an answer until the test opens it, and reports to the test that it holds one.
#[derive(Debug, Clone)]
pub struct Gate {
    open: Arc<watch::Sender<bool>>,
    waiting: Arc<watch::Sender<usize>>,
}

impl Gate {
    /// A closed one.
    pub fn new() -> Self {
        Self {
            open: Arc::new(watch::Sender::new(false)),
            waiting: Arc::new(watch::Sender::new(0)),
        }
    }

    /// Releases the answers that wait, and all later ones.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Waits until an answer has come to this point.
    pub async fn reached(&self) {
        // The sender lives in `self`: the channel cannot be closed.
        let _ = self.waiting.subscribe().wait_for(|count| *count > 0).await;
    }

    pub(super) async fn pass(&self) {
        self.waiting.send_modify(|count| *count += 1);
        let _ = self.open.subscribe().wait_for(|open| *open).await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}
