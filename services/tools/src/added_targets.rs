//! Targets that tenants add while the service runs: databases, and the tables of uploaded files.
//!
//! They are followed as everything of [`crate::added`] is, in a table of their own. A job reads
//! what is new (`job`) and tries the first questions (`first_questions`). The tables of a file are
//! in a schema of their own (`sheets`), under the same guard as any target.

pub mod config;
mod job;
mod settings;
mod sheets;
mod store;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};
use sqlx::PgPool;
use targets::{Examination, KeptTarget, Question, Step, Target, Targets};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::added::{AddedContext, Error, Follow, Follower, InUse, Kind, Mark, Purpose, State};
use crate::credentials::cipher::Sealed;
use config::AddedTargetsConfig;

pub(crate) use settings::{Connection, Settings};
pub(crate) use sheets::{JOB, Said, SheetError, Wanted};
pub(crate) use store::{Sheet, Stored};

/// Time that a test waits until a target that was tested is read again.
const LOOK: Duration = Duration::from_secs(3);
/// Number of files that are read at the same time: their cells are in the memory of a process each.
const MOST_FILES: usize = 2;

/// The targets that tenants add.
pub struct AddedTargets {
    rows: Follower<TargetKind>,
    /// Wakes the job: a target waits to be read.
    wake: Notify,
    files: Semaphore,
}

/// How a row becomes a target.
pub(crate) struct TargetKind {
    targets: Targets,
    /// The address of this service's own database, where the tables of files are.
    own_url: Option<SecretString>,
}

#[async_trait]
impl Kind for TargetKind {
    type Stored = Stored;
    type Used = Target;
    const PURPOSE: Purpose = ["target", "password"];

    fn mark(state: State) -> Mark {
        state.targets
    }

    async fn open(
        &self,
        context: &AddedContext,
        stored: &Stored,
        secret: Option<Vec<u8>>,
    ) -> Result<Arc<Target>, String> {
        let questions = stored.questions.iter().map(|kept| Question {
            question: kept.question.clone(),
            sql: kept.sql.clone(),
        });
        let (tenant, name) = (&stored.tenant, &stored.name);
        let questions = questions.collect();
        let config = if let Some(schema) = &stored.sheet_schema {
            let place = self.place(context.pool(), stored, schema).await?;
            stored.settings.sheet(tenant, name, place, questions)
        } else {
            may_connect(context, &stored.settings).await?;
            let password = secret.and_then(|secret| String::from_utf8(secret).ok());
            let password = password.ok_or("It has no password. Enter the connection again.")?;
            let password = SecretString::from(password);
            let config = stored.settings.database(tenant, name, &password, questions);
            config.ok_or("It has no connection.")?
        };
        Target::new(config)
            .map(Arc::new)
            .map_err(|error| error.to_string())
    }

    fn in_use(&self) -> Vec<InUse<Target>> {
        let kept = self.targets.kept().into_iter();
        let in_use = kept.map(|kept| InUse {
            tenant: kept.tenant,
            name: kept.target.name().to_owned(),
            version: kept.version,
            used: kept.target,
        });
        in_use.collect()
    }

    fn replace(&self, used: Vec<InUse<Target>>) -> Vec<Arc<Target>> {
        let kept = used.into_iter().map(|one| KeptTarget {
            tenant: one.tenant,
            version: one.version,
            target: one.used,
        });
        self.targets.replace_kept(kept.collect())
    }

    async fn close(used: Arc<Target>) {
        // Statements that run are completed first.
        used.close().await;
    }

    /// Reads the target again if what is known of it contradicts the test.
    async fn tested(&self, tenant: &str, name: &str, is_fine: bool) {
        let Some(target) = self.targets.find(Some(name), tenant) else {
            return;
        };
        let standing = target.standing().and_then(|standing| standing.problem);
        if standing.is_none() != is_fine {
            // Whatever this reads, or fails at, the target keeps.
            let _ = tokio::time::timeout(LOOK, target.refresh()).await;
        }
    }

    /// A large catalogue is read on behind what waits for it.
    async fn read_again(&self, tenant: &str, name: &str) {
        let Some(target) = self.targets.find(Some(name), tenant) else {
            return;
        };
        let reading = tokio::spawn(async move {
            if let Err(error) = target.refresh().await {
                tracing::warn!(target_database = target.name(), %error, "the catalogue that another process read again could not be read");
            }
        });
        let _ = tokio::time::timeout(LOOK, reading).await;
    }
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

impl AddedTargets {
    /// The targets of this database, beside those of the configuration.
    pub fn new(
        context: Arc<AddedContext>,
        own_url: Option<SecretString>,
        targets: Targets,
    ) -> Self {
        Self {
            rows: Follower::new(context, TargetKind { targets, own_url }),
            wake: Notify::new(),
            files: Semaphore::new(MOST_FILES),
        }
    }

