//! Targets that tenants add while the service runs: databases, and the tables of uploaded files.
//!
//! They are rows of this service's database (`store`), with the password of a database encrypted as
//! users' tokens are. Each process looks for changes every second, and when a target is asked for
//! that it does not know (`AddedTargets::sync`), and then has them beside those of its
//! configuration, which win. A job reads what is new (`job`) and tries the first questions
//! (`first_questions`). Hosts that may be connected to are a matter of the operator (`hosts`). The
//! tables of a file are in a schema of their own (`sheets`), under the same guard as any target.

pub mod config;
mod hosts;
mod job;
mod settings;
mod sheets;
mod store;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use sqlx::PgPool;
use targets::{Examination, KeptTarget, Question, Step, Target, Targets};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::credentials::KeyError;
use crate::credentials::cipher::Cipher;
use crate::credentials::config::CredentialsConfig;
use config::AddedTargetsConfig;

pub(crate) use settings::{Connection, Settings, check_name, described};
pub(crate) use sheets::{SheetError, Wanted};
pub(crate) use store::{Sheet, Stored};

/// Interval between looks for changes of other processes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Number of files that are read at the same time: their cells are in memory.
const MOST_FILES: usize = 2;

/// A target, by tenant and name.
type Key = (String, String);

/// The targets that tenants add.
pub struct AddedTargets {
    pool: PgPool,
    cipher: Option<Cipher>,
    config: AddedTargetsConfig,
    /// The address of this service's own database, where the tables of files are.
    own_url: Option<SecretString>,
    targets: Targets,
    /// The state of the rows that `targets` was made of.
    seen: tokio::sync::Mutex<Option<(i64, i64)>>,
    /// Why targets cannot be used.
    problems: Mutex<HashMap<Key, String>>,
    wake: Notify,
    files: Arc<Semaphore>,
    closing: TaskTracker,
}

/// The outcome of a test: why the host may not be connected to, or what connecting showed.
pub(crate) enum Tested {
    Refused(String),
    Examined(Examination),
}

impl Tested {
    /// The name of the first step that failed, and why.
    pub(crate) fn problem(&self) -> Option<(&'static str, &str)> {
        match self {
            Tested::Refused(why) => Some(("host", why)),
            Tested::Examined(examined) => {
                let (step, why) = examined.problem()?;
                Some((step_name(step), why))
            }
        }
    }
}

/// A step as the contract names it.
pub(crate) fn step_name(step: Step) -> &'static str {
    match step {
        Step::Connection => "connection",
        Step::Encryption => "encryption",
        Step::Database => "database",
        Step::Role => "role",
        Step::Tables => "tables",
    }
}

/// Why a target is not stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is no key to encrypt a password with.
    #[error("there is no key to encrypt passwords with")]
    NoKey,
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

impl AddedTargets {
    /// The targets of this database, beside those of the configuration.
    pub fn new(
        pool: PgPool,
        config: AddedTargetsConfig,
        credentials: &CredentialsConfig,
        own_url: Option<SecretString>,
        targets: Targets,
    ) -> Result<Self, KeyError> {
        Ok(Self {
            pool,
            cipher: Cipher::new(credentials)?,
            config,
            own_url,
            targets,
            seen: tokio::sync::Mutex::default(),
            problems: Mutex::default(),
            wake: Notify::new(),
            files: Arc::new(Semaphore::new(MOST_FILES)),
            closing: TaskTracker::new(),
        })
    }

    /// The settings of the operator.
    pub(crate) fn config(&self) -> &AddedTargetsConfig {
        &self.config
    }

    /// Encrypts credentials; `None` if there is no key.
    pub(crate) fn cipher(&self) -> Option<&Cipher> {
        self.cipher.as_ref()
    }

    /// Fails with what to do for a host that may not be connected to.
    pub(crate) async fn may_reach(&self, host: &str, port: u16) -> Result<(), String> {
        hosts::check(&self.config, host, port).await
    }

    /// The targets in use.
    pub(crate) fn targets(&self) -> &Targets {
        &self.targets
    }

    /// A target that a tenant may ask. One that is not known is looked for in the database.
    pub(crate) async fn find(&self, name: Option<&str>, tenant: &str) -> Option<Arc<Target>> {
        if let Some(found) = self.targets.find(name, tenant) {
            return Some(found);
        }
        if let Err(error) = self.sync().await {
            tracing::debug!(%error, "added targets were not looked for");
        }
        self.targets.find(name, tenant)
    }

