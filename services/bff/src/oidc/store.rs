//! Providers that are added while the service runs, in the database.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use service_kit::clock::SharedClock;
use sqlx::PgPool;

use super::config::IssuerConfig;
use crate::signing::Cipher;

/// The providers in the database.
pub(crate) struct Issuers {
    pool: PgPool,
    clock: SharedClock,
    cipher: Cipher,
}

/// Everything of a provider but its client secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// As the configuration has it.
    pub(crate) issuer: IssuerConfig,
    /// The address of the page. Absent: that of the configuration.
    pub(crate) public_url: Option<String>,
}

/// A provider as it is stored.
#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) name: String,
    pub(crate) settings: Settings,
    client_secret: Option<SecretString>,
    pub(crate) version: i64,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
}

/// Number of rows and sum of their versions: another pair after every change, also of rows that
/// were committed out of order.
pub(super) type Mark = (i64, i64);

/// The reason for which a provider is not stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// There is no key to encrypt its secret with.
    #[error("there is no key to encrypt client secrets with")]
    NoKey,
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

impl Stored {
    /// Whether it has a client secret.
    pub(crate) fn has_secret(&self) -> bool {
        self.client_secret.is_some()
    }
}

impl Issuers {
    pub(super) fn new(
        pool: PgPool,
        clock: SharedClock,
        encryption_key: Option<&SecretString>,
    ) -> Self {
        Self {
            pool,
            clock,
            cipher: Cipher::new(encryption_key),
        }
    }

    /// The present state.
    pub(super) async fn mark(&self) -> Result<Mark, sqlx::Error> {
        let mark = sqlx::query!(
            r#"SELECT count(*) AS "rows!", coalesce(sum(version), 0)::bigint AS "versions!" FROM bff.issuers"#,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok((mark.rows, mark.versions))
    }

    /// All providers, the oldest first.
    pub(crate) async fn all(&self) -> Result<Vec<Stored>, sqlx::Error> {
        self.read(None).await
    }

    /// The provider of a name.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<Stored>, sqlx::Error> {
        Ok(self.read(Some(name)).await?.pop())
    }

    async fn read(&self, name: Option<&str>) -> Result<Vec<Stored>, sqlx::Error> {
        let rows = sqlx::query!(
            "SELECT name, settings, client_secret, version, created_at, updated_at
             FROM bff.issuers WHERE $1::text IS NULL OR name = $1 ORDER BY created_at, name",
            name,
        )
        .fetch_all(&self.pool)
        .await?;
        let stored = rows.into_iter().map(|row| {
            let decode = |error: serde_json::Error| sqlx::Error::Decode(error.into());
            Ok(Stored {
                settings: serde_json::from_value(row.settings).map_err(decode)?,
                name: row.name,
                client_secret: row.client_secret.map(Into::into),
                version: row.version,
                created_at: row.created_at,
                updated_at: row.updated_at,
            })
        });
        stored.collect()
    }

    /// The configuration of a provider with its secret; fails with why it cannot be used.
    pub(crate) fn opened(&self, stored: &Stored) -> Result<IssuerConfig, String> {
        let mut config = stored.settings.issuer.clone();
        if let Some(sealed) = &stored.client_secret {
            let opened = self.cipher.open(&purpose(&stored.name), sealed);
            config.client_secret = Some(opened.map_err(|_| {
                "Its client secret cannot be decrypted: the encryption key is another one now. Enter the secret again.".to_owned()
            })?);
        }
        Ok(config)
    }

    /// Adds a provider. `false` if there is one of this name or of this issuer.
    pub(crate) async fn add(&self, settings: &Settings) -> Result<bool, StoreError> {
        let config = &settings.issuer;
        let sealed = self.sealed(&config.name, config.client_secret.as_ref())?;
        let inserted = sqlx::query!(
            "INSERT INTO bff.issuers (name, issuer, settings, client_secret, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING",
            config.name,
            config.issuer,
            json(settings)?,
            sealed.as_ref().map(ExposeSecret::expose_secret),
            self.clock.now(),
        )
        .execute(&self.pool)
        .await?;
        Ok(inserted.rows_affected() > 0)
    }

    /// Changes a provider, also its secret. `false` if it was changed at the same time.
    pub(crate) async fn change(
        &self,
        stored: &Stored,
        settings: &Settings,
    ) -> Result<bool, StoreError> {
        let sealed = self.sealed(&stored.name, settings.issuer.client_secret.as_ref())?;
        let updated = sqlx::query!(
            "UPDATE bff.issuers
             SET settings = $3, client_secret = $4, updated_at = $5, version = nextval('bff.issuer_versions')
             WHERE name = $1 AND version = $2",
            stored.name,
            stored.version,
            json(settings)?,
            sealed.as_ref().map(ExposeSecret::expose_secret),
            self.clock.now(),
        )
        .execute(&self.pool)
        .await?;
        Ok(updated.rows_affected() > 0)
    }

    /// Removes a provider. Sessions and sign-ins that began there end, unless another provider of
    /// this issuer is in use. `false` if there is none of this name.
    pub(crate) async fn remove(
        &self,
        name: &str,
        is_used: impl FnOnce(&str) -> bool,
    ) -> Result<bool, sqlx::Error> {
        let mut transaction = self.pool.begin().await?;
        let issuer = sqlx::query_scalar!(
            "DELETE FROM bff.issuers WHERE name = $1 RETURNING issuer",
            name
        )
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(issuer) = issuer else {
            return Ok(false);
        };
        if !is_used(&issuer) {
            sqlx::query!("DELETE FROM bff.sign_ins WHERE issuer = $1", issuer)
                .execute(&mut *transaction)
                .await?;
            sqlx::query!("DELETE FROM bff.sessions WHERE issuer = $1", issuer)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    fn sealed(
        &self,
        name: &str,
        secret: Option<&SecretString>,
    ) -> Result<Option<SecretString>, StoreError> {
        let Some(secret) = secret else {
            return Ok(None);
        };
        if !self.cipher.has_key() {
            return Err(StoreError::NoKey);
        }
        let sealed = self.cipher.seal(&purpose(name), secret);
        Ok(Some(sealed.map_err(|_| StoreError::NoKey)?))
    }
}

/// A secret is encrypted for one provider alone.
fn purpose(name: &str) -> String {
    format!("client secret of the issuer {name}")
}

fn json(settings: &Settings) -> Result<serde_json::Value, sqlx::Error> {
    serde_json::to_value(settings).map_err(|error| sqlx::Error::Encode(error.into()))
}
