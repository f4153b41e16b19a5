//! Real servers: started, asked, stopped, killed.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what a test shares with others fails as a test does"
)]

mod death;
mod lifecycle;
mod support;
