//! Connections to target databases: what is there, and reading it within limits.
//!
//! A [`Target`] is one database of `MySQL` 8, `MariaDB` or PostgreSQL, by the role that Heliograph
//! connects with. Its [`Catalogue`] is introspected when it is first needed: tables by their
//! logical names, how they join, and the guard's view of both under the target's
//! [policy](PolicyFile). A statement goes through [`Target::check`] (the guard, with the tenant's
//! row filters) and then [`Target::run_for`]: the asker's [turn](Asker), an estimate, a read-only
//! transaction, a timeout, and limits on rows and bytes. [`TargetError`] distinguishes a wrong
//! statement from an unavailable database.
//!
//! This crate leaves to others: HTTP, the wire's types, ranking tables, asking models.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use targets::{Target, TargetConfig};
//!
//! let config = TargetConfig::new("field", "mysql://reader:secret@127.0.0.1/fieldservice");
//! let target = Target::new(config)?;
//! let catalogue = target.catalogue().await?;
//! println!("{} tables", catalogue.tables.len());
//! if let Ok(checked) = target.check("SELECT name FROM crew", "demo", 100).await? {
//!     let rows = target.run(&checked, &target.limits()).await?;
//!     println!("{} rows", rows.rows.len());
//! }
//! # Ok(())
//! # }
//! ```

mod catalogue;
mod config;
mod connection;
pub mod dates;
mod error;
mod examine;
mod fingerprint;
mod introspect;
mod kept;
mod own_rows;
mod policy;
mod questions;
mod queue;
mod rights;
mod run;
mod standing;
mod target;
mod value;
mod weigh;

pub use catalogue::{Catalogue, ColumnInfo, TableInfo};
pub use config::{DOCUMENT_VARIABLES, DocumentTarget, TargetConfig, TenantId};
pub use error::{Away, Bound, TargetError};
pub use examine::{Examination, Step, Trial};
pub use introspect::{FoundColumn, FoundTable, Introspection, ValueSource, introspect};
pub use join_graph;
pub use kept::{JoinVerdict, KeptParts};
pub use policy::{PolicyFile, SecureViews};
pub use questions::Question;
pub use queue::{Asker, Crowd};
pub use run::{Cut, Limits, Part, ResultColumn, Rows};
pub use sql_guard::{Checked, ColumnRule, Dialect, Finding, Kind};
pub use standing::{Nothing, State, TargetStatus};
pub use target::{KeptTarget, Target, Targets};
pub use value::ValueKind;
