//! Provisions what a user would otherwise have to install.
//!
//! [`fetch`] fills a folder once, by whoever comes first of several processes, so that nobody ever sees half of it. [`server`] runs a
//! server that ends with us, however we end. [`model`] is the embedding model that is fetched on demand. Beneath them: [`Lock`] keeps
//! processes apart, [`command`] calls other programs.
//!
//! What this crate leaves to others: which server, where from, which files of it, and what to tell the user.
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
