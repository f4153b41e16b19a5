//! Models against scripted providers over HTTP.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod embeddings;
mod faults;
mod resilience;
mod secrets;
mod support;
mod telemetry;
mod wishes;
