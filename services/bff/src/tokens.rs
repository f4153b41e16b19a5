//! Refresh tokens of API clients: each works once, and using one twice ends its whole family. A
//! family ends at the latest some months after its sign-in, and access tokens end with it.

use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret, SecretString};
use service_kit::clock::{SharedClock, SharedIds};
use sqlx::PgPool;
use uuid::Uuid;

use crate::config::SessionConfig;
use crate::secret;
use crate::sign_in::Origin;

/// The refresh tokens in the database.
pub(crate) struct RefreshTokens {
    pool: PgPool,
    clock: SharedClock,
    ids: SharedIds,
    lifetime: TimeDelta,
    family_lifetime: TimeDelta,
}

/// The family that tokens of one sign-in belong to, and when it ends.
#[derive(Debug, Clone)]
struct Family {
    id: Uuid,
    ends_at: DateTime<Utc>,
    signed_in_at: DateTime<Utc>,
}

/// A token, and the family that it belongs to.
pub(crate) struct Issued {
    /// The family: access tokens that come with the token name it.
    pub(crate) family: Uuid,
    /// The token.
    pub(crate) token: SecretString,
}

/// A token that was taken, and the one that follows it.
pub(crate) struct Renewed {
    /// The account that the token belonged to.
    pub(crate) account_id: Uuid,
    /// The next one.
    pub(crate) next: Issued,
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
            family_lifetime: TimeDelta::hours(config.refresh_family_hours.into()),
        }
    }

    /// The first token of a family, after signing in.
    pub(crate) async fn begin(
        &self,
        account_id: Uuid,
        origin: &Origin,
    ) -> Result<Issued, sqlx::Error> {
        let now = self.clock.now();
        sqlx::query!("DELETE FROM bff.refresh_tokens WHERE expires_at < $1", now)
            .execute(&self.pool)
            .await?;
        let mut connection = self.pool.acquire().await?;
        let family = Family {
            id: self.ids.new_id(),
            ends_at: now + self.family_lifetime,
            signed_in_at: now,
        };
        self.issue(&mut connection, account_id, family, origin, now)
            .await
    }

    /// Takes a token and gives the next; `None` when it is unknown, expired or used.
    pub(crate) async fn renew(&self, token: &str) -> Result<Option<Renewed>, sqlx::Error> {
        let (hash, now) = (secret::hash(token), self.clock.now());
        let mut transaction = self.pool.begin().await?;
        let row = sqlx::query!(
            r#"SELECT family, account_id, used_at IS NOT NULL AS "used!", family_ends_at, signed_in_at, created_at, address, client FROM bff.refresh_tokens
               WHERE token_hash = $1 AND expires_at > $2 FOR UPDATE"#,
            hash,
            now,
        )
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let account_id = row.account_id;
        if row.used {
            tracing::warn!(%account_id, "a refresh token was used twice; its family is ended");
            sqlx::query!(
                "DELETE FROM bff.refresh_tokens WHERE family = $1",
                row.family
            )
            .execute(&mut *transaction)
            .await?;
            transaction.commit().await?;
            return Ok(None);
        }
        sqlx::query!(
            "UPDATE bff.refresh_tokens SET used_at = $2 WHERE token_hash = $1",
            hash,
            now,
        )
        .execute(&mut *transaction)
        .await?;
        let family = Family {
            id: row.family,
            // One that was begun before families had an end gets it now.
            ends_at: row.family_ends_at.unwrap_or(now + self.family_lifetime),
            signed_in_at: row.signed_in_at.unwrap_or(row.created_at),
        };
        let origin = Origin {
            address: row.address,
            client: row.client,
            ..Origin::default()
        };
        let next = self
            .issue(&mut transaction, account_id, family, &origin, now)
            .await?;
        transaction.commit().await?;
        Ok(Some(Renewed { account_id, next }))
    }

    /// Ends every token of an account.
    pub(crate) async fn end_all(&self, account_id: Uuid) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "DELETE FROM bff.refresh_tokens WHERE account_id = $1",
            account_id
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn issue(
        &self,
        connection: &mut sqlx::PgConnection,
        account_id: Uuid,
        family: Family,
        origin: &Origin,
        now: DateTime<Utc>,
    ) -> Result<Issued, sqlx::Error> {
        let token = secret::generate();
        sqlx::query!(
            "INSERT INTO bff.refresh_tokens (token_hash, family, account_id, created_at, expires_at, family_ends_at, signed_in_at, address, client)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            secret::hash(token.expose_secret()),
            family.id,
            account_id,
            now,
            (now + self.lifetime).min(family.ends_at),
            family.ends_at,
            family.signed_in_at,
            origin.address,
            origin.client,
        )
        .execute(connection)
        .await?;
        Ok(Issued {
            family: family.id,
            token,
        })
    }
}
