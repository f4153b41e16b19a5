//! How often somebody may ask: a token bucket per key.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use service_kit::clock::SharedClock;

/// Keys that are remembered; beyond it those with full buckets are forgotten, which changes nothing for them.
const REMEMBERED_KEYS: usize = 10_000;

/// Buckets that hold `burst` tokens and gain `per_minute` in a minute.
pub(crate) struct RateLimit {
    per_second: f64,
    burst: f64,
    clock: SharedClock,
    buckets: Mutex<HashMap<String, Bucket>>,
}

struct Bucket {
    tokens: f64,
    filled_at: DateTime<Utc>,
}

impl RateLimit {
    pub(crate) fn new(per_minute: u32, burst: u32, clock: SharedClock) -> Self {
        Self {
            per_second: f64::from(per_minute) / 60.0,
            burst: f64::from(burst),
            clock,
            buckets: Mutex::default(),
        }
    }

    /// Takes a token; without one, the whole seconds until there is one.
    pub(crate) fn take(&self, key: &str) -> Result<(), u64> {
        let now = self.clock.now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED_KEYS {
            buckets.retain(|_, bucket| self.filled(bucket, now) < self.burst);
        }
        let bucket = buckets.entry(key.to_owned()).or_insert(Bucket {
            tokens: self.burst,
            filled_at: now,
        });
        bucket.tokens = self.filled(bucket, now);
        bucket.filled_at = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        let wait = ((1.0 - bucket.tokens) / self.per_second).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number of seconds"
        )]
        Err((wait as u64).max(1))
    }

    fn filled(&self, bucket: &Bucket, now: DateTime<Utc>) -> f64 {
        let seconds = (now - bucket.filled_at).as_seconds_f64().max(0.0);
        (bucket.tokens + seconds * self.per_second).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use service_kit::clock::FixedClock;

    use super::*;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let clock = FixedClock::at(DateTime::UNIX_EPOCH);
        let limit = RateLimit::new(30, 2, clock.clone());
        assert_eq!(
            (limit.take("a"), limit.take("a"), limit.take("a")),
            (Ok(()), Ok(()), Err(2))
        );
        assert_eq!(
            limit.take("b"),
            Ok(()),
            "another key has a bucket of its own"
        );
        clock.advance(TimeDelta::seconds(2));
        assert_eq!((limit.take("a"), limit.take("a")), (Ok(()), Err(2)));
    }
}
