//! The six tools over search sources. Each is a module with a `run`; the crate `search-sources` has
//! the connections, the checks and the limits, and the crate `entities` knows what words mean.
//!
//! A tenant sees the sources that are configured for it, of those its own records, and those that
//! it added; no answer reveals others. A source that is unavailable fails the calls that need it,
//! by its name, and nothing else.

mod entity_resolution;
mod es_executor;
mod field_mapping;
mod graphql_executor;
mod list_sources;
mod query_builder;

mod answered;
pub mod config;
mod known_things;
mod lookup;
mod name_meanings;
mod remembered_choices;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contracts::tools::choices::{ChoiceList, ForgottenChoices};
use contracts::tools::search::{QueryExecution, QueryOutcome, QueryProblem};
use contracts::tools::{Descriptor, ToolEnvelope, ToolStatus, registry};
use llm::Embedder;
use search_sources::{Source, SourceError, Sources, naming};
use service_kit::clock::SharedClock;
use service_kit::identity::Identity;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::added_sources::AddedSources;
use crate::error::Error;
use crate::meaning::Meaning;
use crate::metrics::read_rows;
use crate::toolbox::{Call, Family, dispatch};
use config::MeaningsConfig;
use known_things::KnownThings;

/// Time for the parts of a call beside its queries: waiting for connections, reading schemas,
/// writing the answer.
const BESIDES: Duration = Duration::from_secs(15);
/// Maximum number of queries that a call puts to a source one after the other.
const QUERIES: u32 = 2;

/// The tools over search sources and what they work with.
pub struct SearchTools {
    sources: Sources,
    added: Arc<AddedSources>,
    /// Time that the slowest source may work on a query.
    slowest_query: Duration,
    /// The database of remembered choices.
    pool: PgPool,
    settings: MeaningsConfig,
    clock: SharedClock,
    meaning: Meaning,
    things: Arc<KnownThings>,
}

impl SearchTools {
    /// Tools over these sources. Without an embedding model, letters are compared.
    pub fn new(
        added: Arc<AddedSources>,
        slowest_query: Duration,
        pool: PgPool,
        settings: MeaningsConfig,
        clock: SharedClock,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Self {
        Self {
            things: KnownThings::new(&settings, Arc::clone(&clock)),
            sources: added.sources().clone(),
            added,
            slowest_query,
            pool,
            settings,
            clock,
            meaning: Meaning::new(embedder),
        }
    }

    /// Keeps the names of things warm until the token is cancelled.
    pub fn keep_warm(&self, stopped: CancellationToken) -> impl Future<Output = ()> + Send + use<> {
        Arc::clone(&self.things).keep_warm(self.sources.clone(), stopped)
    }

    /// The caller's choices for ambiguous words.
    pub async fn choices(&self, caller: &Identity) -> Result<ChoiceList, sqlx::Error> {
        let choices = entity_resolution::choices(self, caller).await?;
        Ok(ChoiceList { choices })
    }

    /// Forgets what the caller chose for these words, or everything.
    pub async fn forget_choices(
        &self,
        caller: &Identity,
        mention: Option<String>,
    ) -> Result<ForgottenChoices, sqlx::Error> {
        let forgotten = match mention {
            Some(mention) => remembered_choices::forget(&self.pool, caller, &[mention]).await?,
            None => remembered_choices::forget_all(&self.pool, caller).await?,
        };
        Ok(ForgottenChoices { forgotten })
    }

    /// Longer than the slowest call takes.
    pub fn slowest(&self) -> Duration {
        self.slowest_query * QUERIES + BESIDES
    }

    async fn run(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        contracts::search_tools!(dispatch [self, call, call.caller])
    }

    /// The sources that a call is about: the one named, or all that the tenant has.
    fn sources(&self, tenant: &str, wanted: Option<&str>) -> Result<Vec<Arc<Source>>, Error> {
        let mut fitting = self.sources.for_tenant(tenant);
        fitting.retain(|source| wanted.is_none_or(|wanted| source.name() == wanted));
        if fitting.is_empty() {
            return Err(self.no_source(tenant, wanted));
        }
        Ok(fitting)
    }

    /// The error for a call without a source, in words that reveal no other tenant's.
    fn no_source(&self, tenant: &str, wanted: Option<&str>) -> Error {
        let sources = self.sources.for_tenant(tenant);
        let names: Vec<&str> = sources.iter().map(|source| source.name()).collect();
        Error::no_data(match wanted {
            _ if names.is_empty() => format!(
                "No search source is connected for '{tenant}'. An administrator of the tenant adds one (`heliograph sources add`), or an \
                 operator in the tools service's configuration: a section [[sources]] with name, kind, indices, and '{tenant}' (or '*') \
                 among its tenants."
            ),
            Some(wanted) => format!(
                "There is no source '{wanted}' that is asked this way. There is: {}.",
                names.join(", ")
            ),
            None => format!(
                "No source is asked this way. There is: {}.",
                names.join(", ")
            ),
        })
    }
}

#[async_trait]
impl Family for SearchTools {
    fn tools(&self) -> &'static [Descriptor] {
        registry::SEARCH
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        // A source that was added in another process a moment ago is looked for.
        self.added.for_tenant(&call.caller.tenant).await;
        self.run(call).await
    }
}

/// A call that a source did not answer, in words that name it. Why it is not set up properly is for
/// its operator.
fn unanswered(source: &str, error: &SourceError) -> Error {
    let message = match error {
        SourceError::Configuration { reason, .. } => {
            tracing::error!(source, reason, "a search source is not set up properly");
            format!(
                "The source '{source}' is not set up properly. Its operator finds the reason in the tools service's log."
            )
        }
        error => error.sentence(source),
    };
    Error::impossible(message)
}

/// The envelope of an executor: if the query did not run, it says so, with the reasons.
fn executed(source: &Source, execution: QueryExecution) -> ToolEnvelope<QueryExecution> {
    read_rows(execution.run.as_ref().map_or(0, |run| run.rows.len()));
    if execution.outcome == QueryOutcome::Ok {
        return ToolEnvelope::ok(execution);
    }
    ToolEnvelope {
        status: ToolStatus::Error,
        message: Some(naming(source.name(), words_of(&execution.problems))),
        ..ToolEnvelope::ok(execution)
    }
}

/// Problems as one text.
fn words_of(problems: &[QueryProblem]) -> String {
    let messages: Vec<&str> = problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    if messages.is_empty() {
        "The query did not run.".to_owned()
    } else {
        messages.join(" ")
    }
}
