//! Follows the rows: targets, sources and upstreams are opened, kept and closed as their rows say.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::PgPool;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::{AddedContext, Mark, Purpose, State, look, store};
use crate::credentials::cipher::Sealed;

/// Interval between attempts to use what could not be used, such as a host whose name was not
/// resolved.
const RETRY_EVERY: Duration = Duration::from_secs(30);

/// The problem of credentials whose key was removed.
const UNREADABLE: &str = "Its credentials cannot be decrypted: the key is not in [[credentials.keys]] any more. Enter them again.";

/// A row.
#[async_trait]
pub(crate) trait Row: Sized + Send + Sync {
    /// The tenant and the name.
    fn key(&self) -> (&str, &str);

    /// The version.
    fn version(&self) -> i64;

    /// The encrypted credentials, if it has some.
    fn sealed(&self) -> Option<&Sealed>;

    /// The rows of all tenants.
    async fn all(pool: &PgPool) -> Result<Vec<Self>, sqlx::Error>;

    /// Stores credentials under the newest key. The row stays the same version.
    async fn encrypt_anew(&self, pool: &PgPool, sealed: &Sealed) -> Result<(), sqlx::Error>;
}

/// A kind of what tenants add.
#[async_trait]
pub(crate) trait Kind: Send + Sync + 'static {
    /// A row.
    type Stored: Row;
    /// The target, source or upstream that it describes.
    type Used: Send + Sync + 'static;
    /// The purpose of encrypted secrets. The first part names the kind in messages.
    const PURPOSE: Purpose;

    /// The mark of this kind.
    fn mark(state: State) -> Mark;

    /// Opens the target, source or upstream of a row; fails with why it cannot be used.
    async fn open(
        &self,
        context: &AddedContext,
        stored: &Self::Stored,
        secret: Option<Vec<u8>>,
    ) -> Result<Arc<Self::Used>, String>;

    /// The targets, sources or upstreams in use.
    fn in_use(&self) -> Vec<InUse<Self::Used>>;

    /// Puts these in place of what is used; returns what is not used any more.
    fn replace(&self, used: Vec<InUse<Self::Used>>) -> Vec<Arc<Self::Used>>;

    /// Ends the connections of what is not used any more, after what runs on them.
    async fn close(used: Arc<Self::Used>);

    /// Forgets what was found of something in use before it was tested, in this process or in
    /// another.
    async fn tested(&self, tenant: &str, name: &str, is_fine: bool);

    /// Reads what another process was asked to read again. Only a kind that is read on demand has
    /// something to read.
    async fn read_again(&self, _tenant: &str, _name: &str) {}
}

/// Something in use, and the row that it was made of.
pub(crate) struct InUse<T> {
    pub(crate) tenant: String,
    pub(crate) name: String,
    pub(crate) version: i64,
    pub(crate) used: Arc<T>,
}

/// A kind that follows looks at the database.
#[async_trait]
pub(crate) trait Follow: Send + Sync {
    /// Brings what is used up to date with this state.
    async fn follow(&self, state: State) -> Result<(), sqlx::Error>;

    /// No more follows.
    fn close(&self);
}

/// A row, by tenant and name.
type Key = (String, String);

/// The targets, sources or upstreams in use, and the problems of others.
pub(crate) struct Follower<K> {
    context: Arc<AddedContext>,
    kind: K,
    seen: tokio::sync::Mutex<Option<Seen>>,
    /// Why rows cannot be used.
    problems: Mutex<HashMap<Key, String>>,
    closing: TaskTracker,
}

/// The state of the rows that what is used was made of, and the tests that were heeded.
struct Seen {
    mark: Mark,
    at: Instant,
    tests: Mark,
    heeded: HashMap<Key, Heeded>,
}

/// The numbers of a test that was heeded, and of the reading with it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Heeded {
    version: i64,
    reading: Option<i64>,
}

/// The newest test of a row, or of something in the configuration.
pub(super) struct Test {
    pub(super) tenant: String,
    pub(super) name: String,
    pub(super) is_fine: bool,
    pub(super) version: i64,
    /// The newest reading on demand.
    pub(super) reading: Option<i64>,
}

