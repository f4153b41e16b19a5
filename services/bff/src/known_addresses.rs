//! Addresses from which an account was signed in to. Its owner gets in from there while others
//! guess passwords elsewhere.

use chrono::TimeDelta;
use service_kit::client_address::ClientAddress;
use service_kit::clock::SharedClock;
use sqlx::PgPool;
use uuid::Uuid;

use crate::secret;

/// An address is forgotten after this time without a sign-in.
const REMEMBERED: TimeDelta = TimeDelta::days(90);

/// Addresses of one account: the latest ones.
const PER_ACCOUNT: i64 = 20;

/// The addresses in the database.
pub(crate) struct KnownAddresses {
    pool: PgPool,
    clock: SharedClock,
}

impl KnownAddresses {
    pub(crate) fn new(pool: PgPool, clock: SharedClock) -> Self {
        Self { pool, clock }
    }

    /// Whether any account was signed in to from there.
    pub(crate) async fn knows(&self, address: ClientAddress) -> Result<bool, sqlx::Error> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM bff.known_addresses WHERE address_hash = $1 AND last_seen_at > $2) AS "known!""#,
            hash(address),
            self.clock.now() - REMEMBERED,
        )
        .fetch_one(&self.pool)
        .await
    }

    /// Whether this account was signed in to from there.
    pub(crate) async fn knows_of(
        &self,
        account_id: Uuid,
        address: ClientAddress,
    ) -> Result<bool, sqlx::Error> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM bff.known_addresses
               WHERE account_id = $1 AND address_hash = $2 AND last_seen_at > $3) AS "known!""#,
            account_id,
            hash(address),
            self.clock.now() - REMEMBERED,
        )
        .fetch_one(&self.pool)
        .await
    }

    /// The account was signed in to from there.
    pub(crate) async fn remember(
        &self,
        account_id: Uuid,
        address: ClientAddress,
    ) -> Result<(), sqlx::Error> {
        let now = self.clock.now();
        sqlx::query!(
            "INSERT INTO bff.known_addresses (account_id, address_hash, last_seen_at) VALUES ($1, $2, $3)
             ON CONFLICT (account_id, address_hash) DO UPDATE SET last_seen_at = excluded.last_seen_at",
            account_id,
            hash(address),
            now,
        )
        .execute(&self.pool)
        .await?;
        sqlx::query!(
            "DELETE FROM bff.known_addresses k
             WHERE k.account_id = $1 AND (k.last_seen_at <= $2 OR k.address_hash NOT IN (
                 SELECT l.address_hash FROM bff.known_addresses l
                 WHERE l.account_id = $1 ORDER BY l.last_seen_at DESC, l.address_hash LIMIT $3))",
            account_id,
            now - REMEMBERED,
            PER_ACCOUNT,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

fn hash(address: ClientAddress) -> Vec<u8> {
    secret::hash(&format!("address {}", address.network()))
}
