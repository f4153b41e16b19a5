//! Running a server that is ours alone, and ends with us.
//!
//! A server must not outlive us, even if we are killed. So it is started through a shell that first puts a [`Guard`] beside it: a
//! process that reads from a pipe whose other end we hold. Whatever ends us closes the pipe, and the guard then ends the server. (A
//! parent-death signal would need unsafe code, and follows a thread rather than the process.) Both live in a process group of their
//! own, so that Ctrl-C in the terminal reaches us alone, and we decide when the server stops.
//!
//! Each kind of server is a [`PrivateServer`] around a [`ServerProcess`]; [`Database`] puts the choice in front of it between one and
//! an address that the user gave.
//!
//! What a server keeps is in a folder that one process at a time uses ([`data_dir`]). A server that an earlier process has left there
//! is ended first ([`predecessor`]).

pub mod data_dir;
mod database;
mod guard;
pub mod predecessor;
mod process;

use std::path::PathBuf;

pub use data_dir::Durability;
pub use database::{Database, GivenUrl, PrivateServer};
pub use guard::Guard;
pub use process::{Program, ServerProcess, launch};

/// Why a server does not run, or does not end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process runs a server on these data.
    #[error("the data in {} are in use by process {owner}", data_dir.display())]
    InUse {
        /// The data folder.
        data_dir: PathBuf,
        /// The process id of its user.
        owner: String,
    },
    /// The data are there, the password is not.
    #[error("the data in {} have lost their password file", data_dir.display())]
    PasswordLost {
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
    #[error("the server did not start: {reason}\n{log}")]
    NotStarted {
        /// What happened.
        reason: String,
        /// The end of the server's log.
        log: String,
    },
    /// The server does not stop.
    #[error("the server (process {pid}) does not stop")]
    NotStopped {
        /// Its process id.
        pid: i32,
    },
    /// A file or a program could not be used.
    #[error(transparent)]
    File(#[from] crate::Error),
}
