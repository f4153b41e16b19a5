//! Writes and checks `.sqlx`, the folder that sqlx's macros read instead of asking a database.
//!
//! `cargo run --bin query-metadata` writes the folder again. It finds the queries in the sources
//! ([`sources`]), creates databases with all migrations of the product ([`databases`]), has them
//! describe each query and writes the files that the macros would write ([`metadata`]). It compiles
//! no crate with such queries, so it also works while those do not compile.
//!
//! The tests of this crate compare the folder with the databases, and check the rules for SQL in
//! ARCHITECTURE.md.

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
