//! How many calls are under way.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::config::LimitsConfig;
use crate::{Error, ErrorKind};

/// The calls under way to one provider. Clones count together.
#[derive(Debug, Clone)]
pub(crate) struct InFlight {
    permits: Arc<Semaphore>,
    patience: Duration,
}

#[cfg(test)]
impl InFlight {
    /// Whether both count together.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.permits, &other.permits)
    }
}

/// A call's place; dropping it makes room for another.
#[derive(Debug)]
#[expect(dead_code, reason = "held for its drop")]
pub(crate) struct Place(OwnedSemaphorePermit);

impl InFlight {
    /// As configured.
    pub(crate) fn new(limits: &LimitsConfig) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(
                limits.max_in_flight.min(Semaphore::MAX_PERMITS),
            )),
            patience: Duration::from_millis(limits.queue_ms),
        }
    }

    /// Waits for a place, first come, first served.
    pub(crate) async fn enter(&self) -> Result<Place, Error> {
        match timeout(self.patience, self.permits.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Place(permit)),
            // Nobody closes the semaphore, so it is the time that ran out.
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
    async fn who_finds_no_place_in_time_is_told_so() {
        let in_flight = in_flight(1);
        let place = in_flight.enter().await.unwrap();
        let error = in_flight.enter().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Busy);
        drop(place);
        in_flight.enter().await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_that_gets_free_goes_to_who_waits() {
        let in_flight = in_flight(1);
        let place = in_flight.enter().await.unwrap();
        let waiting = tokio::spawn({
            let in_flight = in_flight.clone();
            async move { in_flight.enter().await }
        });
        tokio::time::sleep(Duration::from_millis(900)).await;
        drop(place);
        waiting.await.unwrap().unwrap();
    }
}
