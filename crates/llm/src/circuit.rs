//! The circuit breaker: a model that keeps failing is not called for a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::config::CircuitConfig;
use crate::telemetry::metrics;
use crate::{Error, ErrorKind, ModelId};

/// The circuit of one model. Clones share its state.
#[derive(Debug, Clone)]
pub(crate) struct Circuit {
    shared: Arc<CircuitState>,
}

#[derive(Debug)]
struct CircuitState {
    model: ModelId,
    threshold: u32,
    cool_down: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Calls are made.
    Closed { failures: u32 },
    /// Calls fail at once.
    Open { until: Instant },
    /// One call probes the model.
    Probing,
}

impl Circuit {
    /// Closed.
    pub(crate) fn new(model: ModelId, config: &CircuitConfig) -> Self {
        Self {
            shared: Arc::new(CircuitState {
                model,
                threshold: config.failures,
                cool_down: Duration::from_millis(config.cool_down_ms),
                state: Mutex::new(State::Closed { failures: 0 }),
            }),
        }
    }

    /// Admits a call or fails. The result of the call is reported to the [`Attempt`].
    pub(crate) fn enter(&self) -> Result<Attempt, Error> {
        let mut state = self.shared.lock();
        match *state {
            State::Closed { .. } => Ok(self.attempt(false)),
            State::Open { until } if Instant::now() >= until => {
                *state = State::Probing;
                Ok(self.attempt(true))
            }
            State::Open { .. } | State::Probing => Err(Error::new(ErrorKind::CircuitOpen)),
        }
    }

    /// Whether calls are made.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(*self.shared.lock(), State::Closed { .. })
    }

    fn attempt(&self, probe: bool) -> Attempt {
        Attempt {
            shared: self.shared.clone(),
            probe,
            settled: false,
        }
    }
}

impl CircuitState {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is replaced as a whole, so a panic elsewhere leaves it consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, state: &mut State) {
        *state = State::Open {
            until: Instant::now() + self.cool_down,
        };
        metrics::circuit_opened(&self.model);
        tracing::warn!(
            provider = self.model.provider.as_str(),
            model = &*self.model.model,
            cool_down_ms = u64::try_from(self.cool_down.as_millis()).unwrap_or(u64::MAX),
            "the model keeps failing and is not called until the cool-down ends"
        );
    }
}

/// An admitted call. When it is dropped without a result (the caller went away), the circuit stays
/// as it is, and another call may probe in its place.
#[derive(Debug)]
pub(crate) struct Attempt {
    shared: Arc<CircuitState>,
    probe: bool,
    settled: bool,
}

impl Attempt {
    /// The model answered.
    pub(crate) fn succeeded(&mut self) {
        self.settled = true;
        let mut state = self.shared.lock();
        match *state {
            State::Closed { .. } => *state = State::Closed { failures: 0 },
            State::Probing | State::Open { .. } if self.probe => {
                *state = State::Closed { failures: 0 };
                tracing::info!(
                    provider = self.shared.model.provider.as_str(),
                    model = &*self.shared.model.model,
                    "the model answers again"
                );
            }
            // A call that began before the circuit opened says nothing about the present.
            State::Probing | State::Open { .. } => {}
        }
    }

    /// The call failed. Only transient failures count; a refused request shows that the model is
    /// reachable.
    pub(crate) fn failed(&mut self, error: &Error) {
        match error.kind {
            kind if kind.is_transient() => self.count(),
            // A local limit says nothing about the model.
            ErrorKind::Busy | ErrorKind::CircuitOpen => {}
            _ => self.succeeded(),
        }
    }

    fn count(&mut self) {
        self.settled = true;
        let mut state = self.shared.lock();
        match *state {
            State::Closed { failures } if failures + 1 >= self.shared.threshold => {
                self.shared.open(&mut state);
            }
            State::Closed { failures } => {
                *state = State::Closed {
                    failures: failures + 1,
                };
            }
            State::Probing if self.probe => self.shared.open(&mut state),
            State::Probing | State::Open { .. } => {}
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if self.probe && !self.settled {
            let mut state = self.shared.lock();
            if *state == State::Probing {
                *state = State::Open {
                    until: Instant::now(),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circuit() -> Circuit {
        let model = ModelId {
            provider: "ollama".into(),
            model: "m".into(),
        };
        Circuit::new(
            model,
            &CircuitConfig {
                failures: 2,
                cool_down_ms: 30_000,
            },
        )
    }

    fn fail(circuit: &Circuit, kind: ErrorKind) {
        circuit.enter().unwrap().failed(&Error::new(kind));
    }

    fn opened() -> Circuit {
        let circuit = circuit();
        fail(&circuit, ErrorKind::Connect);
        fail(&circuit, ErrorKind::Timeout);
        circuit
    }

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_open_it() {
        let circuit = opened();
        assert!(!circuit.is_closed());
        let error = circuit.enter().unwrap_err();
        assert_eq!(error.kind, ErrorKind::CircuitOpen);
    }

    #[tokio::test(start_paused = true)]
    async fn a_success_between_starts_the_count_anew() {
        let circuit = circuit();
        fail(&circuit, ErrorKind::Connect);
        circuit.enter().unwrap().succeeded();
        fail(&circuit, ErrorKind::Connect);
        // A refusal is an answer.
        fail(&circuit, ErrorKind::BadRequest);
        fail(&circuit, ErrorKind::Connect);
        assert!(circuit.is_closed());
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_cool_down_one_call_probes() {
        let circuit = opened();
        tokio::time::advance(Duration::from_secs(30)).await;
        let mut probe = circuit.enter().unwrap();
        assert!(circuit.enter().is_err());
        probe.succeeded();
        assert!(circuit.is_closed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_fails_opens_it_for_another_cool_down() {
        let circuit = opened();
        tokio::time::advance(Duration::from_secs(30)).await;
        fail(&circuit, ErrorKind::Overloaded);
        tokio::time::advance(Duration::from_secs(29)).await;
        assert!(circuit.enter().is_err());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(circuit.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_probe_lets_another_call_probe() {
        let circuit = opened();
        tokio::time::advance(Duration::from_secs(30)).await;
        drop(circuit.enter().unwrap());
        assert!(circuit.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_from_before_closes_nothing() {
        let circuit = circuit();
        let mut old = circuit.enter().unwrap();
        fail(&circuit, ErrorKind::Connect);
        fail(&circuit, ErrorKind::Connect);
        old.succeeded();
        assert!(!circuit.is_closed());
    }
}
