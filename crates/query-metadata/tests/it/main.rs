//! Compares `.sqlx` with the databases, and checks the rules for SQL in the product's sources.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod fresh;
mod rules;
