//! Identity tokens for the inner tiers, and access tokens for API clients. Both are the same kind of JWT; their audience
//! keeps one from being used as the other.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use secrecy::SecretString;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::identity::{IdentityToken, KeyError, Signer, TokenRequest};
use sqlx::PgPool;

use crate::Error;
use crate::accounts::Account;
use crate::config::SigningConfig;

/// The audience of access tokens.
pub(crate) const OWN_AUDIENCE: &str = "bff";

/// The audience of identity tokens.
const INNER_AUDIENCE: [&str; 2] = ["orchestrator", "tools"];

/// What a run needs that goes on without its user.
const RUN_SCOPES: [&str; 2] = ["chat", "tools:read"];

/// A token is passed on for as long as it has this much time left, for a run that takes a while.
const LEAST_REMAINING: TimeDelta = TimeDelta::seconds(150);

/// Tokens that are kept for the next request of their user; beyond it the memory starts anew.
const KEPT_TOKENS: usize = 4096;

/// Any number will do, as long as every replica takes the same.
const KEY_LOCK: i64 = 0x6865_6c69_6f62_6666;

/// Signs tokens.
pub(crate) struct Mint {
    signer: Signer,
    clock: SharedClock,
    kept: Mutex<HashMap<String, IdentityToken>>,
}

impl Mint {
    /// A mint with the configured key, else with the one in the database, which is made if need be.
    pub(crate) async fn open(
        config: &SigningConfig,
        pool: &PgPool,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, Error> {
        let pem = match &config.key_file {
            Some(path) => {
                let text = tokio::fs::read_to_string(path).await;
                text.map_err(|source| Error::KeyFile {
                    path: path.clone(),
                    source,
                })?
                .into()
            }
            None => stored_key(config, pool, &clock, &ids).await?,
        };
        let signer = Signer::from_pem(&pem, &config.issuer, clock.clone(), ids)?;
        Ok(Self {
            signer,
            clock,
            kept: Mutex::default(),
        })
    }

    /// The public keys.
    pub(crate) fn key_set(&self) -> service_kit::identity::JwkSet {
        self.signer.key_set()
    }

    /// An access token for an API client.
    pub(crate) fn access_token(&self, account: &Account) -> Result<IdentityToken, KeyError> {
        self.sign(account, &[OWN_AUDIENCE])
    }

    /// An identity token for the inner tiers. One is used for several requests, as its signature then has to be made and verified
    /// only once.
    pub(crate) fn identity_token(&self, account: &Account) -> Result<SecretString, KeyError> {
        let key = format!(
            "{}\n{}\n{}",
            account.account_id,
            account.tenant,
            account.scopes.join(" ")
        );
        let now = self.clock.now();
        {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(token) = kept.get(&key)
                && token.expires_at - now > LEAST_REMAINING
            {
                return Ok(token.token.clone());
            }
        }
        let token = self.sign(account, &INNER_AUDIENCE)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_TOKENS {
            kept.clear();
        }
        kept.insert(key, token.clone());
        Ok(token.token)
    }

    /// An identity token for a run of this account that goes on by itself: it may do what answering takes, and nothing else.
    pub(crate) fn run_token(&self, account: &Account) -> Result<IdentityToken, KeyError> {
        let mut account = account.clone();
        account
            .scopes
            .retain(|scope| RUN_SCOPES.contains(&scope.as_str()));
        self.sign(&account, &INNER_AUDIENCE)
    }

    fn sign(&self, account: &Account, audience: &[&str]) -> Result<IdentityToken, KeyError> {
        let scopes: Vec<&str> = account.scopes.iter().map(String::as_str).collect();
        self.signer.sign(TokenRequest {
            subject: &account.account_id.to_string(),
            tenant: &account.tenant,
            scopes: &scopes,
            audience,
        })
    }
}

/// The key that all replicas share: the oldest in the database.
async fn stored_key(
    config: &SigningConfig,
    pool: &PgPool,
    clock: &SharedClock,
    ids: &SharedIds,
) -> Result<SecretString, Error> {
    let mut transaction = pool.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(KEY_LOCK)
        .execute(&mut *transaction)
        .await?;
    let stored: Option<(String,)> = sqlx::query_as(
        "SELECT private_pem FROM bff.signing_keys ORDER BY created_at, key_id LIMIT 1",
    )
    .fetch_optional(&mut *transaction)
    .await?;
    if let Some((pem,)) = stored {
        return Ok(pem.into());
    }
    let signer = Signer::generate(&config.issuer, clock.clone(), ids.clone())?;
    let pem = signer.to_pem()?;
    insert_key(&mut transaction, signer.key_id(), &pem, clock.now()).await?;
    transaction.commit().await?;
    Ok(pem)
}

async fn insert_key(
    connection: &mut sqlx::PgConnection,
    key_id: &str,
    pem: &SecretString,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    use secrecy::ExposeSecret;
    sqlx::query(
        "INSERT INTO bff.signing_keys (key_id, private_pem, created_at) VALUES ($1, $2, $3)",
    )
    .bind(key_id)
    .bind(pem.expose_secret())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}
