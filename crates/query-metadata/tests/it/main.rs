//! Holds `.sqlx` to the databases, and the product's sources to the rules for SQL.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod fresh;
mod rules;
