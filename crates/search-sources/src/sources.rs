//! All sources, by name and by tenant.

use std::sync::{Arc, PoisonError, RwLock};

use clock::SharedClock;
use contracts::tools::search::QueryType;
use http_client::HttpClient;
use sqlx::PgPool;

use crate::{Source, SourceConfig, SourceError};

/// The sources of the configuration, in its order, and behind them those that tenants add while the
/// service runs. Cheap to clone: every clone has the same ones.
#[derive(Clone, Default)]
pub struct Sources {
    fixed: Arc<[Arc<Source>]>,
    added: Arc<RwLock<Vec<AddedSource>>>,
}

/// A source that a tenant added. Only this tenant sees it.
#[derive(Clone)]
pub struct AddedSource {
    /// The tenant.
    pub tenant: String,
    /// The source, which has its version ([`Source::version`]).
    pub source: Arc<Source>,
}

impl Sources {
    /// Opens the sources of a configuration; they connect when they are first asked. PostgreSQL
    /// sources without an address are in `own_database`.
    pub fn open(
        configs: &[SourceConfig],
        own_database: &PgPool,
        client: &HttpClient,
        clock: &SharedClock,
    ) -> Result<Sources, SourceError> {
        let sources = configs.iter().map(|config| {
            Source::open(config.clone(), own_database, client, Arc::clone(clock)).map(Arc::new)
        });
        Ok(Sources {
            fixed: sources.collect::<Result<Vec<_>, _>>()?.into(),
            added: Arc::default(),
        })
    }

    /// All of them, of every tenant.
    pub fn all(&self) -> Vec<Arc<Source>> {
        let added = self.added();
        let added = added.iter().map(|added| Arc::clone(&added.source));
        self.fixed.iter().cloned().chain(added).collect()
    }

    /// The sources of the configuration that a tenant may query.
    pub fn fixed_for(&self, tenant: &str) -> impl Iterator<Item = &Arc<Source>> {
        self.fixed
            .iter()
            .filter(move |source| source.is_for(tenant))
    }

    /// Whether the configuration has a source of this name for the tenant. It is used in place of
    /// one that the tenant added.
    pub fn is_fixed(&self, name: &str, tenant: &str) -> bool {
        self.fixed_for(tenant).any(|source| source.name() == name)
    }

    /// The sources that tenants added.
    pub fn added(&self) -> Vec<AddedSource> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner);
        added.clone()
    }

    /// Puts these in place of the sources that tenants added; returns the removed ones, for their
    /// connections to be closed.
    pub fn replace_added(&self, sources: Vec<AddedSource>) -> Vec<Arc<Source>> {
        let mut added = self.added.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *added, sources);
        let is_gone = |old: &AddedSource| {
            let same = |new: &AddedSource| Arc::ptr_eq(&new.source, &old.source);
            !added.iter().any(same)
        };
        let gone = before.into_iter().filter(is_gone);
        gone.map(|old| old.source).collect()
    }

    /// The sources that a tenant may query.
    pub fn for_tenant(&self, tenant: &str) -> Vec<Arc<Source>> {
        let mut sources: Vec<Arc<Source>> = self.fixed_for(tenant).cloned().collect();
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner);
        for one in added.iter().filter(|added| added.tenant == tenant) {
            if !self.is_fixed(one.source.name(), tenant) {
                sources.push(Arc::clone(&one.source));
            }
        }
        sources
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
        self.for_tenant(tenant).into_iter().find(|source| {
            name.is_none_or(|name| source.name() == name)
                && query_type.is_none_or(|kind| source.query_types().contains(&kind))
                && index.is_none_or(|index| source.may_have(index))
        })
    }
}
