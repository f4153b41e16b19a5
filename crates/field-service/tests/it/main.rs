//! The demonstration on a real server.

#![expect(
    clippy::unwrap_used,
    reason = "what a test shares with others fails as a test does"
)]

mod graph;
mod loading;
mod questions;
mod rights;
mod support;