    /// Brings the targets in use up to date with the database. Returns whether one waits to be
    /// read.
    pub(crate) async fn sync(&self) -> Result<bool, sqlx::Error> {
        if !self.config.enabled {
            return Ok(false);
        }
        let mut seen = self.seen.lock().await;
        let state = store::state(&self.pool).await?;
        if *seen == Some(state.versions) {
            return Ok(state.is_due);
        }
        let before: HashMap<(Key, i64), Arc<Target>> = self
            .targets
            .kept()
            .into_iter()
            .map(|kept| {
                let key = (kept.tenant, kept.target.name().to_owned());
                ((key, kept.version), kept.target)
            })
            .collect();
        let (mut kept, mut problems) = (Vec::new(), HashMap::new());
        for stored in store::all(&self.pool, None, None).await? {
            let key = (stored.tenant.clone(), stored.name.clone());
            let target = match before.get(&(key.clone(), stored.version)) {
                Some(target) => Ok(Arc::clone(target)),
                None => self.target(&stored).await,
            };
            match target {
                Ok(target) => kept.push(KeptTarget {
                    tenant: stored.tenant,
                    version: stored.version,
                    target,
                }),
                Err(problem) => {
                    tracing::warn!(
                        target_database = stored.name,
                        tenant = stored.tenant,
                        "an added target cannot be used: {problem}"
                    );
                    problems.insert(key, problem);
                }
            }
        }
        for gone in self.targets.replace_kept(kept) {
            // Statements that run are completed first.
            self.closing.spawn(async move { gone.close().await });
        }
        *self.problems() = problems;
        *seen = Some(state.versions);
        Ok(state.is_due)
    }

    /// Why a target cannot be used at all.
    pub(crate) fn problem(&self, tenant: &str, name: &str) -> Option<String> {
        let key = (tenant.to_owned(), name.to_owned());
        self.problems().get(&key).cloned()
    }

