//! Real servers: started, queried, stopped, killed.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail like tests"
)]

mod death;
mod lifecycle;
mod support;
