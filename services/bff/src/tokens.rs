//! Refresh tokens of API clients: each works once, and using one twice ends its whole family.

use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret, SecretString};
use service_kit::clock::{SharedClock, SharedIds};
use sqlx::PgPool;
use uuid::Uuid;

use crate::config::SessionConfig;
use crate::secret;

/// The refresh tokens in the database.
pub(crate) struct RefreshTokens {
    pool: PgPool,
    clock: SharedClock,
    ids: SharedIds,
    lifetime: TimeDelta,
}

/// A token that was taken, and the one that follows it.
pub(crate) struct Renewed {
    /// Whose token it was.
    pub(crate) account_id: Uuid,
    /// The next one.
    pub(crate) token: SecretString,
}

impl RefreshTokens {
    pub(crate) fn new(
        pool: PgPool,
        clock: SharedClock,
        ids: SharedIds,
        config: &SessionConfig,
    ) -> Self {
        Self {
            pool,
            clock,
            ids,
            lifetime: TimeDelta::hours(config.refresh_lifetime_hours.into()),
        }
    }

    /// The first token of a family, after signing in.
    pub(crate) async fn begin(&self, account_id: Uuid) -> Result<SecretString, sqlx::Error> {
        let now = self.clock.now();
        sqlx::query("DELETE FROM bff.refresh_tokens WHERE expires_at < $1")
            .bind(now)
            .execute(&self.pool)
            .await?;
        let mut connection = self.pool.acquire().await?;
        self.issue(&mut connection, account_id, self.ids.new_id(), now)
            .await
    }

    /// Takes a token and gives the next; `None` when it is unknown, expired or used.
    pub(crate) async fn renew(&self, token: &str) -> Result<Option<Renewed>, sqlx::Error> {
        let (hash, now) = (secret::hash(token), self.clock.now());
        let mut transaction = self.pool.begin().await?;
        let row: Option<(Uuid, Uuid, bool)> = sqlx::query_as(
            "SELECT family, account_id, used_at IS NOT NULL FROM bff.refresh_tokens
             WHERE token_hash = $1 AND expires_at > $2 FOR UPDATE",
        )
        .bind(&hash)
        .bind(now)
        .fetch_optional(&mut *transaction)
        .await?;
        let Some((family, account_id, used)) = row else {
            return Ok(None);
        };
        if used {
            tracing::warn!(%account_id, "a refresh token was used twice; its family is ended");
            sqlx::query("DELETE FROM bff.refresh_tokens WHERE family = $1")
                .bind(family)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            return Ok(None);
        }
        sqlx::query("UPDATE bff.refresh_tokens SET used_at = $2 WHERE token_hash = $1")
            .bind(&hash)
            .bind(now)
            .execute(&mut *transaction)
            .await?;
        let token = self
            .issue(&mut transaction, account_id, family, now)
            .await?;
        transaction.commit().await?;
        Ok(Some(Renewed { account_id, token }))
    }

    /// Ends every token of an account.
    pub(crate) async fn end_all(&self, account_id: Uuid) -> Result<(), sqlx::Error> {
        sqlx::query("DELETE FROM bff.refresh_tokens WHERE account_id = $1")
            .bind(account_id)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn issue(
        &self,
        connection: &mut sqlx::PgConnection,
        account_id: Uuid,
        family: Uuid,
        now: DateTime<Utc>,
    ) -> Result<SecretString, sqlx::Error> {
        let token = secret::generate();
        sqlx::query(
            "INSERT INTO bff.refresh_tokens (token_hash, family, account_id, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(secret::hash(token.expose_secret()))
        .bind(family)
        .bind(account_id)
        .bind(now)
        .bind(now + self.lifetime)
        .execute(connection)
        .await?;
        Ok(token)
    }
}
