//! Sign-in at identity providers (`OpenID` Connect): the authorization code flow with PKCE,
//! accounts that are created at the first sign-in, access tokens of a provider as bearer tokens,
//! and logout from either side.
//!
//! [`provider`] knows a provider's endpoints and keys, [`jwt`] its tokens; [`rules`] make a tenant
//! and a role of a person's groups; [`sign_in`] leads a browser there and back.

pub(crate) mod config;
mod jwt;
mod provider;
mod rules;
mod sign_in;

pub(crate) use jwt::{JwtError, named_issuer};
pub(crate) use provider::{Provider, ProviderError};
pub(crate) use rules::{MOST_GROUPS, Person};
pub(crate) use sign_in::{Begun, CallbackParameters, SignInError, SignIns};

use service_kit::client::HttpClient;
use service_kit::clock::SharedClock;

use self::config::OidcConfig;

/// The configured providers.
pub(crate) struct Providers {
    all: Vec<Provider>,
    public_url: String,
}

impl Providers {
    pub(crate) fn new(config: &OidcConfig, client: &HttpClient, clock: &SharedClock) -> Self {
        let provider = |issuer: &config::IssuerConfig| {
            Provider::new(issuer.clone(), client.clone(), clock.clone())
        };
        Self {
            all: config.issuers.iter().map(provider).collect(),
            public_url: config.public_url().to_owned(),
        }
    }

    /// The providers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.all.iter()
    }

    /// The provider of this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Provider> {
        self.iter().find(|provider| provider.config().name == name)
    }

    /// The provider of tokens of this issuer.
    pub(crate) fn of_issuer(&self, issuer: &str) -> Option<&Provider> {
        self.iter()
            .find(|provider| provider.config().issuer == issuer)
    }

    /// The address that begins a sign-in, for a page that was reached as `host`: the cookie of a
    /// sign-in must be where the provider sends the browser.
    pub(crate) fn beginning(&self, provider: &Provider, host: &str) -> String {
        let path = format!("/auth/oidc/{}", provider.config().name);
        let url = self.public_url.split_once("://");
        let authority = url.and_then(|(_, rest)| rest.split('/').next());
        if authority.unwrap_or_default().eq_ignore_ascii_case(host) {
            path
        } else {
            format!("{}{path}", self.public_url)
        }
    }

    /// The address to which a provider sends browsers after a sign-in.
    pub(crate) fn callback(&self, provider: &Provider) -> String {
        format!(
            "{}/auth/oidc/{}/callback",
            self.public_url,
            provider.config().name
        )
    }

    /// The address of a provider's logout, which leads back to the page; `None` when it has none or
    /// does not answer.
    pub(crate) async fn end_session_url(&self, provider: &Provider) -> Option<String> {
        let metadata = provider.metadata().await.ok()?;
        let mut url = reqwest::Url::parse(metadata.end_session_endpoint.as_deref()?).ok()?;
        url.query_pairs_mut()
            .append_pair("client_id", &provider.config().client_id)
            .append_pair("post_logout_redirect_uri", &format!("{}/", self.public_url));
        Some(url.into())
    }
}
