//! Errors of private servers, with hints for the user.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// The archive with the server has an unexpected digest.
    #[error("{} is not the expected archive: sha256 is {found}, expected {expected}", file.display())]
    WrongArchive {
        /// The path of the archive.
        file: PathBuf,
        /// The digest of the archive.
        found: String,
        /// The pinned digest.
        expected: String,
    },
    /// Unpacking the archive with the server failed.
    #[error("{} cannot be unpacked: {reason}", file.display())]
    BadArchive {
        /// The path of the archive.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Another process uses these data.
    #[error("the database in {} is in use by process {owner}; stop that process, or choose another data folder", data_dir.display())]
    InUse {
        /// The data folder.
        data_dir: PathBuf,
        /// The id of that process.
        owner: String,
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
    /// The cluster exists, but its password file is missing.
    #[error("the database in {} has no password file; move the folder away to start with a new database", data_dir.display())]
    PasswordLost {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// The folder for a temporary cluster is not empty.
    #[error("{} exists; a temporary database needs a new folder, which is removed afterwards", data_dir.display())]
    NotFresh {
        /// The data folder.
        data_dir: PathBuf,
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
    /// The requested port is in use.
    #[error("port {port} on 127.0.0.1 is taken")]
    PortTaken {
        /// The requested port.
        port: u16,
    },
    /// The server ended, or was not ready in time.
    #[error("PostgreSQL did not start: {reason}\n{log}")]
    NotStarted {
        /// The reason.
        reason: String,
        /// The last lines of the server's log.
        log: String,
    },
    /// The server does not stop.
    #[error("PostgreSQL (process {pid}) does not stop")]
    NotStopped {
        /// The process id of the server.
        pid: i32,
    },
    /// A program that was called failed.
    #[error("{program} failed ({status})\n{output}")]
    Failed {
        /// The program with its first arguments.
        program: String,
        /// The exit status.
        status: String,
        /// The last lines of its output.
        output: String,
    },
    /// A program that was called exceeded its time limit and was killed.
    #[error("{program} did not end within {timeout:?}")]
    TimedOut {
        /// The program with its first arguments.
        program: String,
        /// The time limit.
        timeout: Duration,
    },
    /// Using a file or a program failed.
    #[error("{}", path.display())]
    Io {
        /// The path of the file or program.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The server rejected a statement.
    #[error("the database rejected a statement")]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// Adds the path to an I/O error.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}

impl From<provision::Error> for Error {
    fn from(error: provision::Error) -> Self {
        use provision::Error as Its;
        match error {
            Its::NotRun { program, source } => Self::Io {
                path: program.into(),
                source,
            },
            Its::Failed {
                program,
                status,
                output,
            } => Self::Failed {
                program,
                status,
                output,
            },
            Its::TimedOut { program, timeout } => Self::TimedOut { program, timeout },
            Its::Io { path, source } => Self::Io { path, source },
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

impl From<server::Error> for Error {
    fn from(error: server::Error) -> Self {
        match error {
            server::Error::InUse { data_dir, owner } => Self::InUse { data_dir, owner },
            server::Error::PasswordLost { data_dir } => Self::PasswordLost { data_dir },
            server::Error::PortTaken { port } => Self::PortTaken { port },
            server::Error::NotStarted { reason, log } => Self::NotStarted { reason, log },
            server::Error::NotStopped { pid } => Self::NotStopped { pid },
            server::Error::File(error) => error.into(),
        }
    }
}
