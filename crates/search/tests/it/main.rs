//! Typed queries, from what is wanted to what is sent and back.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can not go on fails"
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
