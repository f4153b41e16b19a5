//! Errors of loading a model and of embedding a text.

use std::io;
use std::path::{Path, PathBuf};

/// Why a model was not loaded, or a text not embedded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file is missing or cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file has invalid contents.
    #[error("{} is not usable: {reason}", path.display())]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// The error in the contents.
        reason: String,
    },
    /// The model needs a feature that this crate does not support.
    #[error("{} asks for {what}, which is not supported; {supported}", path.display())]
    Unsupported {
        /// The file that requires the feature.
        path: PathBuf,
        /// The required feature.
        what: String,
        /// The supported features, as a sentence.
        supported: &'static str,
    },
    /// The vectors do not have the required length.
    #[error("the model in {} has vectors of length {found}, but {expected} is required", directory.display())]
    Dimensions {
        /// The model directory.
        directory: PathBuf,
        /// The length of the model's vectors.
        found: usize,
        /// The required length.
        expected: usize,
    },
    /// Tokenizing a text failed.
    #[error("tokenizing the text failed: {0}")]
    Tokens(String),
    /// The computation failed.
    #[error("the model failed")]
    Model(#[from] candle_core::Error),
    /// The model computed a value that is not a number, so its weights are damaged.
    #[error("the model returned a value that is not a number; its weights are damaged")]
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

    /// Converts to the error of [`llm::Embedder`].
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
