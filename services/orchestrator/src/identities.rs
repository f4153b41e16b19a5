//! New identity tokens for runs that outlive theirs, from whoever issues them.
//!
//! The issuer is asked as a service, with a secret of our own, for one user of one tenant: it knows whether that user may still do
//! anything. Where no issuer is configured a run has the token it came with and no other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contracts::bff::{IdentityRequest, IdentityResponse};
use conversations::Owner;
use secrecy::{ExposeSecret, SecretString};
use service_kit::client::HttpClient;
use service_kit::clock::SharedClock;

use crate::config::RenewalConfig;
use crate::credentials::Held;

/// Users whose newest token is remembered; beyond it the memory starts anew.
const KEPT_USERS: usize = 4_096;

/// Where tokens are renewed.
pub(crate) struct Identities {
    issuer: Option<Issuer>,
    /// A place per user: whoever holds it asks, the others wait and find the answer.
    users: Mutex<HashMap<Owner, Arc<tokio::sync::Mutex<Option<Held>>>>>,
    clock: SharedClock,
}

struct Issuer {
    url: String,
    secret: SecretString,
    client: HttpClient,
}

/// Why there is no new token.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRenewed {
    /// Nobody is configured who issues them.
    #[error("no issuer of identity tokens is configured")]
    NoIssuer,
    /// The issuer can not be reached or refused.
    #[error("no identity token was issued")]
    Refused(#[from] reqwest::Error),
}

impl Identities {
    pub(crate) fn new(config: &RenewalConfig, client: HttpClient, clock: SharedClock) -> Self {
        let issuer = config.url.clone().zip(config.secret.clone());
        Self {
            issuer: issuer.map(|(url, secret)| Issuer {
                url,
                secret,
                client,
            }),
            users: Mutex::default(),
            clock,
        }
    }

    /// A token of this user that is good beyond `until`, in seconds since the epoch. However many ask at once, one request is made.
    pub(crate) async fn renew(&self, owner: &Owner, until: i64) -> Result<Held, NotRenewed> {
        let issuer = self.issuer.as_ref().ok_or(NotRenewed::NoIssuer)?;
        let place = self.place(owner);
        let mut newest = place.lock().await;
        if let Some(held) = newest.as_ref().filter(|held| held.expires_at > until) {
            return Ok(held.clone());
        }
        let now = self.clock.now().timestamp();
        let response = issuer.ask(owner).await?;
        let held = Held {
            token: response.access_token.into(),
            expires_at: now + i64::try_from(response.expires_in).unwrap_or_default(),
        };
        *newest = Some(held.clone());
        Ok(held)
    }

    fn place(&self, owner: &Owner) -> Arc<tokio::sync::Mutex<Option<Held>>> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if users.len() >= KEPT_USERS && !users.contains_key(owner) {
            users.clear();
        }
        Arc::clone(users.entry(owner.clone()).or_default())
    }
}

impl Issuer {
    async fn ask(&self, owner: &Owner) -> Result<IdentityResponse, reqwest::Error> {
        let request = IdentityRequest {
            subject: owner.subject.clone(),
            tenant: owner.tenant.clone(),
        };
        self.client
            .post(&self.url)
            .bearer_auth(self.secret.expose_secret())
            .json(&request)
            .send()
            .await?
            .error_for_status()?
            .json()
            .await
    }
}
