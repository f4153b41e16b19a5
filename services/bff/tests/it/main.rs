//! The bff over a real PostgreSQL. The inner tiers are absent here; the tests of `services/heliograph` have them all.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod accounts;
mod almost_right;
mod bench;
mod contract;
mod limits;
mod page;
mod services;
mod sessions;
mod tokens;
