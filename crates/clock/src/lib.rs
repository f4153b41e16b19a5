//! Sources of the time and of new ids, both of which a test can replace.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// Reports the time.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> DateTime<Utc>;
}

/// A source of ids.
pub trait IdSource: Send + Sync + 'static {
    /// An id not given before.
    fn new_id(&self) -> Uuid;
}

/// A clock to keep in a state.
pub type SharedClock = Arc<dyn Clock>;

/// An id source to keep in a state.
pub type SharedIds = Arc<dyn IdSource>;

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl SystemClock {
    /// The machine's clock, ready for a state.
    pub fn shared() -> SharedClock {
        Arc::new(Self)
    }
}

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct FixedClock(Mutex<DateTime<Utc>>);

impl FixedClock {
    /// A clock that is at `now`.
    pub fn at(now: DateTime<Utc>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(now)))
    }

    /// Moves the clock.
    pub fn advance(&self, by: TimeDelta) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now += by;
    }
}

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Version 7 ids: random, and in the order of their making, which keeps an index on them compact.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl RandomIds {
    /// Random ids, ready for a state.
    pub fn shared() -> SharedIds {
        Arc::new(Self)
    }
}

impl IdSource for RandomIds {
    fn new_id(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// Ids that count from one, for snapshots.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl IdSource for SequentialIds {
    fn new_id(&self) -> Uuid {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Uuid::from_u128(u128::from(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_moves_only_when_told() {
        let start = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let clock = FixedClock::at(start);
        assert_eq!(clock.now(), start);
        clock.advance(TimeDelta::seconds(5));
        assert_eq!(clock.now(), start + TimeDelta::seconds(5));
    }

    #[test]
    fn sequential_ids_count_and_random_ids_ascend() {
        let ids = SequentialIds::default();
        assert_eq!(ids.new_id(), Uuid::from_u128(1));
        assert_eq!(ids.new_id(), Uuid::from_u128(2));
        assert!(RandomIds.new_id() < RandomIds.new_id());
    }
}
