//! Nodes, and how the engine runs them: timeouts and retries.

use std::{
    borrow::Cow,
    fmt,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};

use futures::future::BoxFuture;

use crate::{Command, Context, Failure, NodeError, State};

/// The result of a node: its command, or an error.
pub type NodeResult<S> = Result<Command<S>, NodeError>;

/// A step of the graph: reads a snapshot of the state, does its work, answers with a command.
///
/// Every `async fn(Arc<S>, Context<S, R>) -> NodeResult<S>`, and every closure of that shape, is a
/// node. Implement the trait for a type when the node has something to hold, such as a client.
///
/// A node may run more than once for one superstep: on a retry, after an interrupt is answered, and
/// after a crash. What it does outside of the state should bear that.
pub trait Node<S: State, R = ()>: Send + Sync + 'static {
    /// Runs once. The future is dropped when the run is cancelled or the node's time is up.
    fn run(&self, state: Arc<S>, context: Context<S, R>) -> BoxFuture<'_, NodeResult<S>>;
}

impl<S, R, F, Fut> Node<S, R> for F
where
    S: State,
    F: Fn(Arc<S>, Context<S, R>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = NodeResult<S>> + Send + 'static,
{
    fn run(&self, state: Arc<S>, context: Context<S, R>) -> BoxFuture<'_, NodeResult<S>> {
        Box::pin(self(state, context))
    }
}

/// How a node is run, for [`StateGraph::add_node_with`](crate::StateGraph::add_node_with).
#[derive(Clone, Debug, Default)]
pub struct NodeOptions {
    /// The longest that one attempt may take; unlimited when `None`.
    pub timeout: Option<Duration>,
    /// When to try again.
    pub retry: RetryPolicy,
    /// Targets of the node's [`Command::goto`]: a node that uses it has to declare its targets, so
    /// that the graph can be checked and drawn.
    pub destinations: Vec<Cow<'static, str>>,
}

impl NodeOptions {
    /// No timeout, no retry, no destinations of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits each attempt.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Tries again by this policy.
    #[must_use]
    pub fn retry(mut self, retry: RetryPolicy) -> Self {
        self.retry = retry;
        self
    }

    /// Declares where [`Command::goto`] may lead.
    #[must_use]
    pub fn destinations<N: Into<Cow<'static, str>>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        self.destinations = names.into_iter().map(Into::into).collect();
        self
    }
}

/// When and how often to try a failed node again: exponential backoff with jitter.
#[derive(Clone)]
pub struct RetryPolicy {
    /// Maximum number of attempts, the first included; 1 means no retry.
    pub max_attempts: u32,
    /// Time to wait before the second attempt.
    pub initial_backoff: Duration,
    /// By how much the wait grows with each attempt.
    pub backoff_factor: f64,
    /// The longest wait.
    pub max_backoff: Duration,
    /// Which part of each wait is random, from 0 (none, waits are exact) to 1 (anything up to the
    /// wait). Spreads out nodes that failed together.
    pub jitter: f64,
    retry_if: Option<Predicate>,
}

type Predicate = Arc<dyn Fn(&Failure) -> bool + Send + Sync>;

impl RetryPolicy {
    /// Never tries again. This is the default.
    pub fn never() -> Self {
        Self::attempts(1)
    }

    /// Tries this often in all, waiting 100 ms, then twice as long each time up to 10 s, half of it
    /// random.
    pub fn attempts(max_attempts: u32) -> Self {
        Self {
            max_attempts,
            initial_backoff: Duration::from_millis(100),
            backoff_factor: 2.0,
            max_backoff: Duration::from_secs(10),
            jitter: 0.5,
            retry_if: None,
        }
    }

    /// Waits this long before the second attempt.
    #[must_use]
    pub fn initial_backoff(mut self, wait: Duration) -> Self {
        self.initial_backoff = wait;
        self
    }

