//! Number of times that a user, a name or an address may try: a rate per key, with room for a
//! burst.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::{Quota, RateLimiter};
use service_kit::clock::SharedClock;
use sha2::{Digest, Sha256};

/// Keys that are remembered, some 4 MiB of them.
const REMEMBERED_KEYS: usize = 65_536;

/// When there are too many, one in this many is forgotten: those that were used least.
const FORGOTTEN_SHARE: usize = 4;

/// A key's hash: however long a key is, it takes no more than this.
type Key = [u8; 16];

/// Lets each key through `per_minute` times in a minute, and `burst` times at once.
pub(crate) struct RateLimit {
    limiter: RateLimiter<Key, Kept, Time, NoOpMiddleware<Duration>>,
    kept: Arc<Bounded>,
    /// Time after which one use does not count any more.
    replenished_in: Duration,
}

impl RateLimit {
    pub(crate) fn new(per_minute: u32, burst: u32, clock: SharedClock) -> Self {
        Self::remembering(REMEMBERED_KEYS, per_minute, burst, clock)
    }

    fn remembering(keys: usize, per_minute: u32, burst: u32, clock: SharedClock) -> Self {
        let at_least_one = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_minute(at_least_one(per_minute)).allow_burst(at_least_one(burst));
        let time = Time {
            start: clock.now(),
            clock,
        };
        let kept = Arc::new(Bounded::new(keys));
        Self {
            limiter: RateLimiter::new(quota, Kept(kept.clone()), time),
            kept,
            replenished_in: quota.replenish_interval(),
        }
    }

    /// Lets the key through; otherwise the whole seconds until it may come again.
    pub(crate) fn take(&self, key: &str) -> Result<(), u64> {
        self.limiter.check_key(&hashed(key)).map_err(|refused| {
            let wait = refused.wait_time_from(governor::clock::Clock::now(self.limiter.clock()));
            let part = u64::from(wait.subsec_nanos() > 0);
            (wait.as_secs() + part).max(1)
        })
    }
}

impl RateLimit {
    /// Number of requests that count at this moment. Each stops counting after a while.
    pub(crate) fn used(&self, key: &str) -> u64 {
        let now = governor::clock::Clock::now(self.limiter.clock());
        let until = self.kept.state(&hashed(key)).unwrap_or_default();
        let ahead = until.saturating_sub(now);
        let part = self.replenished_in.as_nanos().max(1);
        u64::try_from(ahead.as_nanos().div_ceil(part)).unwrap_or(u64::MAX)
    }
}

fn hashed(key: &str) -> Key {
    let digest = Sha256::digest(key.as_bytes());
    let mut hashed = Key::default();
    hashed
        .iter_mut()
        .zip(digest)
        .for_each(|(to, from)| *to = from);
    hashed
}

/// The service's clock, as the limiter reads it.
struct Time {
    clock: SharedClock,
    start: DateTime<Utc>,
}

impl governor::clock::Clock for Time {
    type Instant = Duration;

    fn now(&self) -> Duration {
        let elapsed = self.clock.now() - self.start;
        elapsed.to_std().unwrap_or_default()
    }
}

/// States of at most `keys` keys. A state is the moment at which its key will have been away long
/// enough to be as new.
struct Bounded {
    states: Mutex<HashMap<Key, Nanos>>,
    keys: usize,
}

impl Bounded {
    fn new(keys: usize) -> Self {
        Self {
            states: Mutex::default(),
            keys,
        }
    }

    fn states(&self) -> MutexGuard<'_, HashMap<Key, Nanos>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a key.
    fn state(&self, key: &Key) -> Option<Duration> {
        self.states().get(key).copied().map(Duration::from)
    }
}

/// The states, as the limiter has them.
struct Kept(Arc<Bounded>);

impl StateStore for Kept {
    type Key = Key;

    fn measure_and_replace<T, F, E>(&self, key: &Key, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut states = self.0.states();
        let known = states.get(key).copied();
        let (outcome, state) = measure(known)?;
        if known.is_none() && states.len() >= self.0.keys {
            make_room(&mut states);
        }
        states.insert(*key, state);
        Ok(outcome)
    }
}

/// Forgets a share of the keys: those whose limits are nearest to being as new. Keys that were used
/// up stay the longest.
fn make_room(states: &mut HashMap<Key, Nanos>) {
    let mut surplus = (states.len() / FORGOTTEN_SHARE).max(1);
    let mut all: Vec<Nanos> = states.values().copied().collect();
    let (_, limit, _) = all.select_nth_unstable(surplus - 1);
    let limit = *limit;
    states.retain(|_, state| {
        let goes = surplus > 0 && *state <= limit;
        surplus -= usize::from(goes);
        !goes
    });
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use service_kit::clock::FixedClock;

    use super::*;

    #[test]
    fn a_burst_is_used_up_and_comes_back() {
        let clock = FixedClock::at(DateTime::UNIX_EPOCH);
        let limit = RateLimit::new(30, 2, clock.clone());
        assert_eq!(
            (limit.take("a"), limit.take("a"), limit.take("a")),
            (Ok(()), Ok(()), Err(2))
        );
        assert_eq!(
            limit.take("b"),
            Ok(()),
            "another key has a limit of its own"
        );
        assert_eq!(
            (limit.used("a"), limit.used("b"), limit.used("c")),
            (2, 1, 0)
        );
        clock.advance(TimeDelta::seconds(2));
        assert_eq!(limit.used("a"), 1);
        assert_eq!((limit.take("a"), limit.take("a")), (Ok(()), Err(2)));
    }

    #[test]
    fn what_is_remembered_is_bounded_and_used_up_keys_stay() {
        let clock = FixedClock::at(DateTime::UNIX_EPOCH);
        let limit = RateLimit::remembering(64, 1, 3, clock);
        for _ in 0..3 {
            limit.take("used up").unwrap();
        }
        for number in 0..1000 {
            limit
                .take(&format!("{number}{}", "x".repeat(10_000)))
                .unwrap();
            assert!(limit.take("used up").is_err());
        }
        assert!(limit.kept.states().len() <= 64);
    }
}
