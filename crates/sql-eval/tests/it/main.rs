//! Evaluations of real queries and of odd files.

#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod odd;
mod spider;
