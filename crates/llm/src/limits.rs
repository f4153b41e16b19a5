//! The limit on calls in progress.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::config::LimitsConfig;
use crate::{Error, ErrorKind};

/// The calls in progress to one provider. Clones share the count.
#[derive(Debug, Clone)]
pub(crate) struct InFlight {
    permits: Arc<Semaphore>,
    patience: Duration,
}

#[cfg(test)]
impl InFlight {
    /// Whether both share one count.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.permits, &other.permits)
    }
}

/// The permit of a call; dropping it admits another call.
#[derive(Debug)]
#[expect(dead_code, reason = "held for its drop")]
pub(crate) struct Permit(OwnedSemaphorePermit);

impl InFlight {
    /// The configured limit.
    pub(crate) fn new(limits: &LimitsConfig) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(
                limits.max_in_flight.min(Semaphore::MAX_PERMITS),
            )),
            patience: Duration::from_millis(limits.queue_ms),
        }
    }

    /// Waits for a permit, in order of arrival, at the longest until `by`.
    pub(crate) async fn enter(&self, by: Option<Instant>) -> Result<Permit, Error> {
        let patience = Instant::now() + self.patience;
        let until = by.map_or(patience, |by| patience.min(by));
        match timeout_at(until, self.permits.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Permit(permit)),
            // The semaphore is never closed, so the only failure is the time limit.
            Ok(Err(_)) | Err(_) => Err(Error::new(ErrorKind::Busy)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_flight(max: usize) -> InFlight {
        InFlight::new(&LimitsConfig {
            max_in_flight: max,
            queue_ms: 1_000,
            ..LimitsConfig::default()
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_without_a_permit_in_time_fails() {
        let in_flight = in_flight(1);
        let permit = in_flight.enter(None).await.unwrap();
        let error = in_flight.enter(None).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Busy);
        drop(permit);
        in_flight.enter(None).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_has_to_begin_sooner_waits_no_longer() {
        let in_flight = in_flight(1);
        let _permit = in_flight.enter(None).await.unwrap();
        let before = Instant::now();
        let by = before + Duration::from_millis(300);
        assert!(in_flight.enter(Some(by)).await.is_err());
        assert_eq!(before.elapsed(), Duration::from_millis(300));
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_that_gets_free_goes_to_who_waits() {
        let in_flight = in_flight(1);
        let permit = in_flight.enter(None).await.unwrap();
        let waiting = tokio::spawn({
            let in_flight = in_flight.clone();
            async move { in_flight.enter(None).await }
        });
        tokio::time::sleep(Duration::from_millis(900)).await;
        drop(permit);
        waiting.await.unwrap().unwrap();
    }
}
