//! The rows: encrypted on the way in, decrypted on the way out, each query by tenant, user and
//! upstream.

use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use uuid::Uuid;

use super::cipher::{Cipher, Sealed};
use super::token::Tokens;
use super::{Held, Owner};
use crate::error::is_connection_error;

/// The credentials in the database.
pub(super) struct Store {
    pool: PgPool,
    /// None where no upstream is configured; then there is nothing to store either.
    cipher: Option<Cipher>,
}

/// A row.
pub(super) struct Stored {
    pub(super) version: i64,
    /// `None` when it cannot be decrypted any more.
    pub(super) tokens: Option<Tokens>,
}

impl Stored {
    /// Its token, ready for a call.
    pub(super) fn held(self) -> Option<Held> {
        self.tokens.map(|tokens| tokens.held(self.version))
    }
}

/// The encrypted part.
#[derive(Serialize, Deserialize)]
struct Plain {
    access_token: String,
    refresh_token: Option<String>,
}

struct Row {
    key_id: String,
    nonce: Vec<u8>,
    ciphertext: Vec<u8>,
    expires_at: Option<DateTime<Utc>>,
    issued_at: Option<DateTime<Utc>>,
    version: i64,
}

impl Store {
    pub(super) fn new(pool: PgPool, cipher: Option<Cipher>) -> Self {
        Self { pool, cipher }
    }

    /// The credential that is kept, if any.
    pub(super) async fn get(
        &self,
        owner: &Owner,
        upstream: &str,
    ) -> Result<Option<Stored>, sqlx::Error> {
        let mut row = self.row(owner, upstream).await;
        // After a restart of the server the pool may hold dead connections; reading again is safe,
        // until none of them is left.
        for _ in 0..=self.pool.num_idle() {
            match row {
                Err(error) if is_connection_error(&error) => row = self.row(owner, upstream).await,
                _ => break,
            }
        }
        let Some(row) = row? else { return Ok(None) };
        let sealed = Sealed {
            key_id: row.key_id,
            nonce: row.nonce,
            ciphertext: row.ciphertext,
        };
        let plain = self.open(owner, upstream, &sealed);
        if plain.is_none() {
            tracing::warn!(
                upstream,
                key_id = sealed.key_id,
                "a credential cannot be decrypted"
            );
        }
        let tokens = plain.map(|plain| Tokens {
            access_token: SecretString::from(plain.access_token),
            refresh_token: plain.refresh_token.map(SecretString::from),
            expires_at: row.expires_at,
            issued_at: row.issued_at,
        });
        let stored = Stored {
            version: row.version,
            tokens,
        };
        if self
            .cipher
            .as_ref()
            .is_some_and(|cipher| cipher.is_old(&sealed))
        {
            self.encrypt_anew(owner, upstream, &stored).await?;
        }
        Ok(Some(stored))
    }

    /// Keeps a credential in place of whatever there was.
    pub(super) async fn put(
        &self,
        owner: &Owner,
        upstream: &str,
        tokens: &Tokens,
    ) -> Result<(), sqlx::Error> {
        let sealed = self.seal(owner, upstream, tokens)?;
        sqlx::query_file!(
            "queries/credentials_put.sql",
            owner.tenant,
            owner.subject,
            upstream,
            sealed.key_id,
            sealed.nonce,
            sealed.ciphertext,
            tokens.expires_at,
            tokens.issued_at,
        )
        .execute(&self.pool)
        .await
        .map(drop)
    }

    /// Keeps a refreshed credential in place of the version that it was made from, or of none.
    /// `None` when there is another by now, or none any more: that is what the user needs, then.
    pub(super) async fn replace(
        &self,
        owner: &Owner,
        upstream: &str,
        replaced: Option<i64>,
        tokens: &Tokens,
    ) -> Result<Option<i64>, sqlx::Error> {
        let sealed = self.seal(owner, upstream, tokens)?;
        match replaced {
            Some(version) => {
                sqlx::query_file_scalar!(
                    "queries/credentials_replace.sql",
                    owner.tenant,
                    owner.subject,
                    upstream,
                    sealed.key_id,
                    sealed.nonce,
                    sealed.ciphertext,
                    tokens.expires_at,
                    tokens.issued_at,
                    version,
                )
                .fetch_optional(&self.pool)
                .await
            }
            None => {
                sqlx::query_scalar!(
                    "INSERT INTO tools.credentials (tenant, subject, upstream, key_id, nonce, ciphertext, expires_at, issued_at)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                     ON CONFLICT (tenant, subject, upstream) DO NOTHING
                     RETURNING version",
                    owner.tenant,
                    owner.subject,
                    upstream,
                    sealed.key_id,
                    sealed.nonce,
                    sealed.ciphertext,
                    tokens.expires_at,
                    tokens.issued_at,
                )
                .fetch_optional(&self.pool)
                .await
            }
        }
    }

