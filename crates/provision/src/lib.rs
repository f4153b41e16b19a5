//! Provisions what a user would otherwise have to install.
//!
//! [`fetch`] fills a folder once, in the first of several processes, so that an incomplete folder
//! is never visible. [`server`] runs a server that ends with this process, however it ends.
//! [`model`] is the embedding model that is fetched on demand. They use [`Lock`], a lock between
//! processes, and [`command`], which runs other programs.
//!
//! Callers decide which server is used, its origin, its files, and the messages to the user.
//!
//! ```no_run
//! # async fn example() -> Result<(), provision::Error> {
//! use provision::fetch::{Cached, Filled};
//!
//! let greeting = Cached {
//!     cache: ".heliograph/cache".into(),
//!     name: "greeting".to_owned(),
//!     lock: "greeting.lock",
//!     scratch: "greeting-scratch-",
//! };
//! let filled = greeting.fill(
//!     |owner| eprintln!("waiting for process {owner}"),
//!     async |scratch| {
//!         let contents = scratch.contents();
//!         std::fs::create_dir(&contents)
//!             .and_then(|()| std::fs::write(contents.join("hello"), "world"))
//!             .map_err(provision::Error::io(&contents))
//!     },
//! );
//! assert!(matches!(filled.await?, Filled::Before | Filled::Now) && greeting.is_complete());
//! # Ok(())
//! # }
//! ```

pub mod command;
mod error;
pub mod fetch;
mod lock;
pub mod model;
pub mod server;

pub use error::{Error, on_one_line};
pub use lock::Lock;
