//! Upstreams that tenants add while the service runs: rows of [`crate::added`], whose operations
//! are tools of their tenant alone.

mod examine;
mod settings;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use contracts::tools::registry::descriptor;

use crate::added::{self, AddedContext, Error, Follower, InUse, Kind, Mark, Purpose, State};
use crate::added_targets::config::AddedTargetsConfig;
use crate::credentials::Credentials;
use crate::toolbox::{AddedTools, Toolbox};
use crate::upstreams::{AddedUpstream, Directory, Upstream, Upstreams, forget};

pub(crate) use examine::Examined;
pub(crate) use settings::{Secrets, Settings};

/// An upstream as it is stored.
pub(crate) type Stored = added::Stored<Settings>;

/// The upstreams that tenants add.
pub struct AddedUpstreams {
    rows: Follower<UpstreamKind>,
}

/// How a row becomes an upstream, and the upstreams of a tenant become tools.
pub(crate) struct UpstreamKind {
    directory: Arc<Directory>,
    credentials: Arc<Credentials>,
    /// The tools of each tenant that added some.
    tools: RwLock<HashMap<String, Arc<Toolbox>>>,
}

#[async_trait]
impl Kind for UpstreamKind {
    type Stored = Stored;
    type Used = Upstream;
    const PURPOSE: Purpose = ["upstream", "credentials"];

    fn mark(state: State) -> Mark {
        state.upstreams
    }

    async fn open(
        &self,
        context: &AddedContext,
        stored: &Stored,
        secret: Option<Vec<u8>>,
    ) -> Result<Arc<Upstream>, String> {
        may_connect(context, &stored.settings).await?;
        let secrets = added::opened::<Settings>(&secret.unwrap_or_default())?;
        self.upstream(&stored.tenant, &stored.name, &stored.settings, &secrets)
    }

    fn in_use(&self) -> Vec<InUse<Upstream>> {
        let added = self.directory.added().into_iter();
        let in_use = added.map(|added| InUse {
            tenant: added.tenant,
            name: added.upstream.name().to_owned(),
            version: added.version,
            used: added.upstream,
        });
        in_use.collect()
    }

    fn replace(&self, used: Vec<InUse<Upstream>>) -> Vec<Arc<Upstream>> {
        let added = used.into_iter().map(|one| AddedUpstream {
            tenant: one.tenant,
            version: one.version,
            upstream: one.used,
        });
        let added: Vec<AddedUpstream> = added.collect();
        let mut of_tenants: HashMap<String, Vec<Arc<Upstream>>> = HashMap::new();
        for one in &added {
            // One of the configuration with this name is used in its place.
            if !self.directory.is_fixed(one.upstream.name(), &one.tenant) {
                let of_tenant = of_tenants.entry(one.tenant.clone()).or_default();
                of_tenant.push(Arc::clone(&one.upstream));
            }
        }
        let tools = of_tenants.into_iter().filter_map(|(tenant, upstreams)| {
            let toolbox = self.toolbox(&tenant, &upstreams)?;
            Some((tenant, Arc::new(toolbox)))
        });
        let tools = tools.collect();
        self.directory.replace_added(added);
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = tools;
        // They hold no connections of their own.
        Vec::new()
    }

    async fn close(_used: Arc<Upstream>) {}

    async fn tested(&self, tenant: &str, name: &str, _is_fine: bool) {
        if let Some(upstream) = self.directory.get(name, tenant) {
            forget(&upstream).await;
        }
    }
}

impl UpstreamKind {
    /// An upstream of a tenant, or why it cannot be one.
    pub(crate) fn upstream(
        &self,
        tenant: &str,
        name: &str,
        settings: &Settings,
        secrets: &Secrets,
    ) -> Result<Arc<Upstream>, String> {
        let config = settings.config(tenant, name, secrets)?;
        let upstream = Upstream::new(config).map_err(|error| error.to_string())?;
        let upstream = Arc::new(upstream);
        let tools = Upstreams::of(std::iter::once(&upstream), Arc::clone(&self.credentials));
        let tools = tools.map_err(|error| error.to_string())?;
        Toolbox::new(vec![Arc::new(tools)]).map_err(|error| error.to_string())?;
        Ok(upstream)
    }

    /// The tools of a tenant's upstreams. Of two with the same name, which two processes may add at
    /// the same time, the older upstream's is used.
    fn toolbox(&self, tenant: &str, upstreams: &[Arc<Upstream>]) -> Option<Toolbox> {
        let tools = Upstreams::of(upstreams.iter(), Arc::clone(&self.credentials));
        let toolbox = tools.map_err(|error| error.to_string()).and_then(|tools| {
            let tools = tools.without_repeats();
            Toolbox::new(vec![Arc::new(tools)]).map_err(|error| error.to_string())
        });
        match toolbox {
            Ok(toolbox) => Some(toolbox),
            Err(why) => {
                tracing::warn!(tenant, "the tools of added upstreams cannot be used: {why}");
                None
            }
        }
    }
}

