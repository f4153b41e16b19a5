//! The demonstration on a real server.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod graph;
mod loading;
mod questions;
mod rights;
mod support;
