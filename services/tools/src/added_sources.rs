//! Search sources that tenants add while the service runs.
//!
//! They are rows of this service's database (`store`), with their credentials encrypted as users'
//! tokens are. Each process looks for changes every second, and when a tenant without any source
//! asks, and then has them beside those of its configuration, which win. Hosts are a matter of the
//! operator, as those of added targets are.

mod examine;
mod settings;
mod store;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use search_sources::{AddedSource, Source, Sources};
use service_kit::client::HttpClient;
use service_kit::clock::SharedClock;
use sqlx::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::added_targets::config::AddedTargetsConfig;
use crate::added_targets::{AddedTargets, Error};

pub(crate) use examine::Examined;
pub(crate) use settings::{Secrets, Settings};
pub(crate) use store::Stored;

/// Interval between looks for changes of other processes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Interval between attempts to use a source that could not be used, such as one whose host's name
/// was not resolved.
const RETRY_EVERY: Duration = Duration::from_secs(30);

/// A source, by tenant and name.
type Key = (String, String);

/// The search sources that tenants add.
pub struct AddedSources {
    pool: PgPool,
    /// Has the rules for hosts, the keys, and the test of a database.
    targets: Arc<AddedTargets>,
    sources: Sources,
    client: HttpClient,
    clock: SharedClock,
    seen: tokio::sync::Mutex<Option<Seen>>,
    /// Why sources cannot be used.
    problems: Mutex<HashMap<Key, String>>,
    closing: TaskTracker,
}

/// The state of the rows that the sources in use were made of.
struct Seen {
    state: (i64, i64),
    at: Instant,
}

impl AddedSources {
    /// The sources of this database, beside those of the configuration.
    pub fn new(
        pool: PgPool,
        targets: Arc<AddedTargets>,
        sources: Sources,
        client: HttpClient,
        clock: SharedClock,
    ) -> Self {
        Self {
            pool,
            targets,
            sources,
            client,
            clock,
            seen: tokio::sync::Mutex::default(),
            problems: Mutex::default(),
            closing: TaskTracker::new(),
        }
    }

    /// The settings of the operator, which are those of added targets.
    pub(crate) fn config(&self) -> &AddedTargetsConfig {
        self.targets.config()
    }

    /// The sources in use.
    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The sources that a tenant may ask. For a tenant without any, the database is looked at.
    pub(crate) async fn for_tenant(&self, tenant: &str) -> Vec<Arc<Source>> {
        let known = self.sources.for_tenant(tenant);
        if !known.is_empty() {
            return known;
        }
        if let Err(error) = self.sync().await {
            tracing::debug!(%error, "added sources were not looked for");
        }
        self.sources.for_tenant(tenant)
    }

    /// Brings the sources in use up to date with the database.
    pub(crate) async fn sync(&self) -> Result<(), sqlx::Error> {
        if !self.config().enabled {
            return Ok(());
        }
        let mut seen = self.seen.lock().await;
        let state = store::state(&self.pool).await?;
        let is_current = seen.as_ref().is_some_and(|seen| {
            let settled = self.problems().is_empty() || seen.at.elapsed() < RETRY_EVERY;
            seen.state == state && settled
        });
        if is_current {
            return Ok(());
        }
        let before: HashMap<(Key, i64), Arc<Source>> = self
            .sources
            .added()
            .into_iter()
            .map(|added| {
                let key = (added.tenant, added.source.name().to_owned());
                ((key, added.source.version()), added.source)
            })
            .collect();
        let (mut added, mut problems) = (Vec::new(), HashMap::new());
        for stored in store::all(&self.pool, None, None).await? {
            let key = (stored.tenant.clone(), stored.name.clone());
            let source = match before.get(&(key.clone(), stored.version)) {
                Some(source) => Ok(Arc::clone(source)),
                None => self.source(&stored).await,
            };
            match source {
                Ok(source) => added.push(AddedSource {
                    tenant: stored.tenant,
                    source,
                }),
                Err(problem) => {
                    tracing::warn!(
                        source = stored.name,
                        tenant = stored.tenant,
                        "an added source cannot be used: {problem}"
                    );
                    problems.insert(key, problem);
                }
            }
        }
        for gone in self.sources.replace_added(added) {
            // Queries that run are completed first.
            self.closing.spawn(async move { gone.close().await });
        }
        *self.problems() = problems;
        *seen = Some(Seen {
            state,
            at: Instant::now(),
        });
        Ok(())
    }

