//! The SQLite checkpointer against the suite, and with the engine on top of it.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod engine;
mod sqlite;
