//! One source.

mod ask;
mod fingerprint;
mod known;

use clock::SharedClock;
use contracts::tools::search::{
    GraphqlQuery, HowToRetrieve, QueryBuild, QueryExecution, QueryOutcome, QueryRun,
    QueryStructure, QueryType, SourceKind,
};
use http_client::HttpClient;
use serde_json::Value;
use sqlx::PgPool;

use crate::elastic::Cluster;
use crate::graphql::{self, Endpoint};
use crate::postgres::Database;
use crate::{IndexConfig, SourceConfig, SourceError};

use self::known::Known;

pub use self::fingerprint::Fingerprint;

/// A source of the configuration, or one that a tenant added.
pub struct Source {
    config: SourceConfig,
    version: i64,
    engine: Engine,
    clock: SharedClock,
    known: Known,
}

/// What answers.
pub(crate) enum Engine {
    /// Tables.
    Postgres(Database),
    /// Elasticsearch or OpenSearch.
    Elastic(Cluster),
    /// A GraphQL endpoint.
    Graphql(Endpoint),
}

/// An index whose records are entities, and what is needed to list them: ask [`Source::records`]
/// for these fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityIndex {
    /// The index.
    pub index: String,
    /// The type of a record, such as `port`.
    pub entity_type: String,
    /// What people call them.
    pub nouns: Vec<String>,
    /// The field with its id.
    pub id_field: String,
    /// The field with its name.
    pub name_field: String,
    /// The field with its other names: a list, or one text with them between commas or semicolons.
    pub alias_field: Option<String>,
    /// The field that distinguishes records with the same name.
    pub description_field: Option<String>,
}

impl Source {
    pub(crate) fn open(
        config: SourceConfig,
        own_database: &PgPool,
        client: &HttpClient,
        clock: SharedClock,
    ) -> Result<Source, SourceError> {
        Source::of(config, 0, Some(own_database), client, clock)
    }

    /// Opens a source that a tenant added. It has an address of its own: it is never in the
    /// service's database.
    pub fn added(
        config: SourceConfig,
        version: i64,
        client: &HttpClient,
        clock: SharedClock,
    ) -> Result<Source, SourceError> {
        Source::of(config, version, None, client, clock)
    }

    fn of(
        config: SourceConfig,
        version: i64,
        own_database: Option<&PgPool>,
        client: &HttpClient,
        clock: SharedClock,
    ) -> Result<Source, SourceError> {
        let engine = match config.kind {
            SourceKind::Postgresql => Engine::Postgres(Database::open(&config, own_database)?),
            SourceKind::Elasticsearch => Engine::Elastic(Cluster::open(&config, client)?),
            SourceKind::Graphql => Engine::Graphql(Endpoint::open(&config, client)?),
        };
        Ok(Source {
            config,
            version,
            engine,
            clock,
            known: Known::default(),
        })
    }

    /// The version of an added source: after a change it is another source. 0 for a source of the
    /// configuration.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// The indices that the source has where none are configured: all tables of a schema of
    /// PostgreSQL (default: `public`), all indices of a cluster, each with what keys and types say
    /// of it. A GraphQL endpoint needs none.
    pub async fn discover(&self, schema: Option<&str>) -> Result<Vec<IndexConfig>, SourceError> {
        let mut found = match &self.engine {
            Engine::Postgres(database) => {
                let schema = schema.unwrap_or("public");
                database.discover(&self.config, schema).await?
            }
            Engine::Elastic(cluster) => cluster.discover(&self.config).await?,
            Engine::Graphql(_) => Vec::new(),
        };
        found.retain(|index| index.is_valid(self.config.kind));
        Ok(found)
    }

    /// Closes the connections of a source with an address of its own.
    pub async fn close(&self) {
        if let Engine::Postgres(database) = &self.engine
            && self.config.url.is_some()
        {
            database.close().await;
        }
    }

    /// The configured name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The configured kind.
    pub fn kind(&self) -> SourceKind {
        self.config.kind
    }

    /// The whole configuration of the source.
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

