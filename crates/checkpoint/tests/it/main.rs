//! The checkpointers against the suite, in trouble, and with the engine on top of them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

mod degraded;
mod engine;
mod error_handling;
mod postgres;
mod sqlite;
