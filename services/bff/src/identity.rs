//! Identity tokens for the inner tiers, and access tokens for API clients. Both are the same kind
//! of JWT; their audience keeps one from being used as the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;
use contracts::access::Role;
use secrecy::SecretString;
use service_kit::client::HttpClient;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::config::IdentityConfig;
use service_kit::identity::{
    Identity, IdentityToken, JwkSet, KeyError, KeySource, Standing, TokenError, TokenRequest,
    Verifier,
};
use sqlx::PgPool;
use uuid::Uuid;

use crate::Error;
use crate::accounts::Account;
use crate::config::SigningConfig;
use crate::signing::Keyring;

/// The audience of access tokens.
pub(crate) const OWN_AUDIENCE: &str = "bff";

/// The audience of identity tokens.
const INNER_AUDIENCE: [&str; 2] = ["orchestrator", "tools"];

/// The scopes that a run, or a schedule, needs to work without its user.
const RUN_SCOPES: [&str; 3] = ["chat", "tools:read", "schedules:write"];

/// What only the token of an erasure may do. No account can be given it.
pub(crate) const ERASE_SCOPE: &str = "person:erase";

/// What only the token of a link in a mail may do. No account can be given it.
pub(crate) const STOP_SCOPE: &str = "schedules:stop";

/// A token is passed on for as long as it has this much time left, for a run that takes a while.
const LEAST_REMAINING: TimeDelta = TimeDelta::seconds(150);

/// Tokens that are kept for the next request of their user; beyond it the memory starts again.
const KEPT_TOKENS: usize = 4096;

/// Signs tokens, and verifies those that come back.
pub(crate) struct TokenIssuer {
    keys: Keyring,
    /// Verifies this service's own access tokens.
    verifier: Verifier,
    /// The ids of the keys that the verifier has.
    verified: Mutex<Vec<Option<String>>>,
    clock: SharedClock,
    kept: Mutex<HashMap<String, IdentityToken>>,
}

impl TokenIssuer {
    /// A token issuer with the configured keys, otherwise with those in the database.
    pub(crate) async fn open(
        config: &SigningConfig,
        pool: &PgPool,
        client: HttpClient,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, Error> {
        let keys = Keyring::open(config, pool, clock.clone(), ids).await?;
        let mut identity = IdentityConfig::for_audience(OWN_AUDIENCE);
        identity.issuer.clone_from(&config.issuer);
        let set = keys.key_set();
        let verified = Mutex::new(ids_of(&set));
        let verifier = Verifier::new(&identity, KeySource::Keys(set), client, clock.clone())?;
        Ok(Self {
            keys,
            verifier,
            verified,
            clock,
            kept: Mutex::default(),
        })
    }

    /// The public keys, as they are in the database now.
    pub(crate) async fn key_set(&self) -> JwkSet {
        self.keys.refresh_now().await;
        self.keys.key_set()
    }

    /// The identity in one of this service's access tokens.
    pub(crate) async fn verify(&self, token: &str) -> Result<Arc<Identity>, TokenError> {
        self.keys.refresh().await;
        self.update_verifier();
        match self.verifier.verify(token).await {
            // Another replica may already sign with a key that was not yet read here.
            Err(TokenError::UnknownKey) => {
                self.keys.refresh_now().await;
                self.update_verifier();
                self.verifier.verify(token).await
            }
            result => result,
        }
    }

    /// Has the verifier take the keys that are published now.
    fn update_verifier(&self) {
        let set = self.keys.key_set();
        let ids = ids_of(&set);
        let mut verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        if *verified != ids {
            self.verifier.use_keys(&set);
            *verified = ids;
        }
    }

    /// An access token for an API client, which ends with its family of refresh tokens.
    pub(crate) async fn access_token(
        &self,
        account: &Account,
        family: Uuid,
    ) -> Result<IdentityToken, KeyError> {
        let session = family.to_string();
        self.sign(account, &[OWN_AUDIENCE], Some(&session)).await
    }

    /// An identity token for the inner tiers. One is used for several requests, as its signature
    /// then has to be made and verified only once.
    pub(crate) async fn identity_token(&self, account: &Account) -> Result<SecretString, KeyError> {
        let key = format!(
            "{}\n{}\n{}\n{}\n{}\n{}",
            account.account_id,
            account.username,
            account.tenant,
            account.scopes.join(" "),
            account.rank,
            account.groups.join("\t")
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
        let token = self.sign(account, &INNER_AUDIENCE, None).await?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_TOKENS {
            kept.clear();
        }
        kept.insert(key, token.clone());
        Ok(token.token)
    }

    /// An identity token for a run of this account that continues on its own: it may do what
    /// answering takes, and nothing else.
    pub(crate) async fn run_token(&self, account: &Account) -> Result<IdentityToken, KeyError> {
        let mut account = account.clone();
        account
            .scopes
            .retain(|scope| RUN_SCOPES.contains(&scope.as_str()));
        self.sign(&account, &INNER_AUDIENCE, None).await
    }

    /// A token with which the inner tiers erase a person's data after the account was deleted.
    pub(crate) async fn erase_token(
        &self,
        subject: Uuid,
        tenant: &str,
    ) -> Result<SecretString, KeyError> {
        self.token_for(subject, tenant, ERASE_SCOPE).await
    }

    /// A token with which the orchestrator stops a schedule of this person by the link in its mail.
    pub(crate) async fn stop_token(
        &self,
        subject: Uuid,
        tenant: &str,
    ) -> Result<SecretString, KeyError> {
        self.token_for(subject, tenant, STOP_SCOPE).await
    }

    /// A token with one scope, for a person who is not signed in.
    async fn token_for(
        &self,
        subject: Uuid,
        tenant: &str,
        scope: &str,
    ) -> Result<SecretString, KeyError> {
        let person = Account {
            account_id: subject,
            username: String::new(),
            tenant: tenant.to_owned(),
            scopes: vec![scope.to_owned()],
            role: None,
            rank: Role::Viewer,
            groups: Vec::new(),
        };
        let token = self.sign(&person, &INNER_AUDIENCE, None).await?;
        Ok(token.token)
    }

    async fn sign(
        &self,
        account: &Account,
        audience: &[&str],
        session: Option<&str>,
    ) -> Result<IdentityToken, KeyError> {
        self.keys.refresh().await;
        let scopes: Vec<&str> = account.scopes.iter().map(String::as_str).collect();
        let request = TokenRequest {
            subject: &account.account_id.to_string(),
            tenant: &account.tenant,
            scopes: &scopes,
            audience,
        };
        let standing = Standing {
            role: Some(account.rank.name().to_owned()),
            groups: account.groups.clone(),
        };
        self.keys
            .sign(request, &account.username, session, standing)
    }
}

fn ids_of(set: &JwkSet) -> Vec<Option<String>> {
    set.keys
        .iter()
        .map(|key| key.common.key_id.clone())
        .collect()
}
