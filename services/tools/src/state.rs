//! The state that handlers share. Cheap to clone.

use std::sync::Arc;

use knowledge::Library;
use service_kit::clock::SharedClock;
use service_kit::identity::Verifier;
use sqlx::PgPool;
use targets::Targets;
use tokio::sync::Semaphore;

use crate::added_sources::AddedSources;
use crate::added_targets::AddedTargets;
use crate::added_upstreams::AddedUpstreams;
use crate::credentials::Credentials;
use crate::imports::Jobs;
use crate::ingest::config::IngestConfig;
use crate::search_tools::SearchTools;
use crate::sql_tools::SqlTools;
use crate::toolbox::Toolbox;

/// The state that handlers share.
#[derive(Clone)]
pub struct State {
    /// Connections to the database.
    pub pool: PgPool,
    /// Connections to target databases.
    pub targets: Targets,
    /// The targets that tenants added.
    pub added: Arc<AddedTargets>,
    /// The tools over them, which keep confirmed questions.
    pub sql: Arc<SqlTools>,
    /// Connections to search sources, with those that tenants added.
    pub added_sources: Arc<AddedSources>,
    /// The upstreams, with those that tenants added.
    pub added_upstreams: Arc<AddedUpstreams>,
    /// The tools over search sources, which keep what people chose.
    pub search: Arc<SearchTools>,
    /// The tools.
    pub toolbox: Arc<Toolbox>,
    /// The documents.
    pub library: Library,
    /// The users' credentials for upstreams.
    pub credentials: Arc<Credentials>,
    /// Who checks identities.
    pub verifier: Arc<Verifier>,
    /// The time.
    pub clock: SharedClock,
    /// The origin of the database.
    pub database_origin: Option<Arc<str>>,
    /// The jobs that store files of loggers.
    pub jobs: Jobs,
    /// Turns for reading a file for its preview.
    pub previews: Arc<Semaphore>,
    /// Limits of ingestion.
    pub ingest: IngestConfig,
}
