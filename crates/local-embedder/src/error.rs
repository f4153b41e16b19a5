//! Why a model directory can not be used, or a text could not be embedded.

use std::io;
use std::path::{Path, PathBuf};

/// Why there is no embedder, or no vector.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file is missing or can not be read.
    #[error("{} can not be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not what its name says.
    #[error("{} is not usable: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The model wants something that is not built here.
    #[error("{} asks for {what}, which is not supported; {supported}", path.display())]
    Unsupported {
        /// The file that asks for it.
        path: PathBuf,
        /// What it asks for.
        what: String,
        /// What would do.
        supported: &'static str,
    },
    /// The vectors have another length than the caller counts on.
    #[error("the model in {} makes vectors of {found}, not of {expected}", directory.display())]
    Dimensions {
        /// The model directory.
        directory: PathBuf,
        /// The length of its vectors.
        found: usize,
        /// The length asked for.
        expected: usize,
    },
    /// A text could not be cut into tokens.
    #[error("the text can not be cut into tokens: {0}")]
    Tokens(String),
    /// The computation failed.
    #[error("the model failed")]
    Model(#[from] candle_core::Error),
    /// The model computed something that is no number: its weights are damaged.
    #[error("the model's answer is not a number")]
    NotANumber,
}

impl Error {
    pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Unreadable {
            path: path.to_path_buf(),
            source,
        }
    }

    pub(crate) fn invalid(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Invalid {
            path: path.to_path_buf(),
            reason: reason.to_string(),
        }
    }

    /// As callers of [`llm::Embedder`] see it.
    pub(crate) fn into_llm(self) -> llm::Error {
        let mut detail = self.to_string();
        let mut cause = std::error::Error::source(&self);
        while let Some(error) = cause {
            detail = format!("{detail}: {error}");
            cause = error.source();
        }
        let kind = match self {
            Self::Tokens(_) => llm::ErrorKind::BadRequest,
            _ => llm::ErrorKind::Unreadable,
        };
        llm::Error::new(kind).with_detail(detail)
    }
}
