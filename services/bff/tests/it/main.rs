//! The bff over a real PostgreSQL. The inner tiers are absent here; the tests of `services/heliograph` have them all.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod accounts;
mod bench;
mod browser;
mod configuration;
mod contract;
mod keys;
mod limits;
mod origins;
mod page;
mod services;
mod sessions;
mod sign_in;
mod tokens;
