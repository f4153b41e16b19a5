//! Models against scripted providers over HTTP.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod defined_provider;
mod embeddings;
mod faults;
mod model_options;
mod resilience;
mod secrets;
mod support;
mod telemetry;
