//! An identity provider: its endpoints and keys, which are read when they are needed and again when
//! a token names a key that is not known.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use contracts::issuers::IssuerAddresses;
use reqwest::StatusCode;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Map, Value};
use service_kit::clock::SharedClock;

use super::config::{IssuerConfig, is_protected};
use super::jwt::{self, JwtError, Keys, Verified};
use super::reach::{Reach, Unreachable};

/// Time that a provider may take for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The same before a browser is sent there: a person waits.
const LOOK_TIMEOUT: Duration = Duration::from_secs(4);

/// A provider that answered within this time is not looked for before a browser is sent there.
const SEEN: TimeDelta = TimeDelta::seconds(10);

/// Maximum size of an answer, in bytes.
const LARGEST_ANSWER: usize = 512 * 1024;

/// Endpoints and keys are read again after this time …
const MAX_AGE: TimeDelta = TimeDelta::minutes(30);

/// … and for an unknown key no more often than this.
const LEAST_AGE: TimeDelta = TimeDelta::seconds(5);

/// The reason for which a request to a provider failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProviderError {
    /// It does not answer.
    #[error("the identity provider `{name}` does not answer")]
    Away {
        name: String,
        source: reqwest::Error,
    },
    /// A proxy in front of it answers that it is away.
    #[error("the identity provider `{name}` answers with status {status}")]
    Down { name: String, status: StatusCode },
    /// The answer differs from the standard.
    #[error("the identity provider `{name}` answered with {what}")]
    Answer { name: String, what: String },
    /// It names a host that may not be connected to.
    #[error("the identity provider `{name}` is not asked")]
    Refused { name: String, source: Unreachable },
    /// A token of it is not accepted.
    #[error("a token of the identity provider is not accepted")]
    Token(#[from] JwtError),
}

/// The endpoints of a provider (`OpenID` Connect Discovery).
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Metadata {
    pub(super) issuer: String,
    pub(crate) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) jwks_uri: String,
    #[serde(default)]
    userinfo_endpoint: Option<String>,
    #[serde(default)]
    pub(crate) end_session_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// The endpoints and keys as they were read.
#[derive(Clone)]
struct Loaded {
    metadata: Arc<Metadata>,
    keys: Arc<Keys>,
    read_at: DateTime<Utc>,
}

/// A provider.
pub(crate) struct Provider {
    config: IssuerConfig,
    /// The address of the page.
    public_url: String,
    pub(super) reach: Reach,
    clock: SharedClock,
    /// Held while reading, so that one read serves all that wait for it.
    loaded: tokio::sync::Mutex<Option<Loaded>>,
    /// The last answer of the discovery document.
    seen_at: Mutex<Option<DateTime<Utc>>>,
}

/// The tokens of a sign-in.
#[derive(Deserialize)]
pub(crate) struct Tokens {
    id_token: String,
    #[serde(default)]
    access_token: Option<String>,
}

impl Provider {
    pub(super) fn new(
        config: IssuerConfig,
        public_url: &str,
        reach: Reach,
        clock: &SharedClock,
    ) -> Self {
        Self {
            config,
            public_url: public_url.trim_end_matches('/').to_owned(),
            reach,
            clock: clock.clone(),
            loaded: tokio::sync::Mutex::default(),
            seen_at: Mutex::default(),
        }
    }

    /// The configuration of the provider.
    pub(crate) fn config(&self) -> &IssuerConfig {
        &self.config
    }

    /// The address of the page for this provider, without a slash at its end.
    pub(crate) fn public_url(&self) -> &str {
        &self.public_url
    }

    /// The address that begins a sign-in, for a page that was reached as `host`: the cookie of a
    /// sign-in must be where the provider sends the browser.
    pub(crate) fn beginning(&self, host: &str) -> String {
        let path = format!("/auth/oidc/{}", self.config.name);
        let url = self.public_url.split_once("://");
        let authority = url.and_then(|(_, rest)| rest.split('/').next());
        if authority.unwrap_or_default().eq_ignore_ascii_case(host) {
            path
        } else {
            format!("{}{path}", self.public_url)
        }
    }