    /// The settings of the operator.
    pub(crate) fn config(&self) -> &AddedTargetsConfig {
        self.rows.context().config()
    }

    /// The targets in use.
    pub(crate) fn targets(&self) -> &Targets {
        &self.rows.kind().targets
    }

    fn pool(&self) -> &PgPool {
        self.rows.context().pool()
    }

    /// A target that a tenant may ask. One that is not known is looked for in the database.
    pub(crate) async fn find(&self, name: Option<&str>, tenant: &str) -> Option<Arc<Target>> {
        if let Some(found) = self.targets().find(name, tenant) {
            return Some(found);
        }
        self.rows.try_sync().await;
        self.targets().find(name, tenant)
    }

    /// Why a target cannot be used at all.
    pub(crate) fn problem(&self, tenant: &str, name: &str) -> Option<String> {
        self.rows.problem(tenant, name)
    }

    /// After a test of a target.
    pub(crate) async fn tested(&self, tenant: &str, name: &str, is_fine: bool) {
        self.rows.tested(tenant, name, is_fine).await;
    }

    /// After a target's catalogue was read again on demand.
    pub(crate) async fn was_read(&self, tenant: &str, name: &str) {
        self.rows.was_read(tenant, name).await;
    }

    /// Looks for changes, also of other processes.
    pub(crate) async fn sync(&self) -> Result<(), sqlx::Error> {
        self.rows.sync().await
    }

    /// Reads what is new, until `shutdown`.
    pub(crate) async fn read_new(self: Arc<Self>, shutdown: CancellationToken) {
        if !self.config().enabled {
            return;
        }
        while !shutdown.is_cancelled() {
            // The database may be away, or not migrated yet.
            let found = match shutdown
                .run_until_cancelled(Box::pin(self.run_next()))
                .await
            {
                Some(Ok(found)) => found,
                Some(Err(error)) => {
                    tracing::debug!(%error, "added targets were not read");
                    false
                }
                None => break,
            };
            if !found {
                let _ = shutdown.run_until_cancelled(self.wake.notified()).await;
            }
        }
    }

    /// Tests a database without keeping it.
    pub(crate) async fn test(
        &self,
        tenant: &str,
        name: &str,
        settings: &Settings,
        password: &SecretString,
    ) -> Tested {
        if let Err(why) = may_connect(self.rows.context(), settings).await {
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
        match self.rows.open(stored).await {
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
        store::all(self.pool(), Some(tenant), None).await
    }

    /// A stored target.
    pub(crate) async fn get(
        &self,
        tenant: &str,
        name: &str,
    ) -> Result<Option<Stored>, sqlx::Error> {
        let found = store::all(self.pool(), Some(tenant), Some(name)).await?;
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
        let sealed = self.sealed((tenant, name), password)?;
        let added = store::insert(self.pool(), tenant, name, settings, &sealed).await?;
        self.follow_own().await?;
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
            Some(password) => Some(self.sealed((&stored.tenant, &stored.name), password)?),
            None => None,
        };
        let changed = store::update(self.pool(), stored, settings, sealed.as_ref()).await?;
        self.follow_own().await?;
        Ok(changed)
    }

    /// Has the job read a target again.
    pub(crate) async fn read_again(&self, tenant: &str, name: &str) -> Result<(), sqlx::Error> {
        store::requeue(self.pool(), tenant, name).await?;
        self.wake.notify_one();
        Ok(())
    }

    /// Removes a target with its tables. `false` if there is none.
    pub(crate) async fn remove(&self, tenant: &str, name: &str) -> Result<bool, sqlx::Error> {
        let mut transaction = self.pool().begin().await?;
        let Some(removed) = store::delete(&mut transaction, tenant, name).await? else {
            return Ok(false);
        };
        if let Some(schema) = removed.sheet_schema {
            sheets::drop_schema(&mut transaction, &schema).await?;
        }
        transaction.commit().await?;
        self.rows.sync().await?;
        Ok(true)
    }

    /// After a change of its own: this process follows at once, and the job begins.
    async fn follow_own(&self) -> Result<(), sqlx::Error> {
        self.rows.sync().await?;
        self.wake.notify_one();
        Ok(())
    }

    fn sealed(&self, of: (&str, &str), password: &SecretString) -> Result<Sealed, Error> {
        let plain = password.expose_secret().as_bytes();
        self.rows.context().seal(TargetKind::PURPOSE, of, plain)
    }
}

#[async_trait]
impl Follow for AddedTargets {
    async fn follow(&self, state: State) -> Result<(), sqlx::Error> {
        self.rows.follow(state).await?;
        if state.is_due {
            self.wake.notify_one();
        }
        Ok(())
    }

    fn close(&self) {
        self.rows.close();
    }
}

async fn may_connect(context: &AddedContext, settings: &Settings) -> Result<(), String> {
    let Some(connection) = &settings.connection else {
        return Ok(());
    };
    context.may_reach(&connection.host, connection.port).await
}
