//! The store on a real PostgreSQL.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests say so when something is not as it should be"
)]

mod accept;
mod chaos;
mod cleanup;
mod connections;
mod events;
mod harness;
mod idempotency;
mod leases;
mod listener;
mod messages;
mod ownership;
mod schema;
mod search;
mod threads;
