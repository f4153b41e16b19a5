//! The bill of materials of a program as a `CycloneDX` document: the crates that are linked into
//! it, with versions, licences, checksums, and which needs which.
//!
//! It asks `cargo tree`, because the features of one package alone decide what is linked, and
//! `cargo metadata` for the rest. Macros and build scripts are not part of a program.

mod cyclonedx;
mod workspace;

use std::path::Path;

pub use cyclonedx::{Component, Document};

/// The bill of materials of a package's program, in the workspace of `folder`.
pub fn of(folder: &Path, package: &str) -> anyhow::Result<Document> {
    let linked = workspace::linked(folder, package)?;
    let checksums = workspace::checksums(folder)?;
    let metadata = workspace::metadata(folder)?;
    cyclonedx::document(package, &linked, &checksums, &metadata)
}