    /// Whether an index can be one of its: a GraphQL endpoint without configured indices has those
    /// of its schema.
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

    /// Creates a query: checks what is wanted, writes it, lets the engine validate it where it can,
    /// and counts. What is wrong with it is in the result's `problems`; an error is the source's.
    pub async fn build(
        &self,
        tenant: &str,
        query_type: QueryType,
        structure: &QueryStructure,
    ) -> Result<QueryBuild, SourceError> {
        let description = self.describe(tenant).await?;
        let built = match query_type {
            QueryType::Graphql if self.query_types().contains(&query_type) => {
                graphql::build(self, tenant, &description, structure).await
            }
            QueryType::Graphql => Err(self.not_asked_so("GraphQL")),
            QueryType::Elasticsearch => self.build_body(tenant, &description, structure).await,
        };
        match built {
            Err(SourceError::Refused { problems }) => Ok(QueryBuild {
                query: None,
                problems,
            }),
            other => other,
        }
    }

    /// Runs the body of a search: reads it, checks it, and runs what that means.
    pub async fn search(&self, tenant: &str, index: &str, body: &Value) -> QueryExecution {
        executed(self.run_body(tenant, index, body, None).await)
    }

    /// Runs a GraphQL query likewise.
    pub async fn graphql(&self, tenant: &str, query: &GraphqlQuery) -> QueryExecution {
        executed(self.run_graphql(tenant, query, None).await)
    }

    /// Runs a query again as it was, for all its records or `max_rows` of them, whatever its own
    /// limit. Of an aggregation: its groups.
    pub async fn scan(
        &self,
        tenant: &str,
        how: &HowToRetrieve,
        max_rows: u32,
    ) -> Result<QueryRun, SourceError> {
        let refused = |pointer: &str, message: &str| {
            SourceError::refused(search::problem(pointer, "invalid", message))
        };
        match how.query_type {
            QueryType::Elasticsearch => {
                let index = how
                    .index
                    .as_deref()
                    .ok_or_else(|| refused("/index", "The index is missing."))?;
                self.run_body(tenant, index, &how.query, Some(max_rows))
                    .await
            }
            QueryType::Graphql => {
                let query: GraphqlQuery = serde_json::from_value(how.query.clone())
                    .map_err(|_| refused("/query", "This is no GraphQL request."))?;
                self.run_graphql(tenant, &query, Some(max_rows)).await
            }
        }
    }

    /// Runs a typed query for all its records or `max_rows` of them, whatever its own limit. Of an
    /// aggregation: its groups.
    pub async fn records(
        &self,
        tenant: &str,
        structure: &QueryStructure,
        max_rows: u32,
    ) -> Result<QueryRun, SourceError> {
        let description = self.describe(tenant).await?;
        if let Engine::Graphql(endpoint) = &self.engine {
            return graphql::records(self, endpoint, tenant, &description, structure, max_rows)
                .await;
        }
        let (_, checked) = self.checked(&description, structure)?;
        let kind = QueryType::Elasticsearch;
        self.scan_structure(tenant, &description, &checked.structure, kind, max_rows)
            .await
    }

    async fn run_graphql(
        &self,
        tenant: &str,
        query: &GraphqlQuery,
        max_rows: Option<u32>,
    ) -> Result<QueryRun, SourceError> {
        if !self.query_types().contains(&QueryType::Graphql) {
            return Err(self.not_asked_so("GraphQL"));
        }
        graphql::run(self, tenant, query, max_rows).await
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

    fn not_asked_so(&self, language: &str) -> SourceError {
        SourceError::refused(search::problem(
            "",
            "unsupported",
            format!("The source '{}' is not asked in {language}.", self.name()),
        ))
    }
}

fn executed(run: Result<QueryRun, SourceError>) -> QueryExecution {
    match run {
        Ok(run) => QueryExecution {
            outcome: QueryOutcome::Ok,
            run: Some(run),
            problems: Vec::new(),
        },
        Err(error) => error.into_execution(),
    }
}
