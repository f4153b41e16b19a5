//! Why a private server could not be had, each with what the user can do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use provision::server;

/// Why a private server could not be found, made, started or asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Every way to get server binaries failed.
    #[error(
        "no MariaDB to start; set HELIOGRAPH_MARIADB_BIN to a folder with mariadbd, or HELIOGRAPH_MARIADB_URL to a running server (tried: {tried})"
    )]
    NoServer {
        /// Each way with its reason.
        tried: String,
    },
    /// A folder holds no server that can be run.
    #[error("no usable MariaDB in {}: {reason}", folder.display())]
    Unusable {
        /// The folder that was looked into.
        folder: PathBuf,
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
    /// The data are there, the password is not.
    #[error("the database in {} has lost its password file; move the folder away to start afresh", data_dir.display())]
    PasswordLost {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// A throw-away server was asked for in a folder that holds something.
    #[error("{} exists; a throw-away database wants a folder of its own, which it removes", data_dir.display())]
    NotFresh {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// The port asked for is taken.
    #[error("port {port} on 127.0.0.1 is taken")]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// The server ended, or did not get ready in time.
    #[error("MariaDB did not start: {reason}\n{log}")]
    NotStarted {
        /// What happened.
        reason: String,
        /// The end of the server's log.
        log: String,
    },
    /// The server does not stop.
    #[error("MariaDB (process {pid}) does not stop")]
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

    /// The error with its causes as one line: the first line of each, and the last of what a program printed.
    pub fn on_one_line(&self) -> String {
        provision::on_one_line(self)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_holds_the_cause_and_the_last_words_of_a_program() {
        let failed = Error::Failed {
            program: "apt-get download".to_owned(),
            status: "exit status: 100".to_owned(),
            output: "Reading lists\nE: Unable to locate package\n".to_owned(),
        };
        assert_eq!(
            failed.on_one_line(),
            "apt-get download failed (exit status: 100): E: Unable to locate package"
        );
    }

    #[test]
    fn without_a_server_the_user_hears_what_to_set() {
        let error = Error::NoServer {
            tried: "everything".to_owned(),
        };
        let line = error.to_string();
        assert!(line.contains("HELIOGRAPH_MARIADB_BIN") && line.contains("HELIOGRAPH_MARIADB_URL"));
    }
}
