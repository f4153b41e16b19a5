//! Users' own tokens for upstreams: kept encrypted, checked, refreshed in one flight per user, and
//! never shown to a service other than the upstream.
//!
//! [`Credentials`] is the one way to them. A token comes from a request (`put`) or from the
//! upstream's token endpoint (`refresh`), is read without its signature being checked (`token`: the
//! upstream checks it, this service only needs its subject and its expiry), is encrypted
//! (`cipher`) and stored per tenant, user and upstream (`store`). It is good while it has more than
//! the slack left; one that has less is refreshed first (`flight`), and when that fails used as
//! long as it has not run out.

pub(crate) mod cipher;
pub mod config;
mod flight;
mod person;
mod refresh;
mod store;
mod token;

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use contracts::tools::upstreams::{CredentialState, CredentialStatus, PutCredential, error_codes};
use secrecy::SecretString;
use serde_json::Value;
use service_kit::clock::SharedClock;
use service_kit::identity::Identity;
use sqlx::PgPool;

use crate::upstreams::{Directory, Failure, Upstream};
use cipher::Cipher;
use config::CredentialsConfig;
use flight::Refreshes;
use store::{Store, Stored};
use token::Tokens;

pub use cipher::KeyError;
pub(crate) use token::is_token;

/// The users' credentials. One value per process.
pub struct Credentials {
    directory: Arc<Directory>,
    shared: Arc<Shared>,
    flights: Refreshes,
}

/// The state that a refresh needs to continue without the user who asked for it.
struct Shared {
    store: Store,
    clock: SharedClock,
    slack: TimeDelta,
}

/// The owner of a credential.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Owner {
    pub(crate) tenant: String,
    pub(crate) subject: String,
}

/// A token to make calls with.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) token: SecretString,
    pub(crate) refresh_token: Option<SecretString>,
    expires_at: Option<DateTime<Utc>>,
    version: i64,
    /// It was refreshed for this call.
    pub(crate) refreshed: bool,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A failure that is reported to the user.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

impl Owner {
    pub(crate) fn of(identity: &Identity) -> Self {
        Self {
            tenant: identity.tenant.clone(),
            subject: identity.subject.clone(),
        }
    }
}

impl Credentials {
    /// The credentials for these upstreams, in this database. Fails without a key when there are
    /// upstreams.
    pub fn new(
        pool: PgPool,
        config: &CredentialsConfig,
        directory: Arc<Directory>,
        clock: SharedClock,
    ) -> Result<Self, KeyError> {
        let cipher = Cipher::new(config)?;
        if cipher.is_none() && !directory.is_empty() {
            return Err(KeyError::Missing);
        }
        Ok(Self {
            directory,
            shared: Arc::new(Shared {
                store: Store::new(pool, cipher),
                clock,
                slack: TimeDelta::seconds(config.slack_seconds.into()),
            }),
            flights: Refreshes::default(),
        })
    }

    /// The upstream of this name, where the caller's tenant may use it with a person's credential.
    pub(crate) fn upstream(&self, owner: &Owner, name: &str) -> Option<Arc<Upstream>> {
        let found = self.directory.get(name, &owner.tenant);
        found.filter(|upstream| upstream.is_personal())
    }

    /// The names of the upstreams that the caller's tenant may use with a person's credential.
    pub(crate) fn names(&self, owner: &Owner) -> Vec<String> {
        let upstreams = self.directory.of_tenant(&owner.tenant).into_iter();
        upstreams
            .filter(|upstream| upstream.is_personal())
            .map(|upstream| upstream.name().to_owned())
            .collect()
    }

    /// What upstreams that this service named a person to keep of the person, by upstream.
    pub(crate) async fn kept_elsewhere(
        &self,
        owner: &Owner,
    ) -> Result<Vec<(String, Value)>, Failure> {
        let mut all = Vec::new();
        for upstream in self.directory.of_tenant(&owner.tenant) {
            if person::is_asked(&upstream)
                && let Some(kept) = person::kept(&upstream, &owner.subject).await?
            {
                all.push((upstream.name().to_owned(), kept));
            }
        }
        Ok(all)
    }

    /// Has the upstreams that this service named a person to erase the person.
    pub(crate) async fn erase_elsewhere(&self, owner: &Owner) -> Result<(), Failure> {
        for upstream in self.directory.of_tenant(&owner.tenant) {
            if person::is_asked(&upstream) {
                person::erase(&upstream, &owner.subject).await?;
            }
        }
        Ok(())
    }

    /// The names of all upstreams that a tenant may use.
    pub(crate) fn all_names(&self, tenant: &str) -> Vec<String> {
        let upstreams = self.directory.of_tenant(tenant).into_iter();
        upstreams
            .map(|upstream| upstream.name().to_owned())
            .collect()
    }

