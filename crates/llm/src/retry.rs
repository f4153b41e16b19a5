//! Whether and when a failed call is repeated.

use std::time::Duration;

use crate::Error;
use crate::config::RetriesConfig;

/// The pause after the `attempt`th failure; `None` if another attempt is useless, or the requested
/// pause is longer than the limit.
pub(crate) fn pause(config: &RetriesConfig, attempt: u32, error: &Error) -> Option<Duration> {
    if attempt >= config.attempts || error.after_first_token || !error.kind.is_transient() {
        return None;
    }
    let jittered = jitter(ceiling(config, attempt));
    match error.retry_after {
        // An earlier call would be refused again. A random addition spreads the calls.
        Some(wanted) if wanted > Duration::from_millis(config.max_retry_after_ms) => None,
        Some(wanted) => Some(wanted + jittered / 4),
        None => Some(jittered),
    }
}

/// Twice as long each time, up to a limit.
fn ceiling(config: &RetriesConfig, attempt: u32) -> Duration {
    let doubled = config
        .base_delay_ms
        .saturating_mul(1 << attempt.saturating_sub(1).min(16));
    Duration::from_millis(doubled.min(config.max_delay_ms))
}

/// A random pause up to `most` ("full jitter"), so that callers that failed together do not return
/// together.
fn jitter(ceiling: Duration) -> Duration {
    ceiling.mul_f64(rand::random_range(0.0..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    const CONFIG: RetriesConfig = RetriesConfig {
        attempts: 4,
        base_delay_ms: 500,
        max_delay_ms: 1_500,
        max_retry_after_ms: 10_000,
    };

    fn overloaded() -> Error {
        Error::new(ErrorKind::Overloaded)
    }

    #[test]
    fn pauses_grow_to_a_limit_and_are_spread() {
        for (attempt, limit) in [(1, 500), (2, 1_000), (3, 1_500)] {
            let pauses: Vec<Duration> = (0..200)
                .map(|_| pause(&CONFIG, attempt, &overloaded()).unwrap())
                .collect();
            let limit = Duration::from_millis(limit);
            assert!(pauses.iter().all(|pause| *pause <= limit));
            assert!(pauses.iter().any(|pause| *pause < limit / 2));
            assert!(pauses.iter().any(|pause| *pause > limit / 2));
        }
    }

    #[test]
    fn the_last_attempt_is_the_last() {
        assert!(pause(&CONFIG, 4, &overloaded()).is_none());
    }

    #[test]
    fn a_pause_that_the_provider_names_is_kept_unless_it_is_too_long() {
        let limited = |seconds| {
            Error::new(ErrorKind::RateLimited).with_retry_after(Duration::from_secs(seconds))
        };
        let kept = pause(&CONFIG, 1, &limited(7)).unwrap();
        assert!((7.0..7.2).contains(&kept.as_secs_f64()));
        assert!(pause(&CONFIG, 1, &limited(11)).is_none());
    }

    #[test]
    fn what_will_not_pass_is_not_repeated() {
        for kind in [
            ErrorKind::Unauthorized,
            ErrorKind::BadRequest,
            ErrorKind::UnknownModel,
            ErrorKind::TooLarge,
            ErrorKind::Blocked,
            ErrorKind::Busy,
            ErrorKind::CircuitOpen,
        ] {
            assert!(pause(&CONFIG, 1, &Error::new(kind)).is_none(), "{kind}");
        }
        let mut late = overloaded();
        late.after_first_token = true;
        assert!(pause(&CONFIG, 1, &late).is_none());
    }
}
