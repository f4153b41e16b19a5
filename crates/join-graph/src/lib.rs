//! Tables and relationships of a database, and the shortest ways to join them.
//!
//! A [`Document`] is the file: tables with their columns, and relationships with a confidence and a
//! source. You [`merge`] it from introspection, the declarations of an application and a manual
//! file, [`clean`] it, and can let a model judge it ([`apply_verdicts`]). A [`Graph`] is the index
//! built from it at start-up. [`Graph::path`] finds the shortest joins between two tables,
//! [`Graph::join_tree`] the smallest tree of joins over a set of tables.
//!
//! The crate does not read databases; introspection passes a [`Document`] in.
//!
//! ```
//! use join_graph::{Document, Graph};
//!
//! let document = Document::from_json(r#"{
//!   "version": 1,
//!   "tables": {
//!     "workTime": {"columns": ["id", "employeeId", "createdBy"], "unique_columns": ["id"]},
//!     "employee": {"columns": ["id", "name"], "unique_columns": ["id"]}
//!   },
//!   "relationships": [{"from_table": "workTime", "from_column": "employeeId",
//!                      "to_table": "employee", "to_column": "id",
//!                      "type": "foreign_key", "confidence": 1.0, "cardinality": "N:1"}]
//! }"#)?;
//! let graph = Graph::new(&document, 0.7)?;
//! let path = graph.path("workTime", "employee", 4)?.unwrap();
//! assert_eq!(path.joins[0].to_string(), "workTime.employeeId = employee.id");
//! # Ok::<(), join_graph::Error>(())
//! ```

mod cost;
mod document;
mod error;
mod further;
mod graph;
mod hygiene;
mod links;
mod merge;
mod names;
mod path;
mod question;
mod tree;
mod verdict;
mod ways;

pub use document::{Cardinality, Document, Relationship, RelationshipType, Table};
pub use error::Error;
pub use further::{FurtherJoin, Purpose};
pub use graph::{Graph, Join};
pub use hygiene::{Cleaned, Dropped, Hygiene, Reason, clean};
pub use merge::merge;
pub use path::JoinPath;
pub use question::QuestionWords;
pub use tree::{JoinStep, JoinTree};
pub use verdict::{Verdict, apply_verdicts};
pub use ways::Way;

/// The form in which names are compared: names that differ only in case are the same.
fn fold(name: &str) -> String {
    name.to_lowercase()
}
