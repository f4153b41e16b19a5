//! The advisor with tools and a model of the tests' own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod bench;
mod diagram;
mod model;
mod rules;
mod threads;