    /// The upstreams that the caller has connected, or the operator for all users: those whose
    /// tools he is offered.
    pub(crate) async fn connected(&self, owner: &Owner) -> Result<BTreeSet<String>, sqlx::Error> {
        let mut connected = BTreeSet::new();
        for upstream in self.directory.of_tenant(&owner.tenant) {
            if !upstream.is_personal()
                || refresh::is_for_everyone(&upstream)
                || self
                    .shared
                    .store
                    .get(owner, upstream.name())
                    .await?
                    .is_some()
            {
                connected.insert(upstream.name().to_owned());
            }
        }
        Ok(connected)
    }

    /// How each of the caller's credentials is. Refreshes nothing.
    pub(crate) async fn list(&self, owner: &Owner) -> Result<Vec<CredentialStatus>, sqlx::Error> {
        let mut statuses = Vec::new();
        let upstreams = self.directory.of_tenant(&owner.tenant).into_iter();
        for upstream in upstreams.filter(|upstream| upstream.is_personal()) {
            let stored = self.shared.store.get(owner, upstream.name()).await?;
            let tokens = stored.and_then(|stored| stored.tokens);
            statuses.push(self.shared.status_of(&upstream, tokens.as_ref()));
        }
        // Credentials for a removed upstream can still be listed and deleted by the user.
        for name in self.shared.store.upstreams(owner).await? {
            if self.upstream(owner, &name).is_none() {
                statuses.push(unused(name));
            }
        }
        Ok(statuses)
    }

    /// Keeps the caller's token, unless it is not his or not for this upstream.
    pub(crate) async fn put(
        &self,
        owner: &Owner,
        upstream: &Upstream,
        brought: &PutCredential,
    ) -> Result<CredentialStatus, sqlx::Error> {
        let shared = &self.shared;
        let tokens = match token::accept(upstream, &owner.subject, brought) {
            Ok(tokens) => tokens,
            Err(refused) => {
                tracing::warn!(
                    upstream = upstream.name(),
                    code = refused.code(),
                    "a credential was refused"
                );
                return Ok(status(upstream, CredentialState::Refused, None).because(&refused));
            }
        };
        let stored = shared.store.get(owner, upstream.name()).await?;
        let stored = stored.and_then(|stored| stored.tokens);
        if let Some(stored) = stored {
            if stored == tokens {
                return Ok(shared.status_of(upstream, Some(&stored)));
            }
            if shared.is_better(upstream, &stored, &tokens) {
                return Ok(CredentialStatus {
                    message: Some(format!(
                        "The stored credential for `{}` is valid and the sent one has expired or is about to, so the stored one stays.",
                        upstream.name()
                    )),
                    ..shared.status_of(upstream, Some(&stored))
                });
            }
        }
        shared.store.put(owner, upstream.name(), &tokens).await?;
        Ok(shared.status_of(upstream, Some(&tokens)))
    }

    /// Sees to it that the credential is good for a while.
    pub(crate) async fn ensure(
        &self,
        owner: &Owner,
        upstream: &Arc<Upstream>,
    ) -> Result<CredentialStatus, sqlx::Error> {
        match self.usable(owner, upstream).await {
            Ok(held) => Ok(CredentialStatus {
                refreshed: held.refreshed,
                ..status(upstream, CredentialState::Valid, held.expires_at)
            }),
            Err(Error::Failed(failure)) => {
                let state = match failure.code() {
                    error_codes::EXPIRED_TOKEN => CredentialState::Expired,
                    _ => CredentialState::Missing,
                };
                Ok(status(upstream, state, None).because(&failure))
            }
            Err(Error::Database(error)) => Err(error),
        }
    }

    /// Forgets the caller's credential, also one for an upstream that is not there any more. False
    /// when there was none.
    pub(crate) async fn forget(&self, owner: &Owner, upstream: &str) -> Result<bool, sqlx::Error> {
        self.shared.store.delete(owner, upstream).await
    }

    /// Forgets every credential of a tenant's users for an upstream.
    pub(crate) async fn forget_all(&self, tenant: &str, upstream: &str) -> Result<(), sqlx::Error> {
        self.shared.store.delete_all(tenant, upstream).await
    }

