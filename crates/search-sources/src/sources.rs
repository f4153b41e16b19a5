//! All sources, by name and by tenant.

use std::sync::Arc;

use clock::SharedClock;
use contracts::tools::search::QueryType;
use http_client::HttpClient;
use sqlx::PgPool;

use crate::{Source, SourceConfig, SourceError};

/// The sources of the configuration, in its order. Cheap to clone.
#[derive(Clone, Default)]
pub struct Sources(Arc<[Arc<Source>]>);

impl Sources {
    /// Opens sources; they connect when they are first asked. PostgreSQL sources without an address
    /// are in `own_database`.
    pub fn open(
        configs: &[SourceConfig],
        own_database: &PgPool,
        client: &HttpClient,
        clock: &SharedClock,
    ) -> Result<Sources, SourceError> {
        let sources = configs.iter().map(|config| {
            Source::open(config.clone(), own_database, client, Arc::clone(clock)).map(Arc::new)
        });
        Ok(Sources(sources.collect::<Result<Vec<_>, _>>()?.into()))
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.0.iter()
    }

    /// The sources that a tenant may query.
    pub fn for_tenant(&self, tenant: &str) -> impl Iterator<Item = &Arc<Source>> {
        self.0.iter().filter(move |source| source.is_for(tenant))
    }

    /// The first that a tenant may ask, of this name, that is asked this way, and has this index,
    /// as far as each is given.
    pub fn find(
        &self,
        tenant: &str,
        name: Option<&str>,
        query_type: Option<QueryType>,
        index: Option<&str>,
    ) -> Option<Arc<Source>> {
        self.for_tenant(tenant)
            .find(|source| {
                name.is_none_or(|name| source.name() == name)
                    && query_type.is_none_or(|kind| source.query_types().contains(&kind))
                    && index.is_none_or(|index| source.may_have(index))
            })
            .cloned()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
