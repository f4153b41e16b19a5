//! Typed search queries: checked against an index, rendered as Elasticsearch DSL, read back from
//! it, compiled to SQL.
//!
//! A [`QueryStructure`](contracts::tools::search::QueryStructure) is the only representation of a
//! query. [`check()`] validates and completes it. After that, every field exists in the index,
//! every value has the type of its field, days are whole days of the source's zone, the order has
//! no ties and the size is limited. Only a checked structure is rendered ([`elastic::render`]),
//! compiled ([`sql::compile`]) or summarized ([`summary()`]). [`elastic::parse`] reads a body from
//! elsewhere. It accepts what `render` writes and other common spellings, and rejects everything
//! else. A source therefore only receives text that this crate wrote.
//!
//! The crate is pure: no clock, no connections.
//!
//! ```
//! use contracts::tools::search::{FieldDescription, FieldType, IndexDescription, QueryStructure};
//! use search::{Limits, check, elastic, summary};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let index: IndexDescription = serde_json::from_value(json!({
//!     "name": "ports", "nouns": ["port"], "shown": ["name"],
//!     "fields": [
//!         {"name": "name", "field_type": "keyword"},
//!         {"name": "opened_at", "field_type": "date"}
//!     ]
//! }))?;
//! let asked: QueryStructure = serde_json::from_value(json!({
//!     "index": "ports",
//!     "time_range": {"field": "opened_at", "start": "2025-01-08", "end": "2025-01-15"}
//! }))?;
//! let checked = check(&asked, &index, &Limits::default())
//!     .map_err(|problems| format!("{problems:?}"))?;
//! let zone = "America/New_York".parse()?;
//! let body = elastic::render(&checked.structure, zone, None);
//! assert_eq!(body["query"]["bool"]["filter"][0]["range"]["opened_at"]["lt"], "2025-01-16");
//! let parsed = elastic::parse(&body, &index, zone).map_err(|problems| format!("{problems:?}"))?;
//! assert_eq!(parsed.structure, checked.structure);
//! assert_eq!(
//!     summary(&checked.structure, &index),
//!     "ports index, filters: opened_at from 2025-01-08 to 2025-01-15"
//! );
//! # Ok(())
//! # }
//! ```

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
