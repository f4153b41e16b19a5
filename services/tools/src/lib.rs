//! The tools service: solar analytics and ingestion over PostgreSQL. It is the only tier that
//! touches business data.
//!
//! In reading order: [`config`] and [`state`] set it up; `routes` are its operations; [`toolbox`]
//! finds the family that a tool is of: [`solar_tools`], each over queries in `queries/` and the
//! arithmetic of the crate `solar`; [`store`] reads and writes the schema, which [`database`]
//! migrates; [`knowledge_tools`] finds passages in documents, over the crate `knowledge`;
//! [`sql_tools`] puts questions to target databases, over the crate `targets`, and
//! [`added_targets`] are those that tenants add, as [`added_sources`] and
//! [`added_upstreams`] are, by one mechanism ([`added`]); [`search_tools`]
//! find out what words mean in search sources and query them, over the crates `entities` and
//! `search-sources`; [`analysis_tools`] compute statistics and patterns of what was found, over the
//! crate `analytics`, and [`vector_tools`] compare texts; [`ingest`] takes readings in,
//! [`imports`] store files of loggers as jobs; [`catalog`] makes sites and loggers, and [`rollup`] keeps the daily figures that
//! answers come from.

mod background;
pub mod config;
pub mod database;
pub mod error;
mod routes;
pub mod state;

pub mod added;
pub mod added_sources;
pub mod added_targets;
pub mod added_upstreams;
pub mod analysis_tools;
pub mod credentials;
mod first_questions;
pub mod knowledge_tools;
mod meaning;
mod metrics;
pub mod person;
pub mod program;
pub mod search_tools;
pub mod solar_tools;
pub mod sql_tools;
pub mod toolbox;
pub mod upstreams;
pub mod vector_tools;

pub mod catalog;
pub mod file_readers;
pub mod imports;
pub mod ingest;
pub mod rollup;
mod storage;
pub mod store;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use knowledge::Library;
use search_sources::{SourceLimits, Sources};
use service_kit::client::external_http_client;
use service_kit::clock::SharedClock;
use service_kit::identity::{Verifier, protect};
use service_kit::service::Service;
use service_kit::telemetry::metrics::observe_pool;
use service_kit::{docs, health};
use sqlx::PgPool;
use targets::Targets;
use tokio::sync::Semaphore;

use crate::added::AddedContext;
use crate::added_sources::AddedSources;
use crate::added_targets::AddedTargets;
use crate::added_upstreams::AddedUpstreams;
use crate::analysis_tools::AnalysisTools;
use crate::credentials::Credentials;
use crate::knowledge_tools::KnowledgeTools;
use crate::search_tools::SearchTools;
use crate::solar_tools::SolarTools;
use crate::sql_tools::SqlTools;
use crate::toolbox::Toolbox;
use crate::upstreams::{Directory, Upstreams};
use crate::vector_tools::VectorTools;

use background::Added;
pub use background::Work;
pub use config::Config;
pub use database::migrate;

/// Number of files that are read for a preview at the same time.
const MOST_PREVIEWS: usize = 2;

/// Time that the test of a database may take: its steps are each limited.
const TARGET_TEST: Duration = Duration::from_secs(90);

