//! The library against a real PostgreSQL.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

knowledge::document_reader_for_tests!();

mod folders;
mod ingestion;
mod reranking;
mod searching;
mod stores;
