//! The kit from outside: real routers, and real sockets where a socket is the point.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails here, helpers included"
)]

mod connections;
mod frame;
mod identity;
mod lifecycle;
mod lines;
mod local;
mod logs;
mod opening;
mod operations;
mod smaller;
mod support;
mod traces;
