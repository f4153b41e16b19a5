//! Errors of private servers, with hints for the user.

use std::io;
use std::path::{Path, PathBuf};

use provision::fetch::archive;
use provision::server;

/// Why finding, creating, starting or using a private server failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No source of server binaries worked.
    #[error("found no PostgreSQL; set DATABASE_URL to a PostgreSQL 14 or later (tried: {tried})")]
    NoServer {
        /// Each source with its error.
        tried: String,
    },
    /// A folder has no usable server.
    #[error("no usable PostgreSQL in {}: {reason}", folder.display())]
    Unusable {
        /// The folder that was searched.
        folder: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The data were created by another major version.
    #[error(
        "the database in {} was created by PostgreSQL {data}, but the server has version {server}; \
         set HELIOGRAPH_PG_BIN to the binaries of version {data}, or move the folder away to start afresh",
        data_dir.display()
    )]
    OtherMajor {
        /// The data folder.
        data_dir: PathBuf,
        /// The major version of the data.
        data: String,
        /// The major version of the server.
        server: u32,
    },
    /// The data belong to another user.
    #[error(
        "the database in {} belongs to user {owner}, but the server would run as user {user}; \
         start it as that user, or move the folder away to start with a new database",
        data_dir.display()
    )]
    OtherOwner {
        /// The data folder.
        data_dir: PathBuf,
        /// The user id of the owner.
        owner: u32,
        /// The user id that the server would run as.
        user: u32,
    },
    /// Root must start the server as another user, and none exists.
    #[error(
        "PostgreSQL refuses to run as root, and neither the user nobody nor the user daemon exists here"
    )]
    NoAccount,
    /// The user that runs the server cannot reach any of the folders.
    #[error("user {user} cannot reach {}: {reason}", folder.display())]
    Unreachable {
        /// The requested folder.
        folder: PathBuf,
        /// The user id of the server.
        user: u32,
        /// The obstacle.
        reason: String,
    },
    /// The server does not run or stop, or another process uses its data.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// The archive with the server cannot be used.
    #[error(transparent)]
    Archive(#[from] archive::Error),
    /// Using a file or a program failed.
    #[error(transparent)]
    File(#[from] provision::Error),
    /// The server rejected a statement.
    #[error("the database rejected a statement")]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// Adds the path to an I/O error.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| provision::Error::io(path)(source).into()
    }
}
