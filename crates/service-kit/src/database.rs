//! PostgreSQL, beside what the crate `database-kit` has: whether a service can work with it.

mod health;

pub use database_kit::{
    Error, Kept, Liveness, Schema, Unreachable, ensure_schema, pool, reach, reason,
};
pub use health::DatabaseHealth;
