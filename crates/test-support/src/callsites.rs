//! Logs and spans of one test among others in the same process.

use std::future::Future;

/// Does `work` once, with a subscriber that takes every line and span, so that their callsites are
/// registered.
///
/// Before a test's own subscriber is set as the default of its thread, what it counts is done once
/// in here. Otherwise the thread of another test, which has no subscriber, may be the first to
/// reach a callsite, and `tracing` then turns it off for all threads.
pub async fn register_callsites<F: Future>(work: F) -> F::Output {
    let _all = tracing::subscriber::set_default(tracing_subscriber::registry());
    work.await
}
