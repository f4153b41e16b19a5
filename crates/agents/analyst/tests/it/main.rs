//! The assistant against tools over a small shipping company, a scripted model, and a memory that
//! can fail: the BI agent's scenarios, every branch of the graph, every way in which a turn can
//! end.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of tests fail like tests"
)]

mod analysis;
mod approval;
mod chat;
mod clarification;
mod continuing;
mod diagram;
mod double;
mod failures;
mod memory;
mod model;
mod questions;
mod results;
mod scenarios;
mod slow;
mod stored;
