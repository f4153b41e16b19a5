//! Evaluations of real queries and of files with unusable lines.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests stop at the first failure"
)]

mod execution;
mod skipped;
mod spider;