impl Test {
    fn heeded(&self) -> Heeded {
        Heeded {
            version: self.version,
            reading: self.reading,
        }
    }

    fn key(&self) -> Key {
        (self.tenant.clone(), self.name.clone())
    }
}

impl<K: Kind> Follower<K> {
    pub(crate) fn new(context: Arc<AddedContext>, kind: K) -> Self {
        Self {
            context,
            kind,
            seen: tokio::sync::Mutex::default(),
            problems: Mutex::default(),
            closing: TaskTracker::new(),
        }
    }

    pub(crate) fn context(&self) -> &AddedContext {
        &self.context
    }

    pub(crate) fn kind(&self) -> &K {
        &self.kind
    }

    /// Looks at the database, and follows.
    pub(crate) async fn sync(&self) -> Result<(), sqlx::Error> {
        let state = look(self.context.pool()).await?;
        self.follow(state).await
    }

    /// The same where a failure leaves what is used as it is.
    pub(crate) async fn try_sync(&self) {
        if let Err(error) = self.sync().await {
            tracing::debug!(%error, "what tenants add was not looked for");
        }
    }

    /// Brings what is used up to date with a state of the database.
    pub(crate) async fn follow(&self, state: State) -> Result<(), sqlx::Error> {
        let mark = K::mark(state);
        let mut seen = self.seen.lock().await;
        let heeded = seen.as_ref().is_some_and(|seen| seen.tests == state.tests);
        let tests = if heeded {
            Vec::new()
        } else {
            store::tests(self.context.pool(), K::PURPOSE).await?
        };
        // What a process finds after its start is newer than the tests that it finds there.
        let is_new = |test: &&Test| {
            let known = seen.as_ref().map(|seen| seen.heeded.get(&test.key()));
            known.is_some_and(|known| known != Some(&test.heeded()))
        };
        let new: Vec<&Test> = tests.iter().filter(is_new).collect();
        let is_current = seen.as_ref().is_some_and(|seen| {
            let problems = self.problems();
            let settled = problems.is_empty() || seen.at.elapsed() < RETRY_EVERY;
            let tested = new.iter().any(|test| problems.contains_key(&test.key()));
            seen.mark == mark && settled && !tested
        });
        if is_current && heeded {
            return Ok(());
        }
        let at = match &*seen {
            Some(seen) if is_current => seen.at,
            _ => {
                self.open_all().await?;
                Instant::now()
            }
        };
        let known = seen.as_ref().map(|seen| &seen.heeded);
        let heeding = new.iter().map(|test| {
            let before = known.and_then(|known| known.get(&test.key()));
            self.heed(test, before)
        });
        futures::future::join_all(heeding).await;
        let heeded = match seen.take() {
            Some(seen) if heeded => seen.heeded,
            _ => tests
                .iter()
                .map(|test| (test.key(), test.heeded()))
                .collect(),
        };
        *seen = Some(Seen {
            mark,
            at,
            tests: state.tests,
            heeded,
        });
        Ok(())
    }

    /// Heeds a test, or a reading, that another process noted.
    async fn heed(&self, test: &Test, before: Option<&Heeded>) {
        let is_read = before.is_some_and(|before| before.reading == test.reading);
        if is_read || test.reading != Some(test.version) {
            self.kind
                .tested(&test.tenant, &test.name, test.is_fine)
                .await;
        }
        if !is_read && test.reading.is_some() {
            self.kind.read_again(&test.tenant, &test.name).await;
        }
    }

