//! Targets against real databases: a `MariaDB` and a PostgreSQL that the tests start.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod away;
mod bounds;
mod bytes;
mod catalogue;
mod constructions;
mod fence;
mod fixture;
mod guesses;
mod limits;
mod privileges;
mod refresh;
mod roles;
mod schemas;
mod secrets;
mod tls;
mod turns;
mod types;
