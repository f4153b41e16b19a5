//! Signing keys in the database, shared by all replicas.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::identity::{KeyError, Signer};
use sqlx::{PgConnection, PgPool};

use super::cipher::{Cipher, CipherError};
use super::{Key, PUBLISHED_AFTER, PUBLISHED_BEFORE};
use crate::config::SigningConfig;

/// Any number will do, as long as every replica takes the same.
const KEY_LOCK: i64 = 0x6865_6c69_6f62_6666;

/// Why stored keys could not be used or changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// A key is unusable.
    #[error("a signing key cannot be used")]
    Key(#[from] KeyError),
    /// A key cannot be decrypted.
    #[error(transparent)]
    Cipher(#[from] CipherError),
    /// The last rotation is not over.
    #[error(
        "the key {key_id} was made already and signs from {signs_from}; rotate again after that"
    )]
    UnderWay {
        /// The newest key.
        key_id: String,
        /// From when on it signs.
        signs_from: DateTime<Utc>,
    },
}

/// The keys in the database.
pub(crate) struct KeyStore {
    pool: PgPool,
    cipher: Cipher,
    issuer: String,
    clock: SharedClock,
    ids: SharedIds,
}

struct Row {
    key_id: String,
    private_pem: String,
    signs_from: DateTime<Utc>,
}

impl KeyStore {
    pub(crate) fn new(
        config: &SigningConfig,
        pool: PgPool,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Self {
        Self {
            pool,
            cipher: Cipher::new(config.encryption_key.as_ref()),
            issuer: config.issuer.clone(),
            clock,
            ids,
        }
    }

    /// The keys, the oldest first. On the first start there is none: one is made. Keys in plain
    /// text are encrypted where that is configured.
    pub(crate) async fn open(&self) -> Result<Vec<Key>, StoreError> {
        let mut transaction = self.pool.begin().await?;
        lock(&mut transaction).await?;
        let rows = rows(&mut transaction).await?;
        let now = self.clock.now();
        if rows.is_empty() {
            self.insert(&mut transaction, now, now).await?;
        }
        for row in rows {
            let stored = SecretString::from(row.private_pem);
            if self.cipher.is_due(&stored) {
                let sealed = self.cipher.seal(&row.key_id, &stored)?;
                sqlx::query!(
                    "UPDATE bff.signing_keys SET private_pem = $2 WHERE key_id = $1",
                    row.key_id,
                    sealed.expose_secret(),
                )
                .execute(&mut *transaction)
                .await?;
            }
        }
        let keys = self.keys(&mut transaction).await?;
        transaction.commit().await?;
        Ok(keys)
    }

    /// The keys as they are now, the oldest first.
    pub(crate) async fn read(&self) -> Result<Vec<Key>, StoreError> {
        let mut connection = self.pool.acquire().await?;
        self.keys(&mut connection).await
    }

    /// Creates a key that will sign when every replica publishes it, and forgets those that no
    /// token needs any more.
    pub(crate) async fn rotate(&self) -> Result<Vec<Key>, StoreError> {
        self.open().await?;
        let mut transaction = self.pool.begin().await?;
        lock(&mut transaction).await?;
        let now = self.clock.now();
        let rows = rows(&mut transaction).await?;
        if let Some(newest) = rows.last()
            && newest.signs_from > now
        {
            return Err(StoreError::UnderWay {
                key_id: newest.key_id.clone(),
                signs_from: newest.signs_from,
            });
        }
        for pair in rows.windows(2) {
            if let [old, next] = pair
                && next.signs_from + PUBLISHED_AFTER <= now
            {
                sqlx::query!("DELETE FROM bff.signing_keys WHERE key_id = $1", old.key_id)
                    .execute(&mut *transaction)
                    .await?;
            }
        }
        // Later than the newest, so that the order of two rotations is theirs.
        self.insert(&mut transaction, now, now + PUBLISHED_BEFORE)
            .await?;
        let keys = self.keys(&mut transaction).await?;
        transaction.commit().await?;
        Ok(keys)
    }

    async fn insert(
        &self,
        connection: &mut PgConnection,
        created_at: DateTime<Utc>,
        signs_from: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let signer = Signer::generate(&self.issuer, self.clock.clone(), self.ids.clone())?;
        let sealed = self.cipher.seal(signer.key_id(), &signer.to_pem())?;
        sqlx::query!(
            "INSERT INTO bff.signing_keys (key_id, private_pem, created_at, signs_from) VALUES ($1, $2, $3, $4)",
            signer.key_id(),
            sealed.expose_secret(),
            created_at,
            signs_from,
        )
        .execute(connection)
        .await?;
        Ok(())
    }

    async fn keys(&self, connection: &mut PgConnection) -> Result<Vec<Key>, StoreError> {
        let rows = rows(connection).await?;
        rows.into_iter().map(|row| self.key(row)).collect()
    }

    fn key(&self, row: Row) -> Result<Key, StoreError> {
        let pem = self.cipher.open(&row.key_id, &row.private_pem.into())?;
        let signer = Signer::from_pem(&pem, &self.issuer, self.clock.clone(), self.ids.clone())?;
        Ok(Key {
            signer,
            signs_from: row.signs_from,
        })
    }
}

async fn lock(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock($1)", KEY_LOCK)
        .execute(connection)
        .await?;
    Ok(())
}

async fn rows(connection: &mut PgConnection) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as!(
        Row,
        r#"SELECT key_id, private_pem, COALESCE(signs_from, created_at) AS "signs_from!"
           FROM bff.signing_keys ORDER BY 3, created_at, key_id"#,
    )
    .fetch_all(connection)
    .await
}
