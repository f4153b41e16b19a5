//! Errors of private servers, with hints for the user.

use std::io;
use std::path::{Path, PathBuf};

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
    /// The server does not run or stop, or another process uses its data.
    #[error(transparent)]
    Server(#[from] server::Error),
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

    /// The error with its causes on one line: the first line of each, and the last line of a
    /// program's output.
    pub fn on_one_line(&self) -> String {
        provision::on_one_line(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_holds_the_cause_and_the_last_words_of_a_program() {
        let failed = Error::from(provision::Error::Failed {
            program: "apt-get download".to_owned(),
            status: "exit status: 100".to_owned(),
            output: "Reading lists\nE: Unable to locate package\n".to_owned(),
        });
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
