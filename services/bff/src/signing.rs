//! The keys that sign tokens. Two exist at once while one takes over from the other: the
//! newer is published first, then it signs, and the older is published until its last token has
//! ended.

mod cipher;
mod store;

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, TimeDelta, Utc};
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::config::DatabaseConfig;
use service_kit::identity::{
    IdentityToken, JwkSet, KeyError, Signer, Standing, TOKEN_LIFETIME_SECONDS, TokenRequest,
};
use sqlx::PgPool;

use crate::config::SigningConfig;
use crate::{Config, Error, database};

pub(crate) use cipher::Cipher;
pub use cipher::CipherError;
pub(crate) use cipher::encryption_key;
use store::KeyStore;
pub use store::StoreError;

/// A replica looks for new keys this often.
const REREAD: TimeDelta = TimeDelta::seconds(15);

/// The shortest time between two looks, however many tokens name unknown keys.
const LEAST_REREAD: TimeDelta = TimeDelta::seconds(1);

/// Time that a key is published before it signs: by then every replica has it, whichever one a
/// verifier asks.
const PUBLISHED_BEFORE: TimeDelta = TimeDelta::seconds(60);

/// Time that a key stays published after its successor signs: a token's life, how late a verifier's
/// clock may be, and a replica that looked just before.
const PUBLISHED_AFTER: TimeDelta = TimeDelta::seconds(TOKEN_LIFETIME_SECONDS + 60 + 15);

/// A key with the moment from which it signs.
pub(crate) struct Key {
    signer: Signer,
    signs_from: DateTime<Utc>,
}

/// The current keys.
pub(crate) struct Keyring {
    /// `None`: the keys are in files.
    store: Option<KeyStore>,
    clock: SharedClock,
    loaded: RwLock<Loaded>,
    /// Held while reading, so that one read serves all that wait for it.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Loaded {
    /// The oldest first; there is one at least.
    keys: Arc<Vec<Key>>,
    read_at: DateTime<Utc>,
}

