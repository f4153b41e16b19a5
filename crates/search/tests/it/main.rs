//! Typed queries, from the request to the rows.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot continue fails"
)]

mod checks;
mod fixture;
mod golden;
mod lists;
mod readings;
mod refusals;
mod responses;
mod round_trip;
mod statements;
mod summaries;