    /// A token to call with: the one that is there, if it is good for a while, otherwise another,
    /// otherwise the one that is there as long as it lasts.
    pub(crate) async fn usable(
        &self,
        owner: &Owner,
        upstream: &Arc<Upstream>,
    ) -> Result<Held, Error> {
        let shared = &self.shared;
        let stored = shared.store.get(owner, upstream.name()).await?;
        let version = stored.as_ref().map(|stored| stored.version);
        let held = stored.and_then(Stored::held);
        if let Some(held) = &held
            && shared.is_good(upstream, held)
        {
            return Ok(held.clone());
        }
        let lasting = held
            .as_ref()
            .filter(|held| !shared.is_over(held.expires_at));
        let refreshed = if refresh::is_possible(upstream, held.as_ref()) {
            self.flights.refresh(shared, owner, upstream, version).await
        } else {
            Err(Failure::new(error_codes::REFRESH_FAILED, "There is no way to another.").into())
        };
        match (refreshed, lasting, &held) {
            (Ok(held), _, _) => Ok(held),
            (Err(_), Some(lasting), _) => {
                tracing::info!(
                    upstream = upstream.name(),
                    "a credential near its end is used, as there is no other"
                );
                Ok(lasting.clone())
            }
            (Err(error @ Error::Database(_)), None, _) => Err(error),
            (Err(Error::Failed(_)), None, Some(_)) => Err(expired(upstream).into()),
            (Err(Error::Failed(failure)), None, None) => {
                if refresh::is_possible(upstream, None) {
                    Err(failure.into())
                } else {
                    Err(missing(upstream).into())
                }
            }
        }
    }

    /// Another token than this one, which the upstream refused.
    pub(crate) async fn renew(
        &self,
        owner: &Owner,
        upstream: &Arc<Upstream>,
        refused: &Held,
    ) -> Result<Held, Error> {
        let unauthorized =
            || Failure::status(upstream.name(), http::StatusCode::UNAUTHORIZED, None);
        if !refresh::is_possible(upstream, Some(refused)) {
            return Err(unauthorized().into());
        }
        let renewed = self
            .flights
            .refresh(&self.shared, owner, upstream, Some(refused.version));
        renewed.await.map_err(|error| match error {
            Error::Failed(_) => unauthorized().into(),
            Error::Database(_) => error,
        })
    }
}

impl Shared {
    /// Good for longer than the slack.
    fn is_good(&self, upstream: &Upstream, held: &Held) -> bool {
        match held.expires_at {
            Some(end) => self.clock.now() + self.slack < end,
            None => token::lasts_unless_refused(upstream, &held.token),
        }
    }

    /// Run out for certain.
    fn is_over(&self, end: Option<DateTime<Utc>>) -> bool {
        end.is_some_and(|end| self.clock.now() >= end)
    }

    /// Whether the stored token is good and the new one is not: a client that sends the same old
    /// token with each message must not undo a refresh.
    fn is_better(&self, upstream: &Upstream, kept: &Tokens, brought: &Tokens) -> bool {
        let good = |tokens: &Tokens| self.is_good(upstream, &tokens.held(0));
        brought.refresh_token.is_none() && good(kept) && !good(brought)
    }

    fn status_of(&self, upstream: &Upstream, tokens: Option<&Tokens>) -> CredentialStatus {
        let Some(tokens) = tokens else {
            return status(upstream, CredentialState::Missing, None).because(&missing(upstream));
        };
        let end = tokens.expires_at;
        let unknown = end.is_none() && !token::lasts_unless_refused(upstream, &tokens.access_token);
        if unknown || self.is_over(end) {
            return status(upstream, CredentialState::Expired, end).because(&expired(upstream));
        }
        status(upstream, CredentialState::Valid, end)
    }
}

fn missing(upstream: &Upstream) -> Failure {
    let message = format!("You have no credential for `{}`.", upstream.name());
    Failure::new(error_codes::MISSING_TOKEN, message)
}

fn expired(upstream: &Upstream) -> Failure {
    let message = format!(
        "Your credential for `{}` has run out, and no other could be had.",
        upstream.name()
    );
    Failure::new(error_codes::EXPIRED_TOKEN, message)
}

fn status(
    upstream: &Upstream,
    state: CredentialState,
    expires_at: Option<DateTime<Utc>>,
) -> CredentialStatus {
    CredentialStatus {
        upstream: upstream.name().to_owned(),
        state,
        expires_at,
        refreshed: false,
        error_code: None,
        message: None,
    }
}

/// Something that is kept for an upstream that is not there any more.
fn unused(upstream: String) -> CredentialStatus {
    CredentialStatus {
        message: Some(format!(
            "`{upstream}` is not connected any more. Nothing uses this credential; you can delete it."
        )),
        upstream,
        state: CredentialState::Unused,
        expires_at: None,
        refreshed: false,
        error_code: Some(error_codes::UNKNOWN_UPSTREAM.to_owned()),
    }
}

/// A status with its reason.
trait Because {
    fn because(self, failure: &Failure) -> Self;
}

impl Because for CredentialStatus {
    fn because(self, failure: &Failure) -> Self {
        Self {
            error_code: Some(failure.code().to_owned()),
            message: Some(failure.message().to_owned()),
            ..self
        }
    }
}
