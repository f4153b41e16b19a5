//! Sessions of browsers: an opaque id in a cookie, its hash in the database.

use chrono::{DateTime, TimeDelta, Utc};
use contracts::accounts::{SessionInfo, SessionKind};
use secrecy::{ExposeSecret, SecretString};
use service_kit::clock::SharedClock;
use service_kit::database::{Kept, reason};
use sqlx::PgPool;
use uuid::Uuid;

use crate::accounts::{Account, AccountRow};
use crate::config::SessionConfig;
use crate::secret;
use crate::sign_in::Origin;

/// A session's last use is written down this often at most: it is a write on the way of each
/// request.
const TOUCH_INTERVAL: TimeDelta = TimeDelta::minutes(5);

/// A session that a request came with.
pub(crate) struct Found {
    /// The account of the session.
    pub(crate) account: Account,
    /// The id, which is not the secret.
    pub(crate) session_id: Uuid,
}

/// A session and its account as they are stored.
struct Row {
    account_id: Uuid,
    username: String,
    tenant: String,
    scopes: Vec<String>,
    role: Option<String>,
    groups: Vec<String>,
    last_seen_at: DateTime<Utc>,
    session_id: Uuid,
}

/// The sessions in the database.
pub(crate) struct Sessions {
    pool: PgPool,
    /// For what each request asks.
    kept: Kept,
    clock: SharedClock,
    lifetime: TimeDelta,
    idle: TimeDelta,
}

impl Sessions {
    pub(crate) fn new(kept: Kept, clock: SharedClock, config: &SessionConfig) -> Self {
        Self {
            pool: kept.pool().clone(),
            kept,
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
    pub(crate) async fn begin(
        &self,
        account_id: Uuid,
        origin: &Origin,
    ) -> Result<SecretString, sqlx::Error> {
        let (token, now) = (secret::generate(), self.clock.now());
        sqlx::query!(
            "DELETE FROM bff.sessions WHERE expires_at < $1 OR last_seen_at < $2",
            now,
            now - self.idle,
        )
        .execute(&self.pool)
        .await?;
        sqlx::query!(
            "INSERT INTO bff.sessions (token_hash, account_id, created_at, last_seen_at, expires_at, address, client, issuer, issuer_session)
             VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8)",
            secret::hash(token.expose_secret()),
            account_id,
            now,
            now + self.lifetime,
            origin.address,
            origin.client,
            origin.issuer,
            origin.issuer_session,
        )
        .execute(&self.pool)
        .await?;
        Ok(token)
    }

    /// The account whose session this is.
    pub(crate) async fn find(&self, token: &str) -> Result<Option<Found>, sqlx::Error> {
        let (hash, now) = (secret::hash(token), self.clock.now());
        let mut found = self.row(&hash, now).await;
        if found.as_ref().is_err_and(|error| reason(error).is_some()) {
            // The server was away for a moment; this only reads.
            self.kept.forget();
            found = self.row(&hash, now).await;
        }
        let Some(row) = found? else { return Ok(None) };
        if now - row.last_seen_at > TOUCH_INTERVAL {
            sqlx::query!(
                "UPDATE bff.sessions SET last_seen_at = $2 WHERE token_hash = $1",
                hash,
                now,
            )
            .execute(&self.pool)
            .await?;
        }
        Ok(Some(Found {
            account: Account::from(AccountRow {
                account_id: row.account_id,
                username: row.username,
                tenant: row.tenant,
                scopes: row.scopes,
                role: row.role,
                groups: row.groups,
            }),
            session_id: row.session_id,
        }))
    }

    async fn row(&self, hash: &[u8], now: DateTime<Utc>) -> Result<Option<Row>, sqlx::Error> {
        let mut connection = self.kept.acquire().await?;
        let row = sqlx::query_as!(
            Row,
            "SELECT a.account_id, a.username, a.tenant, a.scopes, a.role, a.groups, s.last_seen_at, s.session_id
             FROM bff.sessions s JOIN bff.accounts a USING (account_id)
             WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.last_seen_at > $3 AND a.disabled_at IS NULL",
            hash,
            now,
            now - self.idle,
        )
        .fetch_optional(&mut *connection)
        .await?;
        connection.keep();
        Ok(row)
    }

    /// Ends a session; returns the identity provider that it began at.
    pub(crate) async fn end(&self, token: &str) -> Result<Option<String>, sqlx::Error> {
        let issuer = sqlx::query_scalar!(
            "DELETE FROM bff.sessions WHERE token_hash = $1 RETURNING issuer",
            secret::hash(token)
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(issuer.flatten())
    }

    /// The sign-ins of an account that still count, the newest first: its sessions, and the
    /// families of its refresh tokens. `current` is the id of the one that a request came with.
    pub(crate) async fn list(
        &self,
        account_id: Uuid,
        current: Option<Uuid>,
    ) -> Result<Vec<SessionInfo>, sqlx::Error> {
        let now = self.clock.now();
        let rows = sqlx::query_file!(
            "queries/sign_ins_of_account.sql",
            account_id,
            now,
            now - self.idle,
        )
        .fetch_all(&self.pool)
        .await?;
        let infos = rows.into_iter().map(|row| SessionInfo {
            id: row.id.to_string(),
            kind: if row.is_browser {
                SessionKind::Browser
            } else {
                SessionKind::Client
            },
            current: current == Some(row.id),
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            expires_at: row.expires_at,
            address: row.address,
            client: row.client,
        });
        Ok(infos.collect())
    }

    /// Ends a sign-in of an account; `false` when it has no such one.
    pub(crate) async fn end_one(&self, account_id: Uuid, id: Uuid) -> Result<bool, sqlx::Error> {
        let sessions = sqlx::query!(
            "DELETE FROM bff.sessions WHERE account_id = $1 AND session_id = $2",
            account_id,
            id,
        )
        .execute(&self.pool)
        .await?;
        let tokens = sqlx::query!(
            "DELETE FROM bff.refresh_tokens WHERE account_id = $1 AND family = $2",
            account_id,
            id,
        )
        .execute(&self.pool)
        .await?;
        Ok(sessions.rows_affected() + tokens.rows_affected() > 0)
    }

    /// Ends every sign-in of an account save one.
    pub(crate) async fn end_others(
        &self,
        account_id: Uuid,
        kept: Option<Uuid>,
    ) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "DELETE FROM bff.sessions WHERE account_id = $1 AND session_id IS DISTINCT FROM $2",
            account_id,
            kept,
        )
        .execute(&self.pool)
        .await?;
        sqlx::query!(
            "DELETE FROM bff.refresh_tokens WHERE account_id = $1 AND family IS DISTINCT FROM $2",
            account_id,
            kept,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
