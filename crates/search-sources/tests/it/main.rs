//! Sources against a real PostgreSQL, and against scripted peers in the place of search engines.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod elastic;
mod elastic_faults;
mod fixture;
mod graphql;
mod graphql_faults;
mod postgraphile;
mod postgres;
