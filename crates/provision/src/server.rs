//! Runs a private server that ends with this process.
//!
//! A server must not outlive this process, even if the process is killed. It is therefore started
//! through a shell that first starts a [`Guard`]: a process that reads from a pipe whose other end
//! this process holds. The end of this process closes the pipe, and the guard then stops the
//! server. (A parent-death signal would need unsafe code, and follows a thread rather than the
//! process.) Server and guard have their own process group, so that Ctrl-C in the terminal reaches
//! only this process, which decides when the server stops.
//!
//! [`Server`] is a running server of any [`Kind`], around a [`ServerProcess`]. [`Database`] is either
//! such a server or an address from the user.
//!
//! The data of a server are in a folder that one process at a time uses ([`data_dir`]). A server of
//! an earlier process in that folder is stopped first ([`predecessor`]).

pub mod data_dir;
mod database;
mod guard;
mod options;
pub mod predecessor;
mod private;
mod process;

use std::path::PathBuf;

pub use data_dir::Durability;
pub use database::{Database, GivenUrl};
pub use guard::Guard;
pub use options::{Options, Progress, ProgressFn};
pub use private::{ADMINISTRATOR, DataFolder, Kind, Server};
pub use process::{Program, ServerProcess, launch};

/// Why a server does not run, or does not stop.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process uses these data.
    #[error("the database in {} is in use by process {owner}; stop that process, or choose another data folder", data_dir.display())]
    InUse {
        /// The data folder.
        data_dir: PathBuf,
        /// The id of that process.
        owner: String,
    },
    /// The folder for a temporary server is not empty.
    #[error("{} exists; a temporary database needs a new folder, which is removed afterwards", data_dir.display())]
    NotFresh {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// The data exist, but the password file is missing.
    #[error("the database in {} has no password file; move the folder away to start with a new database", data_dir.display())]
    PasswordLost {
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
    #[error("{program} did not start: {reason}\n{log}")]
    NotStarted {
        /// The name of the server.
        program: &'static str,
        /// The reason.
        reason: String,
        /// The last lines of the server's log.
        log: String,
    },
    /// The server does not stop.
    #[error("{program} (process {pid}) does not stop")]
    NotStopped {
        /// The name of the server.
        program: &'static str,
        /// The process id of the server.
        pid: i32,
    },
    /// Using a file or a program failed.
    #[error(transparent)]
    File(#[from] crate::Error),
}
