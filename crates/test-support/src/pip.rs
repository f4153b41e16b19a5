//! Packages from the Python Package Index for tests that need them: installed where that is
//! possible.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "the helpers of tests fail like tests"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::npm::{text, wait_for};

/// The folder `name` within `target` (`CARGO_TARGET_TMPDIR`) with the packages of a list, made
/// once; or why it cannot be made. The options are for pip.
pub fn install(list: &Path, name: &str, target: &str, options: &[&str]) -> Result<PathBuf, String> {
    let folder = Path::new(target).join(name);
    let complete = folder.join(".complete");
    // pip moves its packages into a folder one by one, and fails where another does the same.
    let _alone = wait_for(&folder);
    if complete.exists() {
        return Ok(folder);
    }
    let output = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "--upgrade", "--target"])
        .arg(&folder)
        .arg("-r")
        .arg(list)
        .args(options)
        .output()
        .map_err(|error| format!("python3: {error}"))?;
    let said = text(&output);
    if output.status.success() {
        std::fs::write(complete, "").unwrap();
        return Ok(folder);
    }
    let away = [
        "NewConnectionError",
        "No module named pip",
        "Temporary failure",
    ];
    assert!(
        away.iter().any(|sign| said.contains(sign)),
        "pip install failed:\n{said}"
    );
    Err(said)
}