impl AddedUpstreams {
    /// The upstreams of this database, beside those of the configuration.
    pub fn new(
        context: Arc<AddedContext>,
        directory: Arc<Directory>,
        credentials: Arc<Credentials>,
    ) -> Self {
        let kind = UpstreamKind {
            directory,
            credentials,
            tools: RwLock::default(),
        };
        Self {
            rows: Follower::new(context, kind),
        }
    }

    /// The settings of the operator, which are those of added targets.
    pub(crate) fn config(&self) -> &AddedTargetsConfig {
        self.rows.context().config()
    }

    /// The rows of tenants, and what follows them.
    pub(crate) fn rows(&self) -> &Follower<UpstreamKind> {
        &self.rows
    }

    /// The upstreams in use.
    pub(crate) fn directory(&self) -> &Directory {
        &self.rows.kind().directory
    }

    /// The time that the slowest of them may take, and a little to say so.
    pub(crate) fn slowest(config: &AddedTargetsConfig) -> Duration {
        let most = Duration::from_millis(settings::MOST_TIMEOUT_MS) + Duration::from_secs(1);
        if config.enabled { most } else { Duration::ZERO }
    }

    /// The name of a tool that settings have and that is taken: by a tool of the product, of an
    /// upstream of the configuration, or of another upstream of the tenant.
    pub(crate) async fn taken(
        &self,
        tenant: &str,
        own: &str,
        settings: &Settings,
    ) -> Result<Option<String>, sqlx::Error> {
        let mut taken: Vec<String> = Vec::new();
        for fixed in self.directory().fixed_for(tenant) {
            taken.extend(fixed.tool_names().map(str::to_owned));
        }
        for other in self.rows.list(tenant).await? {
            if other.name != own {
                taken.extend(other.settings.names().into_iter().map(str::to_owned));
            }
        }
        let is_taken =
            |name: &&str| descriptor(name).is_some() || taken.iter().any(|one| one == name);
        let names = settings.names();
        Ok(names.into_iter().find(is_taken).map(str::to_owned))
    }

    /// Adds an upstream. `false` if the tenant has one of this name.
    pub(crate) async fn add(
        &self,
        tenant: &str,
        name: &str,
        settings: &Settings,
        secrets: &Secrets,
    ) -> Result<bool, Error> {
        // What persons handed over for another upstream of this name is not for this one.
        let others = self.rows.get(tenant, name).await?;
        if others.is_none() {
            self.forget_tokens(tenant, name).await?;
        }
        self.rows.add(tenant, name, settings, secrets).await
    }

    /// Changes an upstream. `false` if it was changed at the same time.
    pub(crate) async fn change(
        &self,
        stored: &Stored,
        settings: &Settings,
        secrets: Option<&Secrets>,
    ) -> Result<bool, Error> {
        if settings.is_at(&stored.settings) {
            return self.rows.change(stored, settings, secrets).await;
        }
        // Before, so that none is sent to another address; and after, as persons may hand over some
        // for the old one in the meantime.
        self.forget_tokens(&stored.tenant, &stored.name).await?;
        let changed = self.rows.change(stored, settings, secrets).await?;
        self.forget_tokens(&stored.tenant, &stored.name).await?;
        Ok(changed)
    }

    /// Removes an upstream with the tokens of persons. `false` if there is none.
    pub(crate) async fn remove(&self, tenant: &str, name: &str) -> Result<bool, sqlx::Error> {
        let removed = self.rows.remove(tenant, name).await?;
        if removed {
            self.forget_tokens(tenant, name).await?;
        }
        Ok(removed)
    }

    /// Deletes the tokens that persons of a tenant handed over for an upstream, unless they are for
    /// one of the configuration.
    async fn forget_tokens(&self, tenant: &str, name: &str) -> Result<(), sqlx::Error> {
        if self.directory().is_fixed(name, tenant) {
            return Ok(());
        }
        self.rows.kind().credentials.forget_all(tenant, name).await
    }
}

#[async_trait]
impl AddedTools for AddedUpstreams {
    async fn of_tenant(&self, tenant: &str, name: Option<&str>) -> Option<Arc<Toolbox>> {
        let known = || {
            let tools = &self.rows.kind().tools;
            let tools = tools.read().unwrap_or_else(PoisonError::into_inner);
            tools.get(tenant).cloned()
        };
        if let (Some(found), Some(name)) = (known(), name)
            && found.has(name)
        {
            return Some(found);
        }
        // One that was added in another process a moment ago is looked for.
        self.rows.try_sync().await;
        known()
    }

    fn serves(&self, upstream: &str, tenant: &str) -> bool {
        self.directory().is_fixed(upstream, tenant)
    }
}

#[async_trait]
impl added::Follow for AddedUpstreams {
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
