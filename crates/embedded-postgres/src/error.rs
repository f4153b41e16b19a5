//! Why a private server could not be had, each with what the user can do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use provision::fetch::archive;
use provision::server;

/// Why a private server could not be found, made, started or asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Every way to get server binaries failed.
    #[error(
        "no PostgreSQL to start; set DATABASE_URL to a PostgreSQL 14 or later (tried: {tried})"
    )]
    NoServer {
        /// Each way with its reason.
        tried: String,
    },
    /// A folder holds no server that can be run.
    #[error("no usable PostgreSQL in {}: {reason}", folder.display())]
    Unusable {
        /// The folder that was looked into.
        folder: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The archive with the server is not the one we know.
    #[error("{} is not the archive that was asked for: sha256 {found}, expected {expected}", file.display())]
    WrongArchive {
        /// The archive.
        file: PathBuf,
        /// Its digest.
        found: String,
        /// The pinned digest.
        expected: String,
    },
    /// The archive with the server can not be unpacked.
    #[error("{} can not be unpacked: {reason}", file.display())]
    BadArchive {
        /// The archive.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another process runs a server on these data.
    #[error("the database in {} is in use by process {owner}; stop that process, or choose another data folder", data_dir.display())]
    InUse {
        /// The data folder.
        data_dir: PathBuf,
        /// The process id of its user.
        owner: String,
    },
    /// The data were made by another major version.
    #[error(
        "the database in {} was made by PostgreSQL {data}, the server found is version {server}; \
         set HELIOGRAPH_PG_BIN to the binaries of version {data}, or move the folder away to start afresh",
        data_dir.display()
    )]
    OtherMajor {
        /// The data folder.
        data_dir: PathBuf,
        /// The major version that made the data.
        data: String,
        /// The major version of the server.
        server: u32,
    },
    /// The data belong to another user.
    #[error(
        "the database in {} belongs to user {owner}, but the server would run as user {user}; \
         start it as that user, or move the folder away to start afresh",
        data_dir.display()
    )]
    OtherOwner {
        /// The data folder.
        data_dir: PathBuf,
        /// The owner's user id.
        owner: u32,
        /// The user id that the server would have.
        user: u32,
    },
    /// The cluster is there, its password is not.
    #[error("the database in {} has lost its password file; move the folder away to start afresh", data_dir.display())]
    PasswordLost {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// A throw-away cluster was asked for in a folder that holds something.
    #[error("{} exists; a throw-away database wants a folder of its own, which it removes", data_dir.display())]
    NotFresh {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// Root must hand over to another user, and there is none.
    #[error(
        "PostgreSQL refuses to run as root, and neither the user nobody nor the user daemon exists here"
    )]
    NoAccount,
    /// No folder can be reached by the user that runs the server.
    #[error("user {user} can not reach {}: {reason}", folder.display())]
    Unreachable {
        /// The folder wanted.
        folder: PathBuf,
        /// The user id that runs the server.
        user: u32,
        /// What stands in the way.
        reason: String,
    },
    /// The port asked for is taken.
    #[error("port {port} on 127.0.0.1 is taken")]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// The server ended, or did not get ready in time.
    #[error("PostgreSQL did not start: {reason}\n{log}")]
    NotStarted {
        /// What happened.
        reason: String,
        /// The end of the server's log.
        log: String,
    },
    /// The server does not stop.
    #[error("PostgreSQL (process {pid}) does not stop")]
    NotStopped {
        /// Its process id.
        pid: i32,
    },
    /// A program that we called failed.
    #[error("{program} failed ({status})\n{output}")]
    Failed {
        /// The program with its first arguments.
        program: String,
        /// Its exit status.
        status: String,
        /// The end of what it printed.
        output: String,
    },
    /// A program that we called took too long and was ended.
    #[error("{program} did not end within {timeout:?}")]
    TimedOut {
        /// The program with its first arguments.
        program: String,
        /// The time it was given.
        timeout: Duration,
    },
    /// A file or a program could not be used.
    #[error("{}", path.display())]
    Io {
        /// The file or program.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The running server refused a statement.
    #[error("the database refused")]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// Names the path that an I/O error is about.
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
