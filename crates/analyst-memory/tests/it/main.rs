//! The memory on a real PostgreSQL.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests say so when something is not as it should be"
)]

mod earlier;
mod harness;
mod memory;
