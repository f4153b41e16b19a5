//! The engine from outside.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

mod checkpoints;
mod conformance;
mod failures;
mod fixtures;
mod interrupts;
mod laws;
mod routes;
mod run_context;
mod streams;
mod subgraphs;
