//! Errors of private servers, with hints for the user.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use provision::server;

/// Why finding, creating, starting or using a private server failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No source of server binaries worked.
    #[error(
        "no MariaDB to start; set HELIOGRAPH_MARIADB_BIN to a folder with mariadbd, or HELIOGRAPH_MARIADB_URL to a running server (tried: {tried})"
    )]
    NoServer {
        /// Each source with its error.
        tried: String,
    },
    /// A folder has no usable server.
    #[error("no usable MariaDB in {}: {reason}", folder.display())]
    Unusable {
        /// The folder that was searched.
        folder: PathBuf,
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
    /// The data exist, but the password file is missing.
    #[error("the database in {} has no password file; move the folder away to start with a new database", data_dir.display())]
    PasswordLost {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// The folder for a temporary server is not empty.
    #[error("{} exists; a temporary database needs a new folder, which is removed afterwards", data_dir.display())]
    NotFresh {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// The requested port is in use.
    #[error("port {port} on 127.0.0.1 is taken")]
    PortTaken {
        /// The requested port.
        port: u16,
    },
    /// The server ended, or was not ready in time.
    #[error("MariaDB did not start: {reason}\n{log}")]
    NotStarted {
        /// The reason.
        reason: String,
        /// The last lines of the server's log.
        log: String,
    },
    /// The server does not stop.
    #[error("MariaDB (process {pid}) does not stop")]
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

    /// The error with its causes on one line: the first line of each, and the last line of a
    /// program's output.
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
    fn without_a_server_the_error_names_the_settings() {
        let error = Error::NoServer {
            tried: "everything".to_owned(),
        };
        let line = error.to_string();
        assert!(line.contains("HELIOGRAPH_MARIADB_BIN") && line.contains("HELIOGRAPH_MARIADB_URL"));
    }
}
