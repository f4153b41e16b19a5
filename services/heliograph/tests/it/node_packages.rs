//! Programs from npm's registry and from Debian, as [`test_support::npm`] installs them, for the
//! tests of this binary.

use std::path::PathBuf;

pub(crate) use test_support::npm::{answers, apt_install, node_major, skipped, text};

/// A copy of a folder of `tests/` with its packages beside it; or why it cannot be made.
pub(crate) fn install(files: &str, name: &str) -> Result<PathBuf, String> {
    let target = env!("CARGO_TARGET_TMPDIR");
    test_support::npm::install(files, name, target, test_support::npm::OLDEST_NODE)
}
