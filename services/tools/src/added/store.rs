//! The rows of kinds that are settings with credentials. Each query is by tenant, save the one with
//! which a process learns of all of them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgPool;

use super::follower::{self, Row as _, Test};
use super::{Error, Follower, Kind, Purpose};
use crate::credentials::cipher::Sealed;

/// A row.
#[derive(Debug, Clone)]
pub(crate) struct Stored<S> {
    pub(crate) tenant: String,
    pub(crate) name: String,
    pub(crate) settings: S,
    pub(crate) sealed: Sealed,
    pub(crate) version: i64,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
}

struct Row {
    tenant: String,
    name: String,
    settings: Value,
    key_id: String,
    nonce: Vec<u8>,
    ciphertext: Vec<u8>,
    version: i64,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl Row {
    fn stored<S: DeserializeOwned>(self) -> Result<Stored<S>, sqlx::Error> {
        let decoded = |error: serde_json::Error| sqlx::Error::Decode(error.into());
        Ok(Stored {
            settings: serde_json::from_value(self.settings).map_err(decoded)?,
            sealed: Sealed {
                key_id: self.key_id,
                nonce: self.nonce,
                ciphertext: self.ciphertext,
            },
            tenant: self.tenant,
            name: self.name,
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Settings and credentials of a kind, as they are stored.
pub(crate) trait Kept: Serialize + DeserializeOwned + Send + Sync {
    /// The kind in the table.
    const KIND: &'static str;
    /// The credentials.
    type Secrets: Serialize + DeserializeOwned + Sync;
}

/// The rows of a tenant, or of all, or the one of a name.
async fn all<S: Kept>(
    pool: &PgPool,
    tenant: Option<&str>,
    name: Option<&str>,
) -> Result<Vec<Stored<S>>, sqlx::Error> {
    let rows = sqlx::query_file_as!(Row, "queries/added_all.sql", S::KIND, tenant, name)
        .fetch_all(pool)
        .await?;
    rows.into_iter().map(Row::stored).collect()
}

#[async_trait]
impl<S: Kept> follower::Row for Stored<S> {
    fn key(&self) -> (&str, &str) {
        (&self.tenant, &self.name)
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn sealed(&self) -> Option<&Sealed> {
        Some(&self.sealed)
    }

    async fn all(pool: &PgPool) -> Result<Vec<Self>, sqlx::Error> {
        all(pool, None, None).await
    }

    async fn encrypt_anew(&self, pool: &PgPool, sealed: &Sealed) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "UPDATE tools.added SET key_id = $5, nonce = $6, ciphertext = $7
             WHERE kind = $1 AND tenant = $2 AND name = $3 AND version = $4",
            S::KIND,
            self.tenant,
            self.name,
            self.version,
            sealed.key_id,
            sealed.nonce,
            sealed.ciphertext,
        )
        .execute(pool)
        .await
        .map(drop)
    }
}

/// The tests of a kind.
pub(super) async fn tests(pool: &PgPool, [kind, _]: Purpose) -> Result<Vec<Test>, sqlx::Error> {
    sqlx::query_as!(
        Test,
        "SELECT tenant, name, is_fine, version, reading FROM tools.tested WHERE kind = $1",
        kind,
    )
    .fetch_all(pool)
    .await
}

/// A number that no test has.
pub(super) async fn next_version(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT nextval('tools.added_versions') AS "version!""#)
        .fetch_one(pool)
        .await
}

/// Notes the newest test of something, with the number of a reading if it was read again.
pub(super) async fn note_test(
    pool: &PgPool,
    [kind, _]: Purpose,
    test: &Test,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO tools.tested AS known (kind, tenant, name, is_fine, version, reading)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (kind, tenant, name)
         DO UPDATE SET is_fine = $4, version = $5, reading = coalesce($6, known.reading)",
        kind,
        test.tenant,
        test.name,
        test.is_fine,
        test.version,
        test.reading,
    )
    .execute(pool)
    .await
    .map(drop)
}

impl<S: Kept, K: Kind<Stored = Stored<S>>> Follower<K> {
    /// The rows of a tenant, the oldest first.
    pub(crate) async fn list(&self, tenant: &str) -> Result<Vec<Stored<S>>, sqlx::Error> {
        all(self.context().pool(), Some(tenant), None).await
    }

    /// A row.
    pub(crate) async fn get(
        &self,
        tenant: &str,
        name: &str,
    ) -> Result<Option<Stored<S>>, sqlx::Error> {
        let found = all(self.context().pool(), Some(tenant), Some(name)).await?;
        Ok(found.into_iter().next())
    }

    /// Adds a row. `false` if the tenant has one of this name.
    pub(crate) async fn add(
        &self,
        tenant: &str,
        name: &str,
        settings: &S,
        secrets: &S::Secrets,
    ) -> Result<bool, Error> {
        let sealed = self.sealed((tenant, name), secrets)?;
        let inserted = sqlx::query!(
            "INSERT INTO tools.added (kind, tenant, name, settings, key_id, nonce, ciphertext)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (kind, tenant, name) DO NOTHING",
            S::KIND,
            tenant,
            name,
            json(settings)?,
            sealed.key_id,
            sealed.nonce,
            sealed.ciphertext,
        )
        .execute(self.context().pool())
        .await?;
        self.sync().await?;
        Ok(inserted.rows_affected() > 0)
    }

    /// Changes a row. `false` if it was changed at the same time.
    pub(crate) async fn change(
        &self,
        stored: &Stored<S>,
        settings: &S,
        secrets: Option<&S::Secrets>,
    ) -> Result<bool, Error> {
        let sealed = match secrets {
            Some(secrets) => self.sealed(stored.key(), secrets)?,
            None => stored.sealed.clone(),
        };
        let updated = sqlx::query_file!(
            "queries/added_update.sql",
            S::KIND,
            stored.tenant,
            stored.name,
            stored.version,
            json(settings)?,
            sealed.key_id,
            sealed.nonce,
            sealed.ciphertext,
        )
        .execute(self.context().pool())
        .await?;
        self.sync().await?;
        Ok(updated.rows_affected() > 0)
    }

    /// Removes a row. `false` if there is none.
    pub(crate) async fn remove(&self, tenant: &str, name: &str) -> Result<bool, sqlx::Error> {
        let deleted = sqlx::query!(
            "WITH test AS (DELETE FROM tools.tested WHERE kind = $1 AND tenant = $2 AND name = $3)
             DELETE FROM tools.added WHERE kind = $1 AND tenant = $2 AND name = $3",
            S::KIND,
            tenant,
            name,
        )
        .execute(self.context().pool())
        .await?;
        self.sync().await?;
        Ok(deleted.rows_affected() > 0)
    }

    /// The credentials of a row, or why there are none.
    pub(crate) fn secrets(&self, stored: &Stored<S>) -> Result<S::Secrets, String> {
        opened::<S>(&self.secret(stored)?)
    }

    fn sealed(&self, of: (&str, &str), secrets: &S::Secrets) -> Result<Sealed, Error> {
        let encode = |error: serde_json::Error| sqlx::Error::Encode(error.into());
        let plain = serde_json::to_vec(secrets).map_err(encode)?;
        self.context().seal(K::PURPOSE, of, &plain)
    }
}

/// Decrypted credentials.
pub(crate) fn opened<S: Kept>(plain: &[u8]) -> Result<S::Secrets, String> {
    serde_json::from_slice(plain).map_err(|_| {
        "Its credentials are of another version of the service. Enter them again.".to_owned()
    })
}

pub(crate) fn json(value: &impl Serialize) -> Result<Value, sqlx::Error> {
    serde_json::to_value(value).map_err(|error| sqlx::Error::Encode(error.into()))
}
