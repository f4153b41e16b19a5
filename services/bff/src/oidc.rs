//! Sign-in at identity providers (`OpenID` Connect): the authorization code flow with PKCE,
//! accounts that are created at the first sign-in, access tokens of a provider as bearer tokens,
//! and logout from either side.
//!
//! [`provider`] knows a provider's endpoints and keys, [`jwt`] its tokens; [`rules`] make a tenant
//! and a role of a person's groups; [`sign_in`] leads a browser there and back. Providers are in
//! the configuration or, added while the service runs, in the database ([`store`]); [`settings`]
//! checks what an administrator sends, [`examine`] tests it, [`reach`] decides where it may be.

pub(crate) mod config;
mod examine;
mod jwt;
mod provider;
mod reach;
mod rules;
mod settings;
mod sign_in;
mod store;

use std::sync::{Arc, PoisonError, RwLock};

use service_kit::clock::SharedClock;
use sqlx::PgPool;

pub(crate) use examine::Examined;
pub(crate) use jwt::{JwtError, named_issuer};
pub(crate) use provider::{Provider, ProviderError};
pub(crate) use rules::{MOST_GROUPS, Person};
pub(crate) use sign_in::{Begun, CallbackParameters, SignInError, SignIns};
pub(crate) use store::{Issuers, Settings, StoreError, Stored};

use self::config::IssuerConfig;
use self::reach::Reach;
use self::store::Mark;
use crate::config::Config;

/// The providers of the configuration and those that were added.
pub(crate) struct Providers {
    fixed: Vec<Arc<Provider>>,
    issuers: Issuers,
    /// The way to those that are added.
    reach: Reach,
    clock: SharedClock,
    public_url: Option<String>,
    known: RwLock<Known>,
    /// Held while reading, so that one read serves all that wait for it.
    reading: tokio::sync::Mutex<()>,
}

/// The providers as the database had them.
#[derive(Clone)]
struct Known {
    mark: Mark,
    /// The added providers, with the version of their rows.
    added: Vec<(i64, Arc<Provider>)>,
    current: Arc<Current>,
}

/// The providers in use.
pub(crate) struct Current(Vec<Arc<Provider>>);

impl Current {
    /// The providers, those of the configuration first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Provider>> {
        self.0.iter()
    }

    /// The provider of this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Provider>> {
        self.iter().find(|provider| provider.config().name == name)
    }

    /// The provider of tokens of this issuer.
    pub(crate) fn of_issuer(&self, issuer: &str) -> Option<&Arc<Provider>> {
        self.iter()
            .find(|provider| provider.config().issuer == issuer)
    }
}

impl Providers {
    pub(crate) fn new(
        config: &Config,
        pool: PgPool,
        clock: &SharedClock,
    ) -> Result<Self, reqwest::Error> {
        let (oidc, to_any) = (&config.oidc, Reach::to_any()?);
        // Issuers in the configuration need this address.
        let public_url = oidc.public_url().unwrap_or_default();
        let fixed = oidc.issuers.iter().map(|issuer| {
            let provider = Provider::new(issuer.clone(), public_url, to_any.clone(), clock);
            Arc::new(provider)
        });
        let fixed: Vec<Arc<Provider>> = fixed.collect();
        let key = oidc.encryption_key.as_ref();
        let key = key.or(config.signing.encryption_key.as_ref());
        let known = Known {
            mark: (0, 0),
            added: Vec::new(),
            current: Arc::new(Current(fixed.clone())),
        };
        Ok(Self {
            fixed,
            issuers: Issuers::new(pool, clock.clone(), key),
            reach: Reach::within(oidc)?,
            clock: clock.clone(),
            public_url: oidc.public_url().map(str::to_owned),
            known: RwLock::new(known),
            reading: tokio::sync::Mutex::default(),
        })
    }

    /// The providers in use now, as any replica changed them. While the database is away, those of
    /// before stay in use.
    pub(crate) async fn current(&self) -> Arc<Current> {
        match self.latest().await {
            Ok(current) => current,
            Err(error) => {
                tracing::warn!(%error, "changes of the identity providers were not looked for");
                self.known().current
            }
        }
    }

    /// The providers in use now.
    pub(crate) async fn latest(&self) -> Result<Arc<Current>, sqlx::Error> {
        let known = self.known();
        if self.issuers.mark().await? == known.mark {
            return Ok(known.current);
        }
        let _reading = self.reading.lock().await;
        // The state before the rows: a change between the two is found next time.
        let (mark, before) = (self.issuers.mark().await?, self.known());
        if mark == before.mark {
            return Ok(before.current);
        }
        let mut added = Vec::new();
        for stored in self.issuers.all().await? {
            let same = before.added.iter().find(|(version, provider)| {
                *version == stored.version && provider.config().name == stored.name
            });
            let provider = match same {
                Some((_, same)) => Ok(Arc::clone(same)),
                None => self.provider(&stored).map(Arc::new),
            };
            match provider {
                Ok(provider) => added.push((stored.version, provider)),
                Err(why) => {
                    tracing::warn!(issuer = stored.name, "an issuer cannot be used: {why}");
                }
            }
        }
        let free = added.iter().map(|(_, provider)| provider);
        let free = free.filter(|provider| !self.is_replaced(provider.config()));
        let current = Current(self.fixed.iter().chain(free).cloned().collect());
        let known = Known {
            mark,
            current: Arc::new(current),
            added,
        };
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known.clone();
        Ok(known.current)
    }

    /// The providers in the database.
    pub(crate) fn issuers(&self) -> &Issuers {
        &self.issuers
    }

    /// The providers of the configuration.
    pub(crate) fn fixed(&self) -> impl Iterator<Item = &Arc<Provider>> {
        self.fixed.iter()
    }

    /// Whether a provider of the configuration is used in place of an added one like this.
    pub(crate) fn is_replaced(&self, config: &IssuerConfig) -> bool {
        self.fixed().any(|fixed| {
            let fixed = fixed.config();
            fixed.name == config.name || fixed.issuer == config.issuer
        })
    }

    /// The address of the page in the configuration.
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }

    /// The provider of a row; fails with why it cannot be used.
    pub(crate) fn provider(&self, stored: &Stored) -> Result<Provider, String> {
        let config = self.issuers.opened(stored)?;
        Ok(self.added(config, stored.settings.public_url.as_deref()))
    }

    /// A provider of these settings, which are those of one that is added.
    pub(crate) fn added(&self, config: IssuerConfig, public_url: Option<&str>) -> Provider {
        let public_url = public_url.or(self.public_url()).unwrap_or_default();
        Provider::new(config, public_url, self.reach.clone(), &self.clock)
    }

    fn known(&self) -> Known {
        self.known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
