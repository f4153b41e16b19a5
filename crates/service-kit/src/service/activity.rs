//! What happens on one connection: requests in flight, and since when there are none.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;

/// The requests of one connection.
#[derive(Debug)]
pub(super) struct Activity(Mutex<Counts>);

#[derive(Debug)]
struct Counts {
    /// Requests that came, ever.
    begun: u64,
    in_flight: u64,
    idle_since: Instant,
}

/// A request in flight: until its answer was given to the connection, or the client went away.
#[derive(Debug)]
pub(super) struct InFlight(Arc<Activity>);

impl Activity {
    /// A connection that was just opened.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Counts {
            begun: 0,
            in_flight: 0,
            idle_since: Instant::now(),
        })))
    }

    /// A request comes.
    pub(super) fn begin(self: &Arc<Self>) -> InFlight {
        let mut counts = self.counts();
        counts.begun += 1;
        counts.in_flight += 1;
        InFlight(Arc::clone(self))
    }

    /// Number of requests that came so far, when none of them is in flight.
    pub(super) fn quiet(&self) -> Option<u64> {
        let counts = self.counts();
        (counts.in_flight == 0).then_some(counts.begun)
    }

    /// Counts idleness from now on.
    pub(super) fn restart(&self) {
        self.counts().idle_since = Instant::now();
    }

    /// Returns when no request was in flight for this long.
    pub(super) async fn idle_for(&self, patience: Duration) {
        loop {
            let (busy, since) = {
                let counts = self.counts();
                (counts.in_flight > 0, counts.idle_since)
            };
            let now = Instant::now();
            let until = if busy { now } else { since } + patience;
            if !busy && until <= now {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut counts = self.0.counts();
        counts.in_flight -= 1;
        counts.idle_since = Instant::now();
    }
}

/// An answer's body that keeps its request in flight.
pub(super) struct Tracked {
    body: Body,
    _request: InFlight,
}

impl Tracked {
    pub(super) fn new(body: Body, request: InFlight) -> Self {
        Self {
            body,
            _request: request,
        }
    }
}

impl HttpBody for Tracked {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
