//! The behaviour of the graph through its public interface.

#![expect(clippy::unwrap_used, reason = "tests stop at the first failure")]

mod graph;
mod links;
