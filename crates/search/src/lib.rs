//! Typed search queries: checked against an index, rendered as Elasticsearch DSL, read back from it, compiled to SQL.
//!
//! The one truth about a query is a [`QueryStructure`](contracts::tools::search::QueryStructure). [`check()`] completes it: after that every
//! field is one of the index, every value has its field's type, days are whole days of the source's zone, the order has no ties and the
//! size is capped. Only a checked structure is rendered ([`elastic::render`]), compiled ([`sql::compile`]) or told in words
//! ([`summary()`]). [`elastic::parse`] reads a body that came from elsewhere; it knows what `render` writes and its usual spellings, and
//! refuses everything else, so that what reaches a source is always our own text.
//!
//! Pure: no clock, no connection.

mod check;
mod columns;
pub mod elastic;
mod fields;
mod problem;
pub mod sql;
mod summary;
mod value;

pub use check::{Checked, Limits, check};
pub use columns::columns;
pub use fields::{Field, Fields};
pub use problem::{nearest, problem};
pub use summary::summary;
