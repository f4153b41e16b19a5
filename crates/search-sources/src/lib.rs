//! The only road to search sources: Elasticsearch, GraphQL endpoints, and PostgreSQL in their
//! place.
//!
//! A [`Source`] is one of the operator's [`SourceConfig`]s, or one that a tenant added.
//! [`Source::describe`] returns its indices and fields, read from the source and described by the
//! configuration. [`Source::build`]
//! makes a query of a typed structure; [`Source::search`] and [`Source::graphql`] read one that
//! came from elsewhere back, check it, and run what they write again: a source never gets a text of
//! another user. Each query is filtered by the tenant in the query itself. [`Source::scan`] runs
//! the same query for all its records. [`SourceError`] distinguishes a refused query from a source
//! that is unavailable, slow or broken.
//!
//! This crate leaves to others: HTTP, what words mean, statistics.
//!
//! ```no_run
//! # async fn example(database: sqlx::PgPool) -> Result<(), Box<dyn std::error::Error>> {
//! use contracts::tools::search::SourceKind;
//! use search_sources::{SourceConfig, Sources};
//! use http_client::external_http_client;
//! use clock::SystemClock;
//!
//! let config = SourceConfig::new("shipping", SourceKind::Postgresql);
//! let http = external_http_client()?;
//! let sources = Sources::open(&[config], &database, &http, &SystemClock::shared())?;
//! for source in sources.for_tenant("demo") {
//!     println!("{}: {} indices", source.name(), source.overview("demo").await.indices.len());
//! }
//! # Ok(())
//! # }
//! ```

mod answer;
mod certificate;
mod config;
mod elastic;
mod error;
mod glossary;
mod graphql;
mod postgres;
mod source;
mod sources;

pub use config::{
    DOCUMENT_VARIABLES, DocumentSources, EntityConfig, FieldConfig, IndexConfig, SourceConfig,
    SourceLimits, Today,
};
pub use error::{SourceError, naming};
pub use source::{EntityIndex, Fingerprint, Source};
pub use sources::{AddedSource, Sources};