    /// The addresses of this service to register at the provider.
    pub(crate) fn addresses(&self) -> IssuerAddresses {
        let base = format!("{}/auth/oidc/{}", self.public_url, self.config.name);
        IssuerAddresses {
            redirect: format!("{base}/callback"),
            post_logout_redirect: format!("{}/", self.public_url),
            backchannel_logout: format!("{base}/logout"),
        }
    }

    /// The address of the provider's logout, which leads back to the page; `None` when it has none
    /// or does not answer.
    pub(crate) async fn end_session_url(&self) -> Option<String> {
        let metadata = self.present().await.ok()?;
        let mut url = reqwest::Url::parse(metadata.end_session_endpoint.as_deref()?).ok()?;
        let back = self.addresses().post_logout_redirect;
        url.query_pairs_mut()
            .append_pair("client_id", &self.config.client_id)
            .append_pair("post_logout_redirect_uri", &back);
        Some(url.into())
    }

    /// The endpoints of the provider.
    pub(crate) async fn metadata(&self) -> Result<Arc<Metadata>, ProviderError> {
        Ok(self.loaded(MAX_AGE).await?.metadata)
    }

    /// The endpoints of the provider, which answers now. Those of before stay in use while it is
    /// away, but a browser that is sent there would not come back.
    pub(crate) async fn present(&self) -> Result<Arc<Metadata>, ProviderError> {
        let seen_at = *self.seen_at.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        if seen_at.is_some_and(|seen_at| now - seen_at < SEEN) {
            return self.metadata().await;
        }
        let request = self.reach.client.get(self.discovery_url());
        let metadata = self.read(request.timeout(LOOK_TIMEOUT)).await?;
        self.checked(metadata).map(Arc::new)
    }

    /// Exchanges a code for the claims of the person.
    pub(crate) async fn exchange(
        &self,
        code: &str,
        pkce_verifier: &str,
        redirect_uri: &str,
        nonce: &str,
    ) -> Result<Verified, ProviderError> {
        let metadata = self.metadata().await?;
        let request = self.token_request(&metadata, code, pkce_verifier, redirect_uri);
        let tokens: Tokens = self.read(request).await?;
        let mut verified = self.verify(&tokens.id_token).await?;
        let now = self.clock.now().timestamp();
        verified.check(&self.config.issuer, &self.config.client_id, now)?;
        verified.check_party(&self.config.client_id)?;
        if verified.text("nonce") != Some(nonce) {
            return Err(JwtError::Nonce.into());
        }
        if verified.text("sub").is_none() {
            return Err(JwtError::Malformed.into());
        }
        self.complete(&metadata, &mut verified, tokens.access_token.as_deref())
            .await?;
        Ok(verified)
    }

