//! The state that handlers share.

use std::sync::Arc;

use contracts::bff::DemonstrationAccount;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::telemetry::metrics::observe_pool;
use sqlx::PgPool;

use crate::accounts::Accounts;
use crate::config::{Config, SecureCookie};
use crate::identity::TokenIssuer;
use crate::limits::RateLimit;
use crate::proxy::Upstreams;
use crate::services::Services;
use crate::sessions::Sessions;
use crate::sign_in::SignIn;
use crate::tokens::RefreshTokens;
use crate::{Error, database};

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct State(Arc<Inner>);

/// The contents of a [`State`].
pub(crate) struct Inner {
    pub(crate) pool: PgPool,
    pub(crate) accounts: Accounts,
    pub(crate) sessions: Sessions,
    pub(crate) refresh_tokens: RefreshTokens,
    pub(crate) token_issuer: TokenIssuer,
    pub(crate) services: Services,
    pub(crate) upstreams: Upstreams,
    pub(crate) requests: RateLimit,
    pub(crate) sign_in: SignIn,
    pub(crate) secure_cookie: SecureCookie,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) clock: SharedClock,
    pub(crate) ids: SharedIds,
    /// The account that the sign-in page of a demonstration shows.
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
        observe_pool("bff", &pool);
        let client = service_kit::http_client()?;
        let token_issuer = TokenIssuer::open(
            &config.signing,
            &pool,
            client.clone(),
            clock.clone(),
            ids.clone(),
        )
        .await?;
        let limits = &config.limits;
        Ok(Self(Arc::new(Inner {
            accounts: Accounts::new(pool.clone(), clock.clone(), ids.clone()),
            sessions: Sessions::new(pool.clone(), clock.clone(), &config.session),
            refresh_tokens: RefreshTokens::new(
                pool.clone(),
                clock.clone(),
                ids.clone(),
                &config.session,
            ),
            token_issuer,
            services: Services::new(&config.services),
            upstreams: Upstreams::new(client, config.upstream),
            requests: RateLimit::new(
                limits.requests_per_minute,
                limits.request_burst,
                clock.clone(),
            ),
            sign_in: SignIn::new(limits, pool.clone(), clock.clone()),
            secure_cookie: config.session.secure_cookie,
            allowed_origins: config.session.allowed_origins,
            clock,
            ids,
            demonstration: config.demonstration,
            pool,
        })))
    }
}
