//! Lets pip fetch, with the index, proxies and certificates that the user set up for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Error, command};

/// Settings of every call: nothing is asked, and pip's own age is not the matter.
const SETTINGS: [&str; 2] = ["--disable-pip-version-check", "--no-input"];

/// A wheel: one exact version of a package, by its digest.
#[derive(Clone, Copy, Debug)]
pub struct Wheel<'a> {
    /// The package.
    pub package: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The digest of the wheel's file.
    pub sha256: &'a str,
    /// What more pip is told: the platform, when the wheel is not for this one's Python.
    pub arguments: &'a [&'a str],
}

/// Whether there is a pip.
pub async fn check() -> Result<(), Error> {
    let mut version = pip("--version");
    version.args(SETTINGS);
    command::run(version, Duration::from_mins(1))
        .await
        .map(drop)
}

/// Fetches `wheel` alone, without what it depends on, into `folder`; `None` when pip has left none.
pub async fn download(wheel: &Wheel<'_>, folder: &Path) -> Result<Option<PathBuf>, Error> {
    let requirements = folder.join("requirements.txt");
    let (package, version, sha256) = (wheel.package, wheel.version, wheel.sha256);
    let line = format!("{package}=={version} --hash=sha256:{sha256}\n");
    fs::write(&requirements, line).map_err(Error::io(&requirements))?;
    let mut download = pip("download");
    download
        .args(["--quiet", "--no-deps", "--require-hashes"])
        .arg("--only-binary=:all:")
        .args(SETTINGS)
        .args(wheel.arguments)
        .arg("--dest")
        .arg(folder)
        .arg("--requirement")
        .arg(&requirements);
    command::run(download, Duration::from_mins(10)).await?;
    let files = fs::read_dir(folder).map_err(Error::io(folder))?.flatten();
    Ok(files
        .map(|entry| entry.path())
        .find(|file| file.extension().is_some_and(|extension| extension == "whl")))
}

fn pip(subcommand: &str) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "pip", subcommand]);
    command
}
