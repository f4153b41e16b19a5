//! Evaluations of real queries and of odd files.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests stop at the first surprise"
)]

mod execution;
mod odd;
mod spider;