    /// Randomizes this part of each wait, from 0 to 1.
    #[must_use]
    pub fn jitter(mut self, part: f64) -> Self {
        self.jitter = part;
        self
    }

    /// Retries only the failures for which this holds. Without it all are retried but
    /// [`Failure::Permanent`] and [`Failure::UnfitAnswer`], which never are.
    #[must_use]
    pub fn retry_if(
        mut self,
        predicate: impl Fn(&Failure) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.retry_if = Some(Arc::new(predicate));
        self
    }

    /// Time to wait after this attempt (counted from 1) failed; `None` to give up.
    pub(crate) fn backoff(&self, attempt: u32, failure: &Failure) -> Option<Duration> {
        let hopeless = matches!(
            failure,
            Failure::Permanent { .. } | Failure::UnfitAnswer { .. }
        );
        let refused = self
            .retry_if
            .as_ref()
            .is_some_and(|retry_if| !retry_if(failure));
        if attempt >= self.max_attempts || hopeless || refused {
            return None;
        }
        let exponent = i32::try_from(attempt - 1).unwrap_or(i32::MAX);
        let longest = self.max_backoff.as_secs_f64();
        // `min` also takes care of a product that is infinite or not a number.
        let wait =
            (self.initial_backoff.as_secs_f64() * self.backoff_factor.powi(exponent)).min(longest);
        let random_part = if self.jitter > 0.0 {
            self.jitter.min(1.0) * random_fraction()
        } else {
            0.0
        };
        Duration::try_from_secs_f64(wait * (1.0 - random_part)).ok()
    }
}

/// From 0 to 1. The standard library's hash seeds are random enough to spread out retries.
fn random_fraction() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::never()
    }
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPolicy")
            .field("max_attempts", &self.max_attempts)
            .field("initial_backoff", &self.initial_backoff)
            .field("backoff_factor", &self.backoff_factor)
            .field("max_backoff", &self.max_backoff)
            .field("jitter", &self.jitter)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed() -> Failure {
        Failure::Failed {
            source: "boom".into(),
        }
    }

    #[test]
    fn waits_grow_up_to_the_longest() {
        let mut policy = RetryPolicy::attempts(6).jitter(0.0);
        policy.max_backoff = Duration::from_millis(500);
        let waits: Vec<_> = (1..=6)
            .map(|attempt| policy.backoff(attempt, &failed()))
            .collect();
        let expected = [Some(100), Some(200), Some(400), Some(500), Some(500), None];
        assert_eq!(waits, expected.map(|wait| wait.map(Duration::from_millis)));
    }

    #[test]
    fn jitter_only_shortens_a_wait_and_by_its_part_at_most() {
        let policy = RetryPolicy::attempts(2).jitter(0.5);
        for _ in 0..100 {
            let wait = policy.backoff(1, &failed()).unwrap();
            assert!(
                (Duration::from_millis(50)..=Duration::from_millis(100)).contains(&wait),
                "{wait:?}"
            );
        }
    }

    #[test]
    fn hopeless_and_refused_failures_are_not_retried() {
        let policy = RetryPolicy::attempts(3);
        assert!(
            policy
                .backoff(
                    1,
                    &Failure::Permanent {
                        source: "no".into()
                    }
                )
                .is_none()
        );
        let only_timeouts = RetryPolicy::attempts(3)
            .retry_if(|failure| matches!(failure, Failure::TimedOut { .. }));
        assert!(only_timeouts.backoff(1, &failed()).is_none());
        assert!(
            only_timeouts
                .backoff(
                    1,
                    &Failure::TimedOut {
                        after: Duration::ZERO
                    }
                )
                .is_some()
        );
    }

    #[test]
    fn absurd_factors_do_not_overflow() {
        let mut policy = RetryPolicy::attempts(u32::MAX).jitter(0.0);
        policy.backoff_factor = f64::MAX;
        assert_eq!(
            policy.backoff(u32::MAX - 1, &failed()),
            Some(policy.max_backoff)
        );
    }
}