    /// Puts what the rows say now in place of what is used. Where tenants may add nothing, no row
    /// is used.
    async fn open_all(&self) -> Result<(), sqlx::Error> {
        if !self.context.config().enabled {
            return Ok(());
        }
        let before: HashMap<(Key, i64), Arc<K::Used>> = self
            .kind
            .in_use()
            .into_iter()
            .map(|one| (((one.tenant, one.name), one.version), one.used))
            .collect();
        let (mut used, mut problems) = (Vec::new(), HashMap::new());
        for stored in K::Stored::all(self.context.pool()).await? {
            let (tenant, name) = stored.key();
            let (key, version) = ((tenant.to_owned(), name.to_owned()), stored.version());
            let opened = match before.get(&(key.clone(), version)) {
                Some(same) => Ok(Arc::clone(same)),
                None => self.open(&stored).await,
            };
            match opened {
                Ok(one) => used.push(InUse {
                    tenant: key.0,
                    name: key.1,
                    version,
                    used: one,
                }),
                Err(problem) => {
                    let [kind, _] = K::PURPOSE;
                    tracing::warn!(
                        kind,
                        tenant,
                        name,
                        "what a tenant added cannot be used: {problem}"
                    );
                    problems.insert(key, problem);
                }
            }
        }
        for gone in self.kind.replace(used) {
            self.closing.spawn(K::close(gone));
        }
        *self.problems() = problems;
        Ok(())
    }

    /// Why a row cannot be used at all.
    pub(crate) fn problem(&self, tenant: &str, name: &str) -> Option<String> {
        let key = (tenant.to_owned(), name.to_owned());
        self.problems().get(&key).cloned()
    }

    /// After a test: every process forgets what it found before, when it looks next. A row that
    /// cannot be used is tried again.
    pub(crate) async fn tested(&self, tenant: &str, name: &str, is_fine: bool) {
        let noted = self.note((tenant, name), is_fine, false);
        let heeded = match noted.await {
            Ok(()) => self.sync().await,
            Err(error) => Err(error),
        };
        if let Err(error) = heeded {
            tracing::warn!(%error, "other processes do not learn of a test");
            self.kind.tested(tenant, name, is_fine).await;
        }
    }

    /// After a reading on demand: every other process reads it again, too.
    pub(crate) async fn was_read(&self, tenant: &str, name: &str) {
        if let Err(error) = self.note((tenant, name), true, true).await {
            tracing::warn!(%error, "other processes do not learn of a reading");
        }
    }

    async fn note(
        &self,
        (tenant, name): (&str, &str),
        is_fine: bool,
        was_read: bool,
    ) -> Result<(), sqlx::Error> {
        let version = store::next_version(self.context.pool()).await?;
        let test = Test {
            tenant: tenant.to_owned(),
            name: name.to_owned(),
            is_fine,
            version,
            reading: was_read.then_some(version),
        };
        if was_read && let Some(seen) = &mut *self.seen.lock().await {
            // This process has read it, before the others can know.
            seen.heeded.insert(test.key(), test.heeded());
        }
        store::note_test(self.context.pool(), K::PURPOSE, &test).await
    }

    /// No more follows.
    pub(crate) fn close(&self) {
        self.closing.close();
    }

    /// Opens the target, source or upstream of a row; fails with why it cannot be used.
    pub(crate) async fn open(&self, stored: &K::Stored) -> Result<Arc<K::Used>, String> {
        let secret = match stored.sealed() {
            Some(sealed) => {
                let secret = self.secret(stored)?;
                if self.context.is_old(sealed) {
                    self.renew_encryption(stored, &secret).await;
                }
                Some(secret)
            }
            None => None,
        };
        self.kind.open(&self.context, stored, secret).await
    }

    /// The credentials of a row, or why there are none.
    pub(crate) fn secret(&self, stored: &K::Stored) -> Result<Vec<u8>, String> {
        let sealed = stored.sealed().ok_or("It has no credentials.")?;
        let secret = self.context.open(K::PURPOSE, stored.key(), sealed);
        secret.ok_or_else(|| UNREADABLE.to_owned())
    }

    /// Puts credentials under the newest key, so that an older one can go some day.
    async fn renew_encryption(&self, stored: &K::Stored, secret: &[u8]) {
        let Ok(sealed) = self.context.seal(K::PURPOSE, stored.key(), secret) else {
            return;
        };
        let pool = self.context.pool();
        if let Err(error) = stored.encrypt_anew(pool, &sealed).await {
            tracing::warn!(%error, "credentials were not put under the newest key");
        }
    }

    fn problems(&self) -> std::sync::MutexGuard<'_, HashMap<Key, String>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
