//! The tools service: solar analytics and ingestion over PostgreSQL.

pub mod catalog;
pub mod database;
pub mod rollup;
pub mod store;

pub use database::migrate;
