//! The state that handlers share.

use std::sync::Arc;

use contracts::bff::DemonstrationAccount;
use service_kit::client::HttpClient;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::telemetry::metrics::observe_pool;
use sqlx::PgPool;

use crate::accounts::Accounts;
use crate::api_keys::ApiKeys;
use crate::audit::AuditLog;
use crate::config::{AuditConfig, Config, SecureCookie};
use crate::identities::Identities;
use crate::identity::TokenIssuer;
use crate::limits::RateLimit;
use crate::oidc::{Providers, SignIns};
use crate::proxy::Upstreams;
use crate::quotas::Quotas;
use crate::services::Services;
use crate::sessions::Sessions;
use crate::sign_in::SignIn;
use crate::tokens::RefreshTokens;
use crate::transcripts::Transcripts;
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
    pub(crate) transcripts: Transcripts,
    pub(crate) services: Services,
    pub(crate) upstreams: Upstreams,
    pub(crate) api_keys: ApiKeys,
    pub(crate) audit: AuditLog,
    pub(crate) providers: Providers,
    pub(crate) sign_ins: SignIns,
    pub(crate) identities: Identities,
    pub(crate) audit_config: AuditConfig,
    pub(crate) quotas: Quotas,
    pub(crate) sign_in: SignIn,
    /// Requests at the links of mails, by address.
    pub(crate) stop_links: RateLimit,
    pub(crate) secure_cookie: SecureCookie,
    pub(crate) allowed_origins: Vec<String>,
    /// The issuer that own tokens name.
    pub(crate) own_issuer: String,
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
        client: HttpClient,
    ) -> Result<Self, Error> {
        let pool = database::pool(&config.database)?;
        observe_pool("bff", &pool);
        let token_issuer = TokenIssuer::open(
            &config.signing,
            &pool,
            client.clone(),
            clock.clone(),
            ids.clone(),
        )
        .await?;
        let providers = Providers::new(&config, pool.clone(), &clock)?;
        let limits = &config.limits;
        let of_links = limits.stop_links_per_minute_per_address;
        let accounts = Accounts::new(pool.clone(), clock.clone(), ids.clone());
        Ok(Self(Arc::new(Inner {
            sessions: Sessions::new(accounts.kept().clone(), clock.clone(), &config.session),
            accounts,
            refresh_tokens: RefreshTokens::new(
                pool.clone(),
                clock.clone(),
                ids.clone(),
                &config.session,
            ),
            token_issuer,
            transcripts: Transcripts::new(pool.clone(), clock.clone()),
            services: Services::new(&config.services),
            upstreams: Upstreams::new(client, config.upstream),
            api_keys: ApiKeys::new(pool.clone(), clock.clone(), ids.clone()),
            audit: AuditLog::new(pool.clone(), clock.clone()),
            providers,
            sign_ins: SignIns::new(pool.clone(), clock.clone()),
            identities: Identities::new(pool.clone(), clock.clone(), ids.clone()),
            audit_config: config.audit,
            quotas: Quotas::new(limits, clock.clone()),
            sign_in: SignIn::new(limits, pool.clone(), clock.clone()),
            stop_links: RateLimit::new(of_links, of_links, clock.clone()),
            secure_cookie: config.session.secure_cookie,
            allowed_origins: config.session.allowed_origins,
            own_issuer: config.signing.issuer,
            clock,
            ids,
            demonstration: config.demonstration,
            pool,
        })))
    }
}
