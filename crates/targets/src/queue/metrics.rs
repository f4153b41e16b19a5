//! Metrics of the queue, with the process's meter provider; without one, they do nothing.

use std::sync::LazyLock;

use opentelemetry::metrics::UpDownCounter;
use opentelemetry::{KeyValue, global};

static STATEMENTS: LazyLock<UpDownCounter<i64>> = LazyLock::new(|| {
    global::meter("heliograph")
        .i64_up_down_counter("heliograph.target.statements")
        .with_description("Statements for targets that run, or wait for their turn.")
        .build()
});

/// A statement runs.
pub(super) const RUNNING: &str = "running";

/// It waits for its turn.
pub(super) const WAITING: &str = "waiting";

/// Begins the figures at zero, so that they are there before the first statement.
pub(super) fn begin() {
    for state in [RUNNING, WAITING] {
        STATEMENTS.add(0, &[KeyValue::new("state", state)]);
    }
}

/// A statement in a state, until it is dropped.
#[derive(Debug)]
pub(super) struct ObservedStatement([KeyValue; 1]);

impl ObservedStatement {
    pub(super) fn begin(state: &'static str) -> Self {
        let observed = Self([KeyValue::new("state", state)]);
        STATEMENTS.add(1, &observed.0);
        observed
    }
}

impl Drop for ObservedStatement {
    fn drop(&mut self) {
        STATEMENTS.add(-1, &self.0);
    }
}
