//! A private MariaDB for development and tests.
//!
//! [`start`] looks for server binaries (a given folder, our cache, the system, the distribution's package unpacked into the
//! cache, in this order), makes a data directory when there is none yet, and starts the server on a free port of the loopback
//! interface, with an administrator and a password of its own. Nothing is installed in the system. The server goes down with
//! this process, however the process ends. [`Database`] puts the choice in front of it: an address that the user gave is
//! used as it is, and nothing is started.
//!
//! The server runs as whoever runs us, root included: it listens on the loopback interface only, and may read and write
//! files on nobody's behalf outside its own folder.
//!
//! What this crate leaves to others: reading the environment, schemas, roles with fewer rights, connection pools.
//!
//! ```no_run
//! # async fn example() -> Result<(), embedded_mariadb::Error> {
//! use embedded_mariadb::{Options, start};
//!
//! let server = start(Options::durable(".heliograph/mariadb", ".heliograph/cache")).await?;
//! server.create_database("fieldservice").await?;
//! let url = server.url("fieldservice");
//! # drop(url);
//! server.stop().await
//! # }
//! ```

mod binaries;
pub mod databases;
mod error;
mod folder;
mod launch;
mod options;
mod server;

pub use binaries::{Provenance, Version};
pub use error::Error;
pub use options::{Options, Progress, ProgressFn};
pub use provision::server::Durability;
pub use server::{Database, Server, start};