    /// The request that exchanges a code, with the id and the secret of this service.
    pub(super) fn token_request(
        &self,
        metadata: &Metadata,
        code: &str,
        pkce_verifier: &str,
        redirect_uri: &str,
    ) -> reqwest::RequestBuilder {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("client_id", &self.config.client_id),
            ("code_verifier", pkce_verifier),
        ];
        let client = &self.reach.client;
        let mut request = client.post(&metadata.token_endpoint).timeout(TIMEOUT);
        if let Some(secret) = &self.config.client_secret {
            let methods = metadata.token_endpoint_auth_methods_supported.as_ref();
            let basic =
                methods.is_none_or(|all| all.iter().any(|one| one == "client_secret_basic"));
            if basic {
                // RFC 6749, section 2.3.1: both are form-encoded first.
                let id = encoded(&self.config.client_id);
                request = request.basic_auth(id, Some(encoded(secret.expose_secret())));
            } else {
                form.push(("client_secret", secret.expose_secret()));
            }
        }
        request.form(&form)
    }

    /// The claims of an access token of this provider for the configured audience, or for the
    /// resource that was asked for (RFC 8707).
    pub(crate) async fn bearer(
        &self,
        token: &str,
        resource: Option<&str>,
    ) -> Result<Verified, ProviderError> {
        let Some(audience) = &self.config.audience else {
            return Err(JwtError::Audience.into());
        };
        let verified = self.verify(token).await?;
        let now = self.clock.now().timestamp();
        let accepted = [Some(audience.as_str()), resource];
        let audience = accepted
            .into_iter()
            .flatten()
            .find(|one| verified.is_for(one))
            .ok_or(JwtError::Audience)?;
        verified.check(&self.config.issuer, audience, now)?;
        if verified.kind.as_deref() == Some("logout+jwt") || verified.claims.contains_key("nonce") {
            return Err(JwtError::Kind.into());
        }
        if verified.text("sub").is_none() {
            return Err(JwtError::Malformed.into());
        }
        Ok(verified)
    }

    /// The session and the subject that a logout token ends (`OpenID` Connect Back-Channel Logout).
    pub(crate) async fn logout(
        &self,
        token: &str,
    ) -> Result<(Option<String>, Option<String>), ProviderError> {
        const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";
        let verified = self.verify(token).await?;
        let now = self.clock.now().timestamp();
        verified.check(&self.config.issuer, &self.config.client_id, now)?;
        let events = verified.claims.get("events").and_then(Value::as_object);
        let is_logout = events.is_some_and(|events| events.contains_key(EVENT));
        if !is_logout || verified.claims.contains_key("nonce") {
            return Err(JwtError::Kind.into());
        }
        let of = |name| verified.text(name).map(str::to_owned);
        match (of("sid"), of("sub")) {
            (None, None) => Err(JwtError::Malformed.into()),
            ended => Ok(ended),
        }
    }

    /// Verifies a signature, with the keys of now if its key is not known.
    async fn verify(&self, token: &str) -> Result<Verified, ProviderError> {
        let loaded = self.loaded(MAX_AGE).await?;
        match jwt::verify(token, &loaded.keys) {
            Err(JwtError::UnknownKey) => {
                let loaded = self.loaded(LEAST_AGE).await?;
                Ok(jwt::verify(token, &loaded.keys)?)
            }
            result => Ok(result?),
        }
    }

    /// Adds what the ID token does not say of the person and the provider does elsewhere.
    async fn complete(
        &self,
        metadata: &Metadata,
        verified: &mut Verified,
        access_token: Option<&str>,
    ) -> Result<(), ProviderError> {
        let beginning = self
            .config
            .groups_claim
            .split('.')
            .next()
            .unwrap_or_default();
        let claims = [self.config.name_claim.as_str(), beginning];
        let complete = claims
            .iter()
            .all(|name| verified.claims.contains_key(*name));
        let (Some(endpoint), Some(token), false) =
            (&metadata.userinfo_endpoint, access_token, complete)
        else {
            return Ok(());
        };
        let request = self
            .reach
            .client
            .get(endpoint)
            .timeout(TIMEOUT)
            .bearer_auth(token);
        let further: Map<String, Value> = self.read(request).await?;
        if further.get("sub") != verified.claims.get("sub") {
            return Err(self.odd("the claims of another person"));
        }
        for (name, value) in further {
            verified.claims.entry(name).or_insert(value);
        }
        Ok(())
    }

    /// Endpoints and keys that are not older than this. While the provider is away, those of before
    /// stay in use.
    async fn loaded(&self, age: TimeDelta) -> Result<Loaded, ProviderError> {
        let mut loaded = self.loaded.lock().await;
        let now = self.clock.now();
        if let Some(loaded) = &*loaded
            && now - loaded.read_at < age
        {
            return Ok(loaded.clone());
        }
        match (self.load(now).await, &*loaded) {
            (Ok(fresh), _) => {
                *loaded = Some(fresh.clone());
                Ok(fresh)
            }
            (Err(error), Some(before)) => {
                tracing::warn!(
                    issuer = self.config.name,
                    error = %service_kit::problem::chain(&error),
                    "an identity provider's keys could not be read again"
                );
                Ok(before.clone())
            }
            (Err(error), None) => Err(error),
        }
    }

    async fn load(&self, read_at: DateTime<Utc>) -> Result<Loaded, ProviderError> {
        let metadata = self.discover().await?;
        let metadata = self.checked(metadata)?;
        Ok(Loaded {
            keys: Arc::new(self.keys(&metadata).await?),
            metadata: Arc::new(metadata),
            read_at,
        })
    }

    /// The endpoints, if they are those of this provider.
    fn checked(&self, metadata: Metadata) -> Result<Metadata, ProviderError> {
        if metadata.issuer != self.config.issuer {
            return Err(self.odd("another issuer"));
        }
        if metadata.unprotected().is_some() {
            return Err(self.odd("an endpoint without encryption"));
        }
        *self.seen_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.clock.now());
        Ok(metadata)
    }

    /// The address of the discovery document.
    pub(super) fn discovery_url(&self) -> String {
        let issuer = self.config.issuer.trim_end_matches('/');
        format!("{issuer}/.well-known/openid-configuration")
    }

    /// Reads the discovery document, whatever it says.
    pub(super) async fn discover(&self) -> Result<Metadata, ProviderError> {
        let request = self.reach.client.get(self.discovery_url());
        self.read(request.timeout(TIMEOUT)).await
    }

    /// Reads the keys.
    pub(super) async fn keys(&self, metadata: &Metadata) -> Result<Keys, ProviderError> {
        let request = self.reach.client.get(&metadata.jwks_uri);
        self.read(request.timeout(TIMEOUT)).await
    }

    async fn read<T: for<'de> Deserialize<'de>>(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<T, ProviderError> {
        let (status, body) = self.ask(request).await?;
        if matches!(
            status,
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
        ) {
            let name = self.config.name.clone();
            return Err(ProviderError::Down { name, status });
        }
        if !status.is_success() {
            let error = oauth_error(&body).unwrap_or_default();
            return Err(self.odd(&format!("status {status} {error}")));
        }
        serde_json::from_slice(&body).map_err(|_not_json| self.odd("something else than JSON"))
    }

    /// Sends a request where it may be sent; the status and the body of the answer.
    pub(super) async fn ask(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<(StatusCode, Vec<u8>), ProviderError> {
        let away = |source| ProviderError::Away {
            name: self.config.name.clone(),
            source,
        };
        let (client, request) = request.build_split();
        let request = request.map_err(away)?;
        let allowed = self.reach.check(request.url());
        allowed.map_err(|source| ProviderError::Refused {
            name: self.config.name.clone(),
            source,
        })?;
        let mut answer = client.execute(request).await.map_err(away)?;
        let status = answer.status();
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(away)? {
            body.extend_from_slice(&part);
            if body.len() > LARGEST_ANSWER {
                return Err(self.odd("too much"));
            }
        }
        Ok((status, body))
    }

    fn odd(&self, what: &str) -> ProviderError {
        ProviderError::Answer {
            name: self.config.name.clone(),
            what: what.chars().take(200).collect(),
        }
    }
}

impl Metadata {
    /// An endpoint to which requests are not encrypted.
    pub(super) fn unprotected(&self) -> Option<&str> {
        let endpoints = [
            &self.authorization_endpoint,
            &self.token_endpoint,
            &self.jwks_uri,
        ];
        let found = endpoints.into_iter().find(|url| !is_protected(url));
        found.map(String::as_str)
    }
}

/// The error in the answer of an OAuth endpoint: a word of the standard, never a secret.
pub(super) fn oauth_error(body: &[u8]) -> Option<String> {
    let error: Map<String, Value> = serde_json::from_slice(body).ok()?;
    Some(error.get("error")?.as_str()?.to_owned())
}

/// A text, form-encoded.
fn encoded(text: &str) -> String {
    let mut url = reqwest::Url::parse("http://encoded/").ok();
    if let Some(url) = &mut url {
        url.query_pairs_mut().append_pair("", text);
    }
    let query = url.and_then(|url| url.query().map(str::to_owned));
    query.unwrap_or_default().trim_start_matches('=').to_owned()
}
