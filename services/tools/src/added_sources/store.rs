//! The rows. Each query is by tenant, save those with which a process learns of all of them.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgPool;

use super::settings::{Secrets, Settings};
use crate::credentials::cipher::{Cipher, Sealed};

/// A source as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) tenant: String,
    pub(crate) name: String,
    pub(crate) settings: Settings,
    pub(super) sealed: Sealed,
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
    fn stored(self) -> Result<Stored, sqlx::Error> {
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

/// The purpose of encrypted credentials.
fn purpose<'a>(tenant: &'a str, name: &'a str) -> [&'a str; 4] {
    ["source", tenant, name, "credentials"]
}

impl Stored {
    /// Its credentials; `None` if they cannot be decrypted any more.
    pub(super) fn secrets(&self, cipher: Option<&Cipher>) -> Option<Secrets> {
        let plain = cipher?.open_for(&purpose(&self.tenant, &self.name), &self.sealed)?;
        serde_json::from_slice(&plain).ok()
    }
}

/// Encrypts credentials for a source alone.
pub(super) fn seal(cipher: &Cipher, tenant: &str, name: &str, secrets: &Secrets) -> Option<Sealed> {
    let plain = serde_json::to_vec(secrets).ok()?;
    cipher.seal_for(&purpose(tenant, name), &plain)
}

/// The sources of a tenant, or of all, or the one of a name.
pub(super) async fn all(
    pool: &PgPool,
    tenant: Option<&str>,
    name: Option<&str>,
) -> Result<Vec<Stored>, sqlx::Error> {
    let rows = sqlx::query_file_as!(Row, "queries/sources_all.sql", tenant, name)
        .fetch_all(pool)
        .await?;
    rows.into_iter().map(Row::stored).collect()
}

/// Something that is another after each change, also of rows that were committed out of order.
pub(super) async fn state(pool: &PgPool) -> Result<(i64, i64), sqlx::Error> {
    let state = sqlx::query!(
        r#"SELECT count(*) AS "count!", coalesce(sum(version), 0)::bigint AS "sum!" FROM tools.sources"#
    )
    .fetch_one(pool)
    .await?;
    Ok((state.count, state.sum))
}

/// Adds a source. `false` if the tenant has one of this name.
pub(super) async fn insert(
    pool: &PgPool,
    tenant: &str,
    name: &str,
    settings: &Settings,
    sealed: &Sealed,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "INSERT INTO tools.sources (tenant, name, settings, key_id, nonce, ciphertext)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (tenant, name) DO NOTHING",
        tenant,
        name,
        json(settings)?,
        sealed.key_id,
        sealed.nonce,
        sealed.ciphertext,
    )
    .execute(pool)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Changes a source unless it was changed since it was read.
pub(super) async fn update(
    pool: &PgPool,
    stored: &Stored,
    settings: &Settings,
    sealed: &Sealed,
) -> Result<bool, sqlx::Error> {
    let updated = sqlx::query!(
        "UPDATE tools.sources
         SET settings = $4, key_id = $5, nonce = $6, ciphertext = $7, version = nextval('tools.source_versions'), updated_at = now()
         WHERE tenant = $1 AND name = $2 AND version = $3",
        stored.tenant,
        stored.name,
        stored.version,
        json(settings)?,
        sealed.key_id,
        sealed.nonce,
        sealed.ciphertext,
    )
    .execute(pool)
    .await?;
    Ok(updated.rows_affected() > 0)
}

/// Puts credentials under the newest key. The source stays the same version.
pub(super) async fn encrypt_anew(
    pool: &PgPool,
    stored: &Stored,
    sealed: &Sealed,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE tools.sources SET key_id = $4, nonce = $5, ciphertext = $6
         WHERE tenant = $1 AND name = $2 AND version = $3",
        stored.tenant,
        stored.name,
        stored.version,
        sealed.key_id,
        sealed.nonce,
        sealed.ciphertext,
    )
    .execute(pool)
    .await
    .map(drop)
}

/// Removes a source. `false` if there is none.
pub(super) async fn delete(pool: &PgPool, tenant: &str, name: &str) -> Result<bool, sqlx::Error> {
    let deleted = sqlx::query!(
        "DELETE FROM tools.sources WHERE tenant = $1 AND name = $2",
        tenant,
        name,
    )
    .execute(pool)
    .await?;
    Ok(deleted.rows_affected() > 0)
}

fn json(settings: &Settings) -> Result<Value, sqlx::Error> {
    serde_json::to_value(settings).map_err(|error| sqlx::Error::Encode(error.into()))
}
