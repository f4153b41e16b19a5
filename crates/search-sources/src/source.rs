//! One source.

use std::sync::Arc;

use contracts::tools::search::{
    GraphqlQuery, HowToRetrieve, QueryBuild, QueryExecution, QueryRun, QueryStructure, QueryType,
    SourceDescription, SourceKind,
};
use service_kit::client::HttpClient;
use service_kit::clock::SharedClock;
use sqlx::PgPool;

use crate::graphql::Endpoint;
use crate::{SourceConfig, SourceError, graphql};

/// A source of the configuration.
pub struct Source {
    config: SourceConfig,
    engine: Engine,
    clock: SharedClock,
}

/// What answers.
pub(crate) enum Engine {
    /// Tables.
    Postgres(PgPool),
    /// A GraphQL endpoint.
    Graphql(Endpoint),
}

/// An index whose records are entities, and what is needed to list them: ask [`Source::records`] for these fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityIndex {
    /// The index.
    pub index: String,
    /// What a record is: `port`.
    pub entity_type: String,
    /// What people call them.
    pub nouns: Vec<String>,
    /// The field with its id.
    pub id_field: String,
    /// The field with its name.
    pub name_field: String,
    /// The field with its other names: a list, or one text with them between commas or semicolons.
    pub alias_field: Option<String>,
    /// The field that tells it from others of the name.
    pub description_field: Option<String>,
}

impl Source {
    pub(crate) fn open(
        config: SourceConfig,
        own_database: &PgPool,
        client: &HttpClient,
        clock: SharedClock,
    ) -> Result<Source, SourceError> {
        let engine = match config.kind {
            SourceKind::Postgresql | SourceKind::Elasticsearch => {
                Engine::Postgres(own_database.clone())
            }
            SourceKind::Graphql => Engine::Graphql(Endpoint::open(&config, client)?),
        };
        Ok(Source {
            config,
            engine,
            clock,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// What it is.
    pub fn kind(&self) -> SourceKind {
        self.config.kind
    }

    /// Its configuration.
    pub fn config(&self) -> &SourceConfig {
        &self.config
    }

    /// Whether a tenant may ask it.
    pub fn is_for(&self, tenant: &str) -> bool {
        self.config.is_for(tenant)
    }

    /// How it can be asked.
    pub fn query_types(&self) -> &'static [QueryType] {
        match self.config.kind {
            SourceKind::Postgresql => &[QueryType::Elasticsearch, QueryType::Graphql],
            SourceKind::Elasticsearch => &[QueryType::Elasticsearch],
            SourceKind::Graphql => &[QueryType::Graphql],
        }
    }

    /// Whether an index can be one of its: a GraphQL endpoint without configured indices has those of its schema.
    pub(crate) fn may_have(&self, index: &str) -> bool {
        self.config.index(index).is_some() || self.config.indices.is_empty()
    }

    /// The indices whose records are entities, in the configuration's order.
    pub fn entity_indices(&self) -> Vec<EntityIndex> {
        let indices = self.config.indices.iter();
        indices
            .filter_map(|index| {
                let entity = index.entity.as_ref()?;
                Some(EntityIndex {
                    index: index.name.clone(),
                    entity_type: entity.entity_type.clone(),
                    nouns: index.nouns.clone(),
                    id_field: index.id_field.clone()?,
                    name_field: entity.name_field.clone(),
                    alias_field: entity.alias_field.clone(),
                    description_field: entity.description_field.clone(),
                })
            })
            .collect()
    }

    /// Its indices and fields as they were within the last minute, and its day.
    pub async fn describe(&self, tenant: &str) -> Result<Arc<SourceDescription>, SourceError> {
        Err(self.failed(format!("is not open to {tenant}")))
    }

    /// [`Source::describe`], and of a source that is away at least what is configured, with the reason under `unavailable`.
    pub async fn overview(&self, tenant: &str) -> Arc<SourceDescription> {
        match self.describe(tenant).await {
            Ok(description) => description,
            Err(error) => Arc::new(SourceDescription {
                name: self.config.name.clone(),
                description: self.config.description.clone(),
                kind: self.config.kind,
                query_types: self.query_types().to_vec(),
                time_zone: self.config.time_zone.clone(),
                today: self.clock.now().date_naive(),
                today_from: contracts::tools::search::TodayFrom::Clock,
                unavailable: Some(error.to_string()),
                indices: Vec::new(),
            }),
        }
    }

    /// Makes a query: checks what is wanted, writes it, lets the engine validate it where it can, and counts. What is wrong with it is in the
    /// result's `problems`; an error is the source's.
    pub async fn build(
        &self,
        tenant: &str,
        query_type: QueryType,
        structure: &QueryStructure,
    ) -> Result<QueryBuild, SourceError> {
        let description = self.describe(tenant).await?;
        match query_type {
            QueryType::Graphql => graphql::build(self, tenant, &description, structure).await,
            QueryType::Elasticsearch => Err(self.failed("is not asked so".to_owned())),
        }
    }

    /// Runs the body of a search: reads it, checks it, and runs what that means.
    pub async fn search(
        &self,
        tenant: &str,
        index: &str,
        body: &serde_json::Value,
    ) -> QueryExecution {
        self.failed(format!("{tenant} {index} {body}"))
            .into_execution()
    }

    /// Runs a GraphQL query likewise.
    pub async fn graphql(&self, tenant: &str, query: &GraphqlQuery) -> QueryExecution {
        let run = graphql::run(self, tenant, query, None).await;
        run.map_or_else(SourceError::into_execution, done)
    }

    /// Runs a query again as it was, for all its records or `max_rows` of them, whatever its own limit.
    pub async fn scan(
        &self,
        tenant: &str,
        how: &HowToRetrieve,
        max_rows: u32,
    ) -> Result<QueryRun, SourceError> {
        Err(self.failed(format!("{tenant} {how:?} {max_rows}")))
    }

    /// Runs a typed query for all its records or `max_rows` of them, whatever its own limit. Of an aggregation: its groups.
    pub async fn records(
        &self,
        tenant: &str,
        structure: &QueryStructure,
        max_rows: u32,
    ) -> Result<QueryRun, SourceError> {
        match &self.engine {
            Engine::Graphql(endpoint) => {
                let description = self.describe(tenant).await?;
                graphql::records(self, endpoint, tenant, &description, structure, max_rows).await
            }
            Engine::Postgres(_) => Err(self.failed(format!("{tenant} {structure:?} {max_rows}"))),
        }
    }

    /// Runs a typed query once, within its limit; for a PostgreSQL source whose GraphQL was read into a structure.
    pub(crate) async fn run_structure(
        &self,
        tenant: &str,
        description: &SourceDescription,
        structure: &QueryStructure,
        query_type: QueryType,
    ) -> Result<QueryRun, SourceError> {
        Err(self.failed(format!(
            "{tenant} {description:?} {structure:?} {query_type:?}"
        )))
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn clock(&self) -> &SharedClock {
        &self.clock
    }

    pub(crate) fn failed(&self, reason: String) -> SourceError {
        SourceError::Failed {
            name: self.config.name.clone(),
            reason,
        }
    }
}

fn done(run: QueryRun) -> QueryExecution {
    QueryExecution {
        outcome: contracts::tools::search::QueryOutcome::Ok,
        run: Some(run),
        problems: Vec::new(),
    }
}
