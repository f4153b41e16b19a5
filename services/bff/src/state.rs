//! What the handlers share.

use std::sync::Arc;

use contracts::bff::DemonstrationAccount;
use service_kit::client::HttpClient;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::config::IdentityConfig;
use service_kit::identity::{KeySource, Verifier};
use sqlx::PgPool;

use crate::accounts::Accounts;
use crate::config::{Config, SecureCookie};
use crate::identity::{Mint, OWN_AUDIENCE};
use crate::limits::RateLimit;
use crate::proxy::Upstreams;
use crate::services::Services;
use crate::sessions::Sessions;
use crate::tokens::RefreshTokens;
use crate::{Error, database};

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct State(Arc<Inner>);

/// What is inside a [`State`].
pub(crate) struct Inner {
    pub(crate) pool: PgPool,
    pub(crate) accounts: Accounts,
    pub(crate) sessions: Sessions,
    pub(crate) refresh_tokens: RefreshTokens,
    pub(crate) mint: Mint,
    /// Verifies our own access tokens.
    pub(crate) verifier: Verifier,
    pub(crate) services: Services,
    pub(crate) upstreams: Upstreams,
    pub(crate) requests: RateLimit,
    pub(crate) logins: RateLimit,
    pub(crate) secure_cookie: SecureCookie,
    pub(crate) allowed_origins: Vec<String>,
    /// What the sign-in page of a demonstration tells.
    pub(crate) demonstration: Option<DemonstrationAccount>,
}

impl std::ops::Deref for State {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl State {
    pub(crate) async fn build(
        config: Config,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, Error> {
        let pool = database::pool(&config.database)?;
        let client = service_kit::http_client()?;
        let mint = Mint::open(&config.signing, &pool, clock.clone(), ids.clone()).await?;
        let verifier = own_verifier(&config, &mint, client.clone(), clock.clone())?;
        let limits = &config.limits;
        Ok(Self(Arc::new(Inner {
            accounts: Accounts::new(pool.clone(), clock.clone(), ids.clone()),
            sessions: Sessions::new(pool.clone(), clock.clone(), &config.session),
            refresh_tokens: RefreshTokens::new(pool.clone(), clock.clone(), ids, &config.session),
            mint,
            verifier,
            services: Services::new(&config.services),
            upstreams: Upstreams::new(client, config.upstream),
            requests: RateLimit::new(
                limits.requests_per_minute,
                limits.request_burst,
                clock.clone(),
            ),
            logins: RateLimit::new(limits.logins_per_minute, limits.login_burst, clock),
            secure_cookie: config.session.secure_cookie,
            allowed_origins: config.session.allowed_origins,
            demonstration: config.demonstration,
            pool,
        })))
    }
}

fn own_verifier(
    config: &Config,
    mint: &Mint,
    client: HttpClient,
    clock: SharedClock,
) -> Result<Verifier, Error> {
    let mut identity = IdentityConfig::for_audience(OWN_AUDIENCE);
    identity.issuer.clone_from(&config.signing.issuer);
    Ok(Verifier::new(
        &identity,
        KeySource::Keys(mint.key_set()),
        client,
        clock,
    )?)
}