impl Keyring {
    /// The configured keys, otherwise those in the database, where one is made if need be.
    pub(crate) async fn open(
        config: &SigningConfig,
        pool: &PgPool,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, Error> {
        let (store, keys) = if let Some(signing) = &config.key_file {
            let mut keys = Vec::new();
            // The last one signs.
            for path in config.verify_key_files.iter().chain([signing]) {
                keys.push(Key {
                    signer: read_key(path, config, &clock, &ids).await?,
                    signs_from: DateTime::<Utc>::MIN_UTC,
                });
            }
            (None, keys)
        } else {
            let store = KeyStore::new(config, pool.clone(), clock.clone(), ids);
            let keys = store.open().await?;
            (Some(store), keys)
        };
        let read_at = clock.now();
        Ok(Self {
            store,
            clock,
            loaded: RwLock::new(Loaded {
                keys: Arc::new(keys),
                read_at,
            }),
            reading: tokio::sync::Mutex::default(),
        })
    }

    /// Signs with the newest key that may, for a user of this name, for a session or for none.
    pub(crate) fn sign(
        &self,
        request: TokenRequest<'_>,
        name: &str,
        session: Option<&str>,
        standing: Standing,
    ) -> Result<IdentityToken, KeyError> {
        let (loaded, now) = (self.loaded(), self.clock.now());
        let signer = loaded.signer(now).ok_or(KeyError::PrivateKey)?;
        signer.sign_person(request, name, session, standing)
    }

    /// The public keys of all that may have signed a token that is still good, or soon will.
    pub(crate) fn key_set(&self) -> JwkSet {
        let (loaded, now) = (self.loaded(), self.clock.now());
        // Which files are published is configured.
        let all = self.store.is_none();
        let published = loaded.published(now, all);
        JwkSet {
            keys: published
                .flat_map(|key| key.signer.key_set().keys)
                .collect(),
        }
    }

    /// Reads the keys again when they were read a while ago.
    pub(crate) async fn refresh(&self) {
        self.read_again(REREAD).await;
    }

    /// Reads the keys again, for a request for all of them or for a token of an unknown key.
    pub(crate) async fn refresh_now(&self) {
        self.read_again(LEAST_REREAD).await;
    }

    async fn read_again(&self, age: TimeDelta) {
        let Some(store) = &self.store else { return };
        let due = || self.clock.now() - self.loaded().read_at >= age;
        if !due() {
            return;
        }
        let _reading = self.reading.lock().await;
        if !due() {
            return;
        }
        let read_at = self.clock.now();
        let keys = match store.read().await {
            Ok(keys) if !keys.is_empty() => Some(keys),
            Ok(_) => {
                tracing::error!(
                    "the table of signing keys is empty; the keys of before stay in use"
                );
                None
            }
            Err(error) => {
                tracing::warn!(error = %service_kit::problem::chain(&error), "the signing keys could not be read again");
                None
            }
        };
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        loaded.read_at = read_at;
        if let Some(keys) = keys {
            loaded.keys = Arc::new(keys);
        }
    }

    fn loaded(&self) -> Loaded {
        self.loaded
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Loaded {
    fn signer(&self, now: DateTime<Utc>) -> Option<&Signer> {
        let newest = self.keys.iter().rfind(|key| key.signs_from <= now);
        newest.or(self.keys.first()).map(|key| &key.signer)
    }

    fn published(&self, now: DateTime<Utc>, all: bool) -> impl Iterator<Item = &Key> {
        let successors = self.keys.iter().skip(1).map(Some).chain([None]);
        self.keys
            .iter()
            .zip(successors)
            .filter(move |(_, successor)| {
                all || successor.is_none_or(|next| next.signs_from + PUBLISHED_AFTER > now)
            })
            .map(|(key, _)| key)
    }
}

async fn read_key(
    path: &Path,
    config: &SigningConfig,
    clock: &SharedClock,
    ids: &SharedIds,
) -> Result<Signer, Error> {
    let text = tokio::fs::read_to_string(path)
        .await
        .map_err(|source| Error::KeyFile {
            path: path.to_owned(),
            source,
        })?;
    Ok(Signer::from_pem(
        &text.into(),
        &config.issuer,
        clock.clone(),
        ids.clone(),
    )?)
}

/// Commands for signing keys on the command line, beside the running service.
pub struct SigningKeys {
    pool: PgPool,
    store: KeyStore,
    clock: SharedClock,
}

/// A signing key, without its private part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its id, `kid` in tokens.
    pub key_id: String,
    /// From when on it signs.
    pub signs_from: DateTime<Utc>,
    /// Until when tokens that it signed are taken; `None` while it has no successor.
    pub verifies_until: Option<DateTime<Utc>>,
    /// Whether it signs now.
    pub signs: bool,
}

impl SigningKeys {
    /// Opens the migrated database. Keys in files are not to be changed here.
    pub fn open(config: &Config, clock: SharedClock, ids: SharedIds) -> Result<Self, Error> {
        if let Some(path) = &config.signing.key_file {
            return Err(Error::KeysInFiles(path.clone()));
        }
        let pool = pool(&config.database)?;
        Ok(Self {
            store: KeyStore::new(&config.signing, pool.clone(), clock.clone(), ids),
            pool,
            clock,
        })
    }

    /// The keys, the oldest first.
    pub async fn list(&self) -> Result<Vec<KeyInfo>, Error> {
        Ok(self.infos(&self.store.open().await?))
    }

    /// Creates a new key, which every replica takes up on its own.
    pub async fn rotate(&self) -> Result<Vec<KeyInfo>, Error> {
        Ok(self.infos(&self.store.rotate().await?))
    }

    /// Closes the database.
    pub async fn close(self) {
        self.pool.close().await;
    }

    fn infos(&self, keys: &[Key]) -> Vec<KeyInfo> {
        let now = self.clock.now();
        let signing = keys
            .iter()
            .rposition(|key| key.signs_from <= now)
            .unwrap_or_default();
        let infos = keys.iter().enumerate().map(|(index, key)| KeyInfo {
            key_id: key.signer.key_id().to_owned(),
            signs_from: key.signs_from,
            verifies_until: keys
                .get(index + 1)
                .map(|next| next.signs_from + PUBLISHED_AFTER),
            signs: index == signing,
        });
        infos.collect()
    }
}

fn pool(config: &DatabaseConfig) -> Result<PgPool, Error> {
    Ok(database::pool(config)?)
}
