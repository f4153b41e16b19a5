//! A private MariaDB for development and tests.
//!
//! [`start`] looks for server binaries (a configured folder, the cache, the system, the
//! distribution's package unpacked into the cache, in this order), creates a data directory if
//! there is none, and starts the server on a free port of the loopback interface, with an
//! administrator and a password of its own. Nothing is installed in the system. The server ends
//! with this process, however the process ends. [`Database`] also accepts the address of an
//! existing server, in which case nothing is started.
//!
//! The server runs as the user of this process, which can be root. It listens only on the loopback
//! interface, and cannot read or write files outside its own folder.
//!
//! Not in this crate: reading the environment, schemas, restricted roles, connection pools.
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
mod running;
mod server;

pub use error::Error;
pub use provision::server::{Durability, Options, Progress};
pub use running::url_of_running;
pub use server::{Database, MariaDb, Server, start};
