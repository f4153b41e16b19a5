//! New identity tokens for runs that outlive theirs, from the issuer.
//!
//! The issuer is asked as a service, with a secret of this one, for one user of one tenant: it
//! knows whether that user may still do anything. Where no issuer is configured a run has the token
//! it came with and no other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contracts::bff::{IdentityRequest, IdentityResponse};
use conversations::Owner;
use http::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use service_kit::client::HttpClient;
use service_kit::clock::SharedClock;

use crate::config::RenewalConfig;
use crate::credentials::Held;

/// Users whose newest token is remembered; beyond it the memory starts again.
const KEPT_USERS: usize = 4_096;

/// Renews identity tokens.
pub(crate) struct Identities {
    issuer: Option<Issuer>,
    /// A slot per user: the task that holds it asks, the others wait and find the answer.
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
    /// No issuer is configured.
    #[error("no issuer of identity tokens is configured")]
    NoIssuer,
    /// The issuer does not accept the secret of this service.
    #[error(
        "the bff does not accept identity_renewal.secret: it must be the bff's orchestrator_secret"
    )]
    Secret,
    /// The issuer cannot be reached or refused.
    #[error("no identity token was issued")]
    Refused(#[from] reqwest::Error),
}

impl NotRenewed {
    /// Whether the issuer says that there is no such user, or none who may do anything.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::NoIssuer | Self::Secret => false,
            Self::Refused(error) => error
                .status()
                .is_some_and(|status| matches!(status.as_u16(), 403 | 404 | 410)),
        }
    }

    /// Whether there may be a token in a while: the issuer could not be reached, or could not
    /// answer.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::NoIssuer | Self::Secret => false,
            Self::Refused(error) => error.status().is_none_or(|status| {
                status.is_server_error() || matches!(status.as_u16(), 408 | 429)
            }),
        }
    }
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

    /// A token of this user that is good beyond `until`, in seconds since the epoch. However many
    /// ask at once, one request is made.
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

    /// Whether there is an issuer.
    pub(crate) fn can_issue(&self) -> bool {
        self.issuer.is_some()
    }

    /// A token of this user that is issued now, so that it says what the user may do now.
    pub(crate) async fn fresh(&self, owner: &Owner) -> Result<Held, NotRenewed> {
        let issuer = self.issuer.as_ref().ok_or(NotRenewed::NoIssuer)?;
        let now = self.clock.now().timestamp();
        let response = issuer.ask(owner).await?;
        let held = Held {
            token: response.access_token.into(),
            expires_at: now + i64::try_from(response.expires_in).unwrap_or_default(),
        };
        *self.place(owner).lock().await = Some(held.clone());
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
    async fn ask(&self, owner: &Owner) -> Result<IdentityResponse, NotRenewed> {
        let request = IdentityRequest {
            subject: owner.subject.clone(),
            tenant: owner.tenant.clone(),
        };
        let response = self
            .client
            .post(&self.url)
            .bearer_auth(self.secret.expose_secret())
            .json(&request)
            .send()
            .await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            return Err(NotRenewed::Secret);
        }
        Ok(response.error_for_status()?.json().await?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use axum::routing::post;
    use axum::{Json, Router};
    use futures::future::join_all;
    use service_kit::clock::FixedClock;

    use super::*;

    /// A server that issues tokens and counts them.
    async fn issuer() -> (String, Arc<AtomicU32>) {
        let asked = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&asked);
        let issue = move |Json(request): Json<IdentityRequest>| async move {
            let number = count.fetch_add(1, Ordering::SeqCst);
            Json(IdentityResponse {
                access_token: format!("{} {number}", request.subject),
                token_type: "Bearer".to_owned(),
                expires_in: 300,
            })
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let router = Router::new().route("/", post(issue));
        tokio::spawn(async move { axum::serve(listener, router).await });
        (url, asked)
    }

    #[tokio::test]
    async fn however_many_ask_for_a_user_one_request_is_made_until_its_answer_runs_out() {
        let (url, asked) = issuer().await;
        let clock = FixedClock::at(chrono::DateTime::UNIX_EPOCH);
        let config = RenewalConfig {
            url: Some(url),
            secret: Some("s".into()),
            secret_file: None,
        };
        let client = service_kit::http_client().unwrap();
        let identities = Identities::new(&config, client, clock.clone());
        let (one, other) = (Owner::new("demo", "one"), Owner::new("demo", "other"));
        let many = join_all((0..20).map(|_| identities.renew(&one, 15))).await;
        for held in many {
            assert_eq!(held.unwrap().token.expose_secret(), "one 0");
        }
        let held = identities.renew(&other, 15).await.unwrap();
        assert_eq!(held.token.expose_secret(), "other 1");
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        clock.advance(chrono::TimeDelta::seconds(290));
        let held = identities.renew(&one, 305).await.unwrap();
        assert_eq!(
            (held.token.expose_secret(), held.expires_at),
            ("one 2", 590)
        );
    }

    #[tokio::test]
    async fn without_an_issuer_there_are_no_tokens() {
        let clock = FixedClock::at(chrono::DateTime::UNIX_EPOCH);
        let client = service_kit::http_client().unwrap();
        let identities = Identities::new(&RenewalConfig::default(), client, clock);
        let refused = identities.renew(&Owner::new("demo", "one"), 15).await;
        assert!(matches!(refused, Err(NotRenewed::NoIssuer)));
    }
}
