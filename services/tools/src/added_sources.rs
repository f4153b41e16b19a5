//! Search sources that tenants add while the service runs: rows of [`crate::added`].

mod examine;
mod settings;

use std::sync::Arc;

use async_trait::async_trait;
use search_sources::{AddedSource, Source, Sources};
use service_kit::client::HttpClient;
use service_kit::clock::SharedClock;

use crate::added::{self, AddedContext, Follower, InUse, Kept, Kind, Mark, Purpose, State};
use crate::added_targets::AddedTargets;
use crate::added_targets::config::AddedTargetsConfig;

pub(crate) use examine::Examined;
pub(crate) use settings::{Secrets, Settings};

/// A source as it is stored.
pub(crate) type Stored = added::Stored<Settings>;

/// The search sources that tenants add.
pub struct AddedSources {
    /// Has the test of a database.
    targets: Arc<AddedTargets>,
    rows: Follower<SourceKind>,
}

/// How a row becomes a source.
pub(crate) struct SourceKind {
    sources: Sources,
    client: HttpClient,
    clock: SharedClock,
}

impl Kept for Settings {
    const KIND: &'static str = "source";
    type Secrets = Secrets;
}

#[async_trait]
impl Kind for SourceKind {
    type Stored = Stored;
    type Used = Source;
    const PURPOSE: Purpose = ["source", "credentials"];

    fn mark(state: State) -> Mark {
        state.sources
    }

    async fn open(
        &self,
        context: &AddedContext,
        stored: &Stored,
        secret: Option<Vec<u8>>,
    ) -> Result<Arc<Source>, String> {
        may_connect(context, &stored.settings).await?;
        let secrets = added::opened::<Settings>(&secret.unwrap_or_default())?;
        let config = stored
            .settings
            .config(&stored.tenant, &stored.name, &secrets);
        Source::added(
            config,
            stored.version,
            &self.client,
            Arc::clone(&self.clock),
        )
        .map(Arc::new)
        .map_err(|error| error.to_string())
    }

    fn in_use(&self) -> Vec<InUse<Source>> {
        let added = self.sources.added().into_iter();
        let in_use = added.map(|added| InUse {
            tenant: added.tenant,
            name: added.source.name().to_owned(),
            version: added.source.version(),
            used: added.source,
        });
        in_use.collect()
    }

    fn replace(&self, used: Vec<InUse<Source>>) -> Vec<Arc<Source>> {
        let added = used.into_iter().map(|one| AddedSource {
            tenant: one.tenant,
            source: one.used,
        });
        self.sources.replace_added(added.collect())
    }

    async fn close(used: Arc<Source>) {
        used.close().await;
    }

    async fn tested(&self, tenant: &str, name: &str, _is_fine: bool) {
        if let Some(source) = self.sources.find(tenant, Some(name), None, None) {
            source.forget().await;
        }
    }
}

impl AddedSources {
    /// The sources of this database, beside those of the configuration.
    pub fn new(
        context: Arc<AddedContext>,
        targets: Arc<AddedTargets>,
        sources: Sources,
        client: HttpClient,
        clock: SharedClock,
    ) -> Self {
        let kind = SourceKind {
            sources,
            client,
            clock,
        };
        Self {
            targets,
            rows: Follower::new(context, kind),
        }
    }

    /// The settings of the operator, which are those of added targets.
    pub(crate) fn config(&self) -> &AddedTargetsConfig {
        self.rows.context().config()
    }

    /// The rows of tenants, and what follows them.
    pub(crate) fn rows(&self) -> &Follower<SourceKind> {
        &self.rows
    }

    /// The sources in use.
    pub(crate) fn sources(&self) -> &Sources {
        &self.rows.kind().sources
    }

    /// The sources that a tenant may ask. For a tenant without any, the database is looked at.
    pub(crate) async fn for_tenant(&self, tenant: &str) -> Vec<Arc<Source>> {
        let known = self.sources().for_tenant(tenant);
        if !known.is_empty() {
            return known;
        }
        self.rows.try_sync().await;
        self.sources().for_tenant(tenant)
    }
}

#[async_trait]
impl added::Follow for AddedSources {
    async fn follow(&self, state: State) -> Result<(), sqlx::Error> {
        self.rows.follow(state).await
    }

    fn close(&self) {
        self.rows.close();
    }
}

async fn may_connect(context: &AddedContext, settings: &Settings) -> Result<(), String> {
    let (host, port) = settings.place().ok_or("It has no address.")?;
    context.may_reach(&host, port).await
}