    /// The upstreams for which something is kept.
    pub(super) async fn upstreams(&self, owner: &Owner) -> Result<Vec<String>, sqlx::Error> {
        sqlx::query_scalar!(
            "SELECT upstream FROM tools.credentials WHERE tenant = $1 AND subject = $2 ORDER BY upstream",
            owner.tenant,
            owner.subject,
        )
        .fetch_all(&self.pool)
        .await
    }

    /// Forgets a credential. False when there is none.
    pub(super) async fn delete(&self, owner: &Owner, upstream: &str) -> Result<bool, sqlx::Error> {
        sqlx::query!(
            "DELETE FROM tools.credentials WHERE tenant = $1 AND subject = $2 AND upstream = $3",
            owner.tenant,
            owner.subject,
            upstream,
        )
        .execute(&self.pool)
        .await
        .map(|deleted| deleted.rows_affected() > 0)
    }

    /// Forgets every credential of a tenant for an upstream.
    pub(super) async fn delete_all(&self, tenant: &str, upstream: &str) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "DELETE FROM tools.credentials WHERE tenant = $1 AND upstream = $2",
            tenant,
            upstream,
        )
        .execute(&self.pool)
        .await
        .map(drop)
    }

    /// Takes the right to refresh a credential, for a while; false when another user has it.
    pub(super) async fn claim(
        &self,
        owner: &Owner,
        upstream: &str,
        holder: Uuid,
        lease: Duration,
    ) -> Result<bool, sqlx::Error> {
        let taken = sqlx::query_file!(
            "queries/credentials_claim.sql",
            owner.tenant,
            owner.subject,
            upstream,
            holder,
            lease.as_secs_f64() * 1_000.0,
        )
        .execute(&self.pool)
        .await?;
        Ok(taken.rows_affected() == 1)
    }

    /// Gives the right back.
    pub(super) async fn release(
        &self,
        owner: &Owner,
        upstream: &str,
        holder: Uuid,
    ) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "DELETE FROM tools.credential_refreshes
             WHERE tenant = $1 AND subject = $2 AND upstream = $3 AND holder = $4",
            owner.tenant,
            owner.subject,
            upstream,
            holder,
        )
        .execute(&self.pool)
        .await
        .map(drop)
    }

    /// Puts a row under the newest key, so that an older one can go some day. The credential stays
    /// the same version.
    async fn encrypt_anew(
        &self,
        owner: &Owner,
        upstream: &str,
        stored: &Stored,
    ) -> Result<(), sqlx::Error> {
        let Some(tokens) = &stored.tokens else {
            return Ok(());
        };
        let sealed = self.seal(owner, upstream, tokens)?;
        sqlx::query!(
            "UPDATE tools.credentials
             SET key_id = $4, nonce = $5, ciphertext = $6
             WHERE tenant = $1 AND subject = $2 AND upstream = $3 AND version = $7",
            owner.tenant,
            owner.subject,
            upstream,
            sealed.key_id,
            sealed.nonce,
            sealed.ciphertext,
            stored.version,
        )
        .execute(&self.pool)
        .await
        .map(drop)
    }

    /// The row as it is.
    async fn row(&self, owner: &Owner, upstream: &str) -> Result<Option<Row>, sqlx::Error> {
        sqlx::query_as!(
            Row,
            "SELECT key_id, nonce, ciphertext, expires_at, issued_at, version
             FROM tools.credentials
             WHERE tenant = $1 AND subject = $2 AND upstream = $3",
            owner.tenant,
            owner.subject,
            upstream,
        )
        .fetch_optional(&self.pool)
        .await
    }

    fn open(&self, owner: &Owner, upstream: &str, sealed: &Sealed) -> Option<Plain> {
        let plain = self.cipher.as_ref()?.open(owner, upstream, sealed)?;
        serde_json::from_slice(&plain).ok()
    }

    fn seal(&self, owner: &Owner, upstream: &str, tokens: &Tokens) -> Result<Sealed, sqlx::Error> {
        let plain = Plain {
            access_token: tokens.access_token.expose_secret().to_owned(),
            refresh_token: tokens
                .refresh_token
                .as_ref()
                .map(|token| token.expose_secret().to_owned()),
        };
        let plain =
            serde_json::to_vec(&plain).map_err(|error| sqlx::Error::Encode(error.into()))?;
        let sealed = self
            .cipher
            .as_ref()
            .and_then(|cipher| cipher.seal(owner, upstream, &plain));
        sealed.ok_or_else(|| sqlx::Error::Encode("a credential cannot be encrypted".into()))
    }
}
