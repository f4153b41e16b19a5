//! Writes and checks `.sqlx`, the folder that the compiler reads where sqlx's macros would ask a database.
//!
//! `cargo run --bin query-metadata` writes the folder anew. It finds the queries in the sources ([`sources`]), makes databases with all
//! migrations of the product ([`databases`]), asks them about each query and writes the files that sqlx's macros would write
//! ([`metadata`]). It compiles no crate that has such queries, so it also works while those do not compile.
//!
//! The tests of this crate do the same and compare; they also hold the product to the rules of [`sources::Source`].

pub mod databases;
pub mod metadata;
pub mod sources;

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder with a file per query.
pub fn folder() -> PathBuf {
    workspace().join(".sqlx")
}