    /// Follows the database, and reads what is new, until `shutdown`.
    pub(crate) async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        if !self.config.enabled {
            return;
        }
        while !shutdown.is_cancelled() {
            let work = async {
                if self.sync().await? {
                    Box::pin(self.run_next()).await
                } else {
                    Ok(false)
                }
            };
            // The database may be away, or not migrated yet.
            let found = match shutdown.run_until_cancelled(work).await {
                Some(Ok(found)) => found,
                Some(Err(error)) => {
                    tracing::debug!(%error, "added targets were not looked for");
                    false
                }
                None => break,
            };
            if !found {
                let waited = tokio::time::timeout(LOOK_EVERY, self.wake.notified());
                let _ = shutdown.run_until_cancelled(waited).await;
            }
        }
        self.closing.close();
    }

    /// Tests a database without keeping it.
    pub(crate) async fn test(
        &self,
        tenant: &str,
        name: &str,
        settings: &Settings,
        password: &SecretString,
    ) -> Tested {
        if let Err(why) = self.may_connect(settings).await {
            return Tested::Refused(why);
        }
        let Some(config) = settings.database(tenant, name, password, Vec::new()) else {
            return Tested::Refused("There is no connection.".to_owned());
        };
        match Target::new(config) {
            Ok(target) => {
                let examined = target.examine().await;
                target.close().await;
                Tested::Examined(examined)
            }
            Err(error) => Tested::Refused(error.to_string()),
        }
    }

    /// Tests a target as it is.
    pub(crate) async fn test_stored(&self, stored: &Stored) -> Tested {
        match self.target(stored).await {
            Ok(target) => {
                let examined = target.examine().await;
                target.close().await;
                Tested::Examined(examined)
            }
            Err(why) => Tested::Refused(why),
        }
    }

    /// The stored targets of a tenant, the oldest first.
    pub(crate) async fn list(&self, tenant: &str) -> Result<Vec<Stored>, sqlx::Error> {
        store::all(&self.pool, Some(tenant), None).await
    }

    /// A stored target.
    pub(crate) async fn get(
        &self,
        tenant: &str,
        name: &str,
    ) -> Result<Option<Stored>, sqlx::Error> {
        let found = store::all(&self.pool, Some(tenant), Some(name)).await?;
        Ok(found.into_iter().next())
    }

    /// Adds a database. `false` if the tenant has a target of this name.
    pub(crate) async fn add(
        &self,
        tenant: &str,
        name: &str,
        settings: &Settings,
        password: &SecretString,
    ) -> Result<bool, Error> {
        let cipher = self.cipher.as_ref().ok_or(Error::NoKey)?;
        let sealed = store::seal(cipher, tenant, name, password).ok_or(Error::NoKey)?;
        let added = store::insert(&self.pool, tenant, name, settings, &sealed).await?;
        self.follow().await?;
        Ok(added)
    }

    /// Changes a target. `false` if it was changed at the same time.
    pub(crate) async fn change(
        &self,
        stored: &Stored,
        settings: &Settings,
        password: Option<&SecretString>,
    ) -> Result<bool, Error> {
        let sealed = match password {
            Some(password) => {
                let cipher = self.cipher.as_ref().ok_or(Error::NoKey)?;
                let sealed = store::seal(cipher, &stored.tenant, &stored.name, password);
                Some(sealed.ok_or(Error::NoKey)?)
            }
            None => None,
        };
        let changed = store::update(&self.pool, stored, settings, sealed.as_ref()).await?;
        self.follow().await?;
        Ok(changed)
    }

    /// Has the job read a target again.
    pub(crate) async fn read_again(&self, tenant: &str, name: &str) -> Result<(), sqlx::Error> {
        store::requeue(&self.pool, tenant, name).await?;
        self.wake.notify_one();
        Ok(())
    }

    /// Removes a target with its tables. `false` if there is none.
    pub(crate) async fn remove(&self, tenant: &str, name: &str) -> Result<bool, sqlx::Error> {
        let mut transaction = self.pool.begin().await?;
        let Some(removed) = store::delete(&mut transaction, tenant, name).await? else {
            return Ok(false);
        };
        if let Some(schema) = removed.sheet_schema {
            sheets::drop_schema(&mut transaction, &schema).await?;
        }
        transaction.commit().await?;
        self.sync().await?;
        Ok(true)
    }

    /// After a change of its own: this process follows at once, and the job begins.
    async fn follow(&self) -> Result<(), sqlx::Error> {
        self.sync().await?;
        self.wake.notify_one();
        Ok(())
    }

    async fn may_connect(&self, settings: &Settings) -> Result<(), String> {
        let Some(connection) = &settings.connection else {
            return Ok(());
        };
        self.may_reach(&connection.host, connection.port).await
    }

    /// The target that a row describes, or why it cannot be used.
    async fn target(&self, stored: &Stored) -> Result<Arc<Target>, String> {
        let questions = stored.questions.iter().map(|kept| Question {
            question: kept.question.clone(),
            sql: kept.sql.clone(),
        });
        let (tenant, name) = (&stored.tenant, &stored.name);
        let questions = questions.collect();
        let config = if let Some(schema) = &stored.sheet_schema {
            let place = self.place(stored, schema).await?;
            stored.settings.sheet(tenant, name, place, questions)
        } else {
            self.may_connect(&stored.settings).await?;
            let password = stored.password(self.cipher.as_ref()).ok_or(
                "Its password cannot be decrypted: the key is not in [[credentials.keys]] any more. Enter the connection again.",
            )?;
            self.renew_encryption(stored, &password).await;
            let config = stored.settings.database(tenant, name, &password, questions);
            config.ok_or("It has no connection.")?
        };
        Target::new(config)
            .map(Arc::new)
            .map_err(|error| error.to_string())
    }

    /// Puts a password under the newest key, so that an older one can go some day.
    async fn renew_encryption(&self, stored: &Stored, password: &SecretString) {
        let (Some(cipher), Some(sealed)) = (&self.cipher, &stored.sealed) else {
            return;
        };
        if !cipher.is_old(sealed) {
            return;
        }
        if let Some(sealed) = store::seal(cipher, &stored.tenant, &stored.name, password)
            && let Err(error) = store::encrypt_anew(&self.pool, stored, &sealed).await
        {
            tracing::warn!(%error, "a password was not put under the newest key");
        }
    }

    fn problems(&self) -> std::sync::MutexGuard<'_, HashMap<Key, String>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
