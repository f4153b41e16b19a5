//! API keys of programs: shown once, stored as hashes, with scopes, an end and a last use.

use chrono::{DateTime, TimeDelta, Utc};
use contracts::accounts::ApiKeyInfo;
use secrecy::{ExposeSecret, SecretString};
use service_kit::clock::{SharedClock, SharedIds};
use sqlx::PgPool;
use uuid::Uuid;

use crate::accounts::{Account, AccountRow};
use crate::secret;

/// The beginning of every key, which distinguishes them from access tokens, also for scanners of
/// secrets.
pub(crate) const BEGINNING: &str = "hk_";

/// Characters of a key that are stored, to recognise it.
const SHOWN: usize = 9;

/// A key's last use is written down this often at most: it is a write on the way of each request.
const TOUCH_INTERVAL: TimeDelta = TimeDelta::minutes(5);

/// The keys in the database.
pub(crate) struct ApiKeys {
    pool: PgPool,
    clock: SharedClock,
    ids: SharedIds,
}

/// A key as it is stored.
struct KeyRow {
    key_id: Uuid,
    name: String,
    prefix: String,
    scopes: Vec<String>,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    last_used_at: Option<DateTime<Utc>>,
}

impl From<KeyRow> for ApiKeyInfo {
    fn from(row: KeyRow) -> Self {
        Self {
            id: row.key_id.to_string(),
            name: row.name,
            prefix: row.prefix,
            scopes: row.scopes,
            created_at: row.created_at,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
        }
    }
}

impl ApiKeys {
    pub(crate) fn new(pool: PgPool, clock: SharedClock, ids: SharedIds) -> Self {
        Self { pool, clock, ids }
    }

    /// Creates a key; its text is returned here only.
    pub(crate) async fn create(
        &self,
        account_id: Uuid,
        name: &str,
        scopes: &[String],
        lifetime: TimeDelta,
    ) -> Result<(SecretString, ApiKeyInfo), sqlx::Error> {
        let key = format!("{BEGINNING}{}", secret::generate().expose_secret());
        let prefix: String = key.chars().take(SHOWN).collect();
        let now = self.clock.now();
        let row = sqlx::query_as!(
            KeyRow,
            "INSERT INTO bff.api_keys (key_id, account_id, name, prefix, key_hash, scopes, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             RETURNING key_id, name, prefix, scopes, created_at, expires_at, last_used_at",
            self.ids.new_id(),
            account_id,
            name,
            prefix,
            secret::hash(&key),
            scopes,
            now,
            now + lifetime,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok((key.into(), row.into()))
    }

    /// The account of a key, with the scopes that both have, and the key's id.
    pub(crate) async fn find(&self, key: &str) -> Result<Option<(Account, Uuid)>, sqlx::Error> {
        let now = self.clock.now();
        let row = sqlx::query!(
            r#"SELECT a.account_id, a.username, a.tenant, a.scopes, a.role, a.groups, k.key_id, k.scopes AS key_scopes, k.last_used_at
               FROM bff.api_keys k JOIN bff.accounts a USING (account_id)
               WHERE k.key_hash = $1 AND k.expires_at > $2 AND a.disabled_at IS NULL"#,
            secret::hash(key),
            now,
        )
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        if row
            .last_used_at
            .is_none_or(|last| now - last > TOUCH_INTERVAL)
        {
            sqlx::query!(
                "UPDATE bff.api_keys SET last_used_at = $2 WHERE key_id = $1",
                row.key_id,
                now,
            )
            .execute(&self.pool)
            .await?;
        }
        let mut account = Account::from(AccountRow {
            account_id: row.account_id,
            username: row.username,
            tenant: row.tenant,
            scopes: row.scopes,
            role: row.role,
            groups: row.groups,
        });
        account
            .scopes
            .retain(|scope| row.key_scopes.contains(scope));
        account.role = None;
        Ok(Some((account, row.key_id)))
    }

    /// The keys of an account, the newest first.
    pub(crate) async fn list(&self, account_id: Uuid) -> Result<Vec<ApiKeyInfo>, sqlx::Error> {
        let rows = sqlx::query_as!(
            KeyRow,
            "SELECT key_id, name, prefix, scopes, created_at, expires_at, last_used_at
             FROM bff.api_keys WHERE account_id = $1 ORDER BY created_at DESC, key_id",
            account_id,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(ApiKeyInfo::from).collect())
    }

    /// Revokes a key of an account; `false` when it has no such key.
    pub(crate) async fn revoke(&self, account_id: Uuid, key_id: Uuid) -> Result<bool, sqlx::Error> {
        let done = sqlx::query!(
            "DELETE FROM bff.api_keys WHERE account_id = $1 AND key_id = $2",
            account_id,
            key_id,
        )
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }
}