    /// Why a source cannot be used at all.
    pub(crate) fn problem(&self, tenant: &str, name: &str) -> Option<String> {
        let key = (tenant.to_owned(), name.to_owned());
        self.problems().get(&key).cloned()
    }

    /// Follows the database until `shutdown`.
    pub(crate) async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        if !self.config().enabled {
            return;
        }
        while !shutdown.is_cancelled() {
            // The database may be away, or not migrated yet.
            if let Some(Err(error)) = shutdown.run_until_cancelled(self.sync()).await {
                tracing::debug!(%error, "added sources were not looked for");
            }
            let _ = shutdown
                .run_until_cancelled(tokio::time::sleep(LOOK_EVERY))
                .await;
        }
        self.closing.close();
    }

    /// The stored sources of a tenant, the oldest first.
    pub(crate) async fn list(&self, tenant: &str) -> Result<Vec<Stored>, sqlx::Error> {
        store::all(&self.pool, Some(tenant), None).await
    }

    /// A stored source.
    pub(crate) async fn get(
        &self,
        tenant: &str,
        name: &str,
    ) -> Result<Option<Stored>, sqlx::Error> {
        let found = store::all(&self.pool, Some(tenant), Some(name)).await?;
        Ok(found.into_iter().next())
    }

    /// Adds a source. `false` if the tenant has one of this name.
    pub(crate) async fn add(
        &self,
        tenant: &str,
        name: &str,
        settings: &Settings,
        secrets: &Secrets,
    ) -> Result<bool, Error> {
        let cipher = self.targets.cipher().ok_or(Error::NoKey)?;
        let sealed = store::seal(cipher, tenant, name, secrets).ok_or(Error::NoKey)?;
        let added = store::insert(&self.pool, tenant, name, settings, &sealed).await?;
        self.sync().await?;
        Ok(added)
    }

    /// Changes a source. `false` if it was changed at the same time.
    pub(crate) async fn change(
        &self,
        stored: &Stored,
        settings: &Settings,
        secrets: Option<&Secrets>,
    ) -> Result<bool, Error> {
        let sealed = match secrets {
            Some(secrets) => {
                let cipher = self.targets.cipher().ok_or(Error::NoKey)?;
                store::seal(cipher, &stored.tenant, &stored.name, secrets).ok_or(Error::NoKey)?
            }
            None => stored.sealed.clone(),
        };
        let changed = store::update(&self.pool, stored, settings, &sealed).await?;
        self.sync().await?;
        Ok(changed)
    }

    /// Removes a source. `false` if there is none.
    pub(crate) async fn remove(&self, tenant: &str, name: &str) -> Result<bool, sqlx::Error> {
        let removed = store::delete(&self.pool, tenant, name).await?;
        self.sync().await?;
        Ok(removed)
    }

    /// The credentials of a source, or why there are none.
    pub(crate) fn secrets(&self, stored: &Stored) -> Result<Secrets, String> {
        stored.secrets(self.targets.cipher()).ok_or_else(|| {
            "Its credentials cannot be decrypted: the key is not in [[credentials.keys]] any more. Enter them again.".to_owned()
        })
    }

    async fn may_connect(&self, settings: &Settings) -> Result<(), String> {
        let (host, port) = settings.place().ok_or("It has no address.")?;
        self.targets.may_reach(&host, port).await
    }

    /// The source that a row describes, or why it cannot be used.
    async fn source(&self, stored: &Stored) -> Result<Arc<Source>, String> {
        self.may_connect(&stored.settings).await?;
        let secrets = self.secrets(stored)?;
        self.renew_encryption(stored, &secrets).await;
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

    /// Puts credentials under the newest key, so that an older one can go some day.
    async fn renew_encryption(&self, stored: &Stored, secrets: &Secrets) {
        let Some(cipher) = self.targets.cipher() else {
            return;
        };
        if !cipher.is_old(&stored.sealed) {
            return;
        }
        if let Some(sealed) = store::seal(cipher, &stored.tenant, &stored.name, secrets)
            && let Err(error) = store::encrypt_anew(&self.pool, stored, &sealed).await
        {
            tracing::warn!(%error, "credentials were not put under the newest key");
        }
    }

    fn problems(&self) -> std::sync::MutexGuard<'_, HashMap<Key, String>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
