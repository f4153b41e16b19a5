//! The sentence-embedding model that tests of retrieval need.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// The directory of all-MiniLM-L6-v2, fetched into the workspace's own cache by whichever test
/// comes first. A test that cannot have it fails: it would show nothing without.
pub async fn directory() -> anyhow::Result<PathBuf> {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.heliograph/cache");
    provision::model::fetch(&cache, |step| tracing::info!("{step}"))
        .await
        .context("the embedding model that this test needs")
}
