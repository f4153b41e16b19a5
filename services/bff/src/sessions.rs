//! Sessions of browsers: an opaque id in a cookie, its hash in the database.

use chrono::TimeDelta;
use secrecy::{ExposeSecret, SecretString};
use service_kit::clock::SharedClock;
use sqlx::PgPool;
use uuid::Uuid;

use crate::accounts::Account;
use crate::config::SessionConfig;
use crate::secret;

/// A session's last use is written down this often at most: it is a write on the way of each
/// request.
const TOUCH_INTERVAL: TimeDelta = TimeDelta::minutes(5);

/// The sessions in the database.
pub(crate) struct Sessions {
    pool: PgPool,
    clock: SharedClock,
    lifetime: TimeDelta,
    idle: TimeDelta,
}

impl Sessions {
    pub(crate) fn new(pool: PgPool, clock: SharedClock, config: &SessionConfig) -> Self {
        Self {
            pool,
            clock,
            lifetime: TimeDelta::hours(config.lifetime_hours.into()),
            idle: TimeDelta::hours(config.idle_hours.into()),
        }
    }

    /// Time that a session lasts.
    pub(crate) fn lifetime(&self) -> TimeDelta {
        self.lifetime
    }

    /// Begins a session, and forgets those that have ended.
    pub(crate) async fn begin(&self, account_id: Uuid) -> Result<SecretString, sqlx::Error> {
        let (token, now) = (secret::generate(), self.clock.now());
        sqlx::query!(
            "DELETE FROM bff.sessions WHERE expires_at < $1 OR last_seen_at < $2",
            now,
            now - self.idle,
        )
        .execute(&self.pool)
        .await?;
        sqlx::query!(
            "INSERT INTO bff.sessions (token_hash, account_id, created_at, last_seen_at, expires_at)
             VALUES ($1, $2, $3, $3, $4)",
            secret::hash(token.expose_secret()),
            account_id,
            now,
            now + self.lifetime,
        )
        .execute(&self.pool)
        .await?;
        Ok(token)
    }

    /// The account whose session this is.
    pub(crate) async fn find(&self, token: &str) -> Result<Option<Account>, sqlx::Error> {
        let (hash, now) = (secret::hash(token), self.clock.now());
        let row = sqlx::query!(
            "SELECT a.account_id, a.username, a.tenant, a.scopes, s.last_seen_at
             FROM bff.sessions s JOIN bff.accounts a USING (account_id)
             WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.last_seen_at > $3 AND a.disabled_at IS NULL",
            hash,
            now,
            now - self.idle,
        )
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        if now - row.last_seen_at > TOUCH_INTERVAL {
            sqlx::query!(
                "UPDATE bff.sessions SET last_seen_at = $2 WHERE token_hash = $1",
                hash,
                now,
            )
            .execute(&self.pool)
            .await?;
        }
        Ok(Some(Account {
            account_id: row.account_id,
            username: row.username,
            tenant: row.tenant,
            scopes: row.scopes,
        }))
    }

    /// Ends a session.
    pub(crate) async fn end(&self, token: &str) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "DELETE FROM bff.sessions WHERE token_hash = $1",
            secret::hash(token)
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