/// Why the service could not be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No database is configured, or not properly.
    #[error(transparent)]
    Database(#[from] service_kit::database::Error),
    /// A schema of the contract is broken.
    #[error(transparent)]
    Schema(#[from] toolbox::SchemaError),
    /// A target database cannot be set up.
    #[error(transparent)]
    Target(#[from] targets::TargetError),
    /// An upstream cannot be set up.
    #[error(transparent)]
    Upstream(#[from] upstreams::BrokenUpstream),
    /// Documents cannot be kept as configured.
    #[error(transparent)]
    Knowledge(#[from] knowledge_tools::SetUpError),
    /// A search source cannot be set up.
    #[error(transparent)]
    Source(#[from] search_sources::SourceError),
    /// There is no HTTP client.
    #[error("there is no HTTP client")]
    Client(#[from] reqwest::Error),
    /// Credentials cannot be kept.
    #[error(transparent)]
    Key(#[from] credentials::KeyError),
}

/// The service, ready to be served.
pub struct App {
    /// The routes of the service.
    pub routes: Router,
    /// Its name and limits.
    pub service: Service,
    /// Its connections to the database, which [`migrate`] takes.
    pub pool: PgPool,
    /// The documents.
    pub library: Library,
    /// Background work to be started beside the routes.
    pub work: Work,
}

/// Builds the service. It connects to its database when it is first asked something, so that it
/// starts, and recovers, without.
pub fn build(config: &Config, verifier: Arc<Verifier>, clock: SharedClock) -> Result<App, Error> {
    let pool = database::pool(&config.database)?;
    observe_pool("tools", &pool);
    metrics::begin_counters();
    let solar = SolarTools::new(pool.clone(), config.solar.clone(), Arc::clone(&clock));
    let context = AddedContext::new(
        pool.clone(),
        config.added_targets.clone(),
        &config.credentials,
    )?;
    let (credentials, upstreams, added_upstreams) = outside(config, &context, &clock)?;
    let slowest_tool = upstreams.slowest().max(config.http.request_timeout());
    let slowest_tool = slowest_tool.max(AddedUpstreams::slowest(&config.added_targets));
    let embedder = knowledge_tools::embedder(&config.embedding)?;
    let library = knowledge_tools::library(&config.knowledge, pool.clone(), embedder.clone())?;
    let (added, added_sources) = added(config, &context, &clock)?;
    let (targets, sources) = (added.targets().clone(), added_sources.sources().clone());
    let sql = SqlTools::new(
        Arc::clone(&added),
        pool.clone(),
        config.sql.clone(),
        Arc::clone(&clock),
        embedder.clone(),
    );
    let sql = Arc::new(sql);
    let slowest_tool = slowest_tool.max(sql.slowest());
    let slowest_query = slowest_query(config);
    let analysis = AnalysisTools::new(sources.clone());
    let vectors = VectorTools::new(embedder.clone(), library.clone(), sources);
    let search = SearchTools::new(
        Arc::clone(&added_sources),
        slowest_query,
        pool.clone(),
        config.meanings.clone(),
        Arc::clone(&clock),
        embedder,
    );
    let search = Arc::new(search);
    let slowest_tool = if slowest_query.is_zero() {
        slowest_tool
    } else {
        slowest_tool
            .max(search.slowest())
            .max(AnalysisTools::slowest())
    };
    let toolbox = Toolbox::new(vec![
        Arc::new(solar),
        Arc::<SqlTools>::clone(&sql),
        Arc::new(KnowledgeTools::new(library.clone())),
        Arc::<SearchTools>::clone(&search),
        Arc::new(analysis),
        Arc::new(vectors),
        Arc::new(upstreams),
    ])?
    .with_added(Arc::<AddedUpstreams>::clone(&added_upstreams));
    let jobs = imports::Jobs::new(pool.clone(), Arc::clone(&clock), config.ingest.clone());
    let state = state::State {
        pool: pool.clone(),
        targets,
        added: Arc::clone(&added),
        sql: Arc::clone(&sql),
        added_sources: Arc::clone(&added_sources),
        added_upstreams: Arc::clone(&added_upstreams),
        search: Arc::clone(&search),
        toolbox: Arc::new(toolbox),
        library: library.clone(),
        credentials,
        verifier: Arc::clone(&verifier),
        clock,
        database_origin: config.database_origin.as_deref().map(Arc::from),
        ingest: config.ingest.clone(),
        jobs: jobs.clone(),
        previews: Arc::new(Semaphore::new(MOST_PREVIEWS)),
    };
    let routes = routes::operations()
        .merge(health::routes(routes::checks(&state)))
        .merge(docs::routes(contracts::openapi::tools_document()))
        .with_state(state);
    Ok(App {
        routes: protect(routes, Arc::clone(&verifier), routes::PUBLIC),
        service: service(config, slowest_tool),
        pool: pool.clone(),
        library: library.clone(),
        work: Work::new(
            pool,
            library,
            &config.knowledge,
            verifier,
            (search, sql),
            Added {
                context,
                targets: added,
                sources: added_sources,
                upstreams: added_upstreams,
            },
            jobs,
        ),
    })
}

/// The time that the slowest source may work on a query; nothing where there can be no source.
fn slowest_query(config: &Config) -> Duration {
    let added = config.added_targets.enabled;
    let added = added.then(|| SourceLimits::default().timeout());
    let fixed = config.all_sources().into_iter();
    let fixed = fixed.map(|source| source.limits.timeout());
    fixed.chain(added).max().unwrap_or_default()
}

/// The credentials for upstreams, the tools of those of the configuration, and those that tenants
/// add.
fn outside(
    config: &Config,
    context: &Arc<AddedContext>,
    clock: &SharedClock,
) -> Result<(Arc<Credentials>, Upstreams, Arc<AddedUpstreams>), Error> {
    let directory = Arc::new(Directory::new(&config.upstreams)?);
    let credentials = Credentials::new(
        context.pool().clone(),
        &config.credentials,
        Arc::clone(&directory),
        Arc::clone(clock),
    )?;
    let credentials = Arc::new(credentials);
    let upstreams = Upstreams::new(&directory, Arc::clone(&credentials))?;
    let added = AddedUpstreams::new(Arc::clone(context), directory, Arc::clone(&credentials));
    Ok((credentials, upstreams, Arc::new(added)))
}

/// The targets and the search sources, with those that tenants add.
fn added(
    config: &Config,
    context: &Arc<AddedContext>,
    clock: &SharedClock,
) -> Result<(Arc<AddedTargets>, Arc<AddedSources>), Error> {
    let targets = AddedTargets::new(
        Arc::clone(context),
        config.database.url.clone(),
        Targets::new(config.all_targets())?,
    );
    let targets = Arc::new(targets);
    let client = external_http_client()?;
    let sources = Sources::open(&config.all_sources(), context.pool(), &client, clock)?;
    let sources = AddedSources::new(
        Arc::clone(context),
        Arc::clone(&targets),
        sources,
        client,
        Arc::clone(clock),
    );
    Ok((targets, Arc::new(sources)))
}

/// The service with the time that its slow routes may take.
fn service(config: &Config, slowest_tool: Duration) -> Service {
    Service::new("tools", config.http.clone())
        .timeout_for(
            "/api/measurements",
            Duration::from_millis(config.ingest.timeout_ms),
        )
        .timeout_for(
            "/api/imports",
            Duration::from_millis(config.ingest.timeout_ms),
        )
        .timeout_for(
            "/api/imports/{import_id}",
            Duration::from_millis(config.ingest.timeout_ms),
        )
        .timeout_for("/api/targets", TARGET_TEST)
        .timeout_for("/api/target-tests", TARGET_TEST)
        .timeout_for("/api/targets/{target}", TARGET_TEST)
        .timeout_for("/api/targets/{target}/test", TARGET_TEST)
        .timeout_for("/api/sources", TARGET_TEST)
        .timeout_for("/api/source-tests", TARGET_TEST)
        .timeout_for("/api/sources/{source}", TARGET_TEST)
        .timeout_for("/api/sources/{source}/test", TARGET_TEST)
        .timeout_for("/api/upstreams", TARGET_TEST)
        .timeout_for("/api/upstream-tests", TARGET_TEST)
        .timeout_for("/api/upstreams/{upstream}", TARGET_TEST)
        .timeout_for("/api/upstreams/{upstream}/test", TARGET_TEST)
        .timeout_for("/api/targets/{target}/export", slowest_tool)
        .timeout_for(
            "/api/targets/{target}/file",
            Duration::from_millis(config.ingest.timeout_ms),
        )
        .timeout_for(
            "/api/target-previews",
            Duration::from_millis(config.ingest.timeout_ms),
        )
        .timeout_for(
            "/api/documents",
            Duration::from_millis(config.knowledge.ingest_timeout_ms),
        )
        .timeout_for("/api/tools/{name}", slowest_tool)
}
