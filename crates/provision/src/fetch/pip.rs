//! Downloads with pip, which uses the user's index, proxies and certificates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Error, command};

/// Settings of every call: no prompts, and no check of pip's version.
const SETTINGS: [&str; 2] = ["--disable-pip-version-check", "--no-input"];

/// A wheel: one exact version of a package, by its digest.
#[derive(Clone, Copy, Debug)]
pub struct Wheel<'a> {
    /// The name of the package.
    pub package: &'a str,
    /// The exact version of the package.
    pub version: &'a str,
    /// The digest of the wheel's file.
    pub sha256: &'a str,
    /// Additional arguments: the platform, if the wheel is not for the installed Python.
    pub arguments: &'a [&'a str],
}

/// Whether pip is installed.
pub async fn check() -> Result<(), Error> {
    let mut version = pip("--version");
    version.args(SETTINGS);
    command::run(version, Duration::from_mins(1))
        .await
        .map(drop)
}

/// Downloads `wheel` without its dependencies into `folder`. Returns `None` if pip downloaded no
/// wheel.
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
