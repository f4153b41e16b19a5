//! The upstreams that there are, ready to be asked.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use contracts::upstreams::{UpstreamAccess, UpstreamKind};
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use service_kit::client::HttpClient;
use tokio::sync::Mutex;

use super::config::{self, Access, McpToolConfig, OperationConfig, TokenConfig, UpstreamConfig};

/// An upstream's configuration cannot work.
#[derive(Debug, thiserror::Error)]
pub enum BrokenUpstream {
    /// Something about it is not what it has to be.
    #[error("the upstream `{upstream}` cannot be set up: {reason}")]
    Settings {
        /// The upstream.
        upstream: String,
        /// The fault.
        reason: String,
    },
    /// There is no way out.
    #[error("no HTTP client")]
    Client(#[from] reqwest::Error),
}

/// The upstreams of the configuration by name, and those that tenants add while the service runs.
#[derive(Debug, Default)]
pub struct Directory {
    fixed: BTreeMap<String, Arc<Upstream>>,
    added: RwLock<Vec<AddedUpstream>>,
}

/// An upstream that a tenant added. Only this tenant sees it.
#[derive(Debug, Clone)]
pub struct AddedUpstream {
    /// The tenant.
    pub tenant: String,
    /// Its version: another one is another upstream.
    pub version: i64,
    /// The upstream.
    pub upstream: Arc<Upstream>,
}

/// An API of others.
#[derive(Debug)]
pub struct Upstream {
    config: UpstreamConfig,
    base: Url,
    headers: HeaderMap,
    client: HttpClient,
    seen: Mutex<Option<Seen>>,
}

/// When an upstream was looked at, and why it could not be asked.
type Seen = (Instant, Option<String>);

impl Directory {
    /// The upstreams of a configuration.
    pub fn new(upstreams: &[UpstreamConfig]) -> Result<Self, BrokenUpstream> {
        let upstreams = upstreams.iter().map(|config| {
            let upstream = Upstream::new(config.clone())?;
            Ok((config.name.clone(), Arc::new(upstream)))
        });
        let fixed = upstreams.collect::<Result<_, BrokenUpstream>>()?;
        Ok(Self {
            fixed,
            added: RwLock::default(),
        })
    }

    /// The upstreams of the configuration.
    pub fn fixed(&self) -> impl Iterator<Item = &Arc<Upstream>> {
        self.fixed.values()
    }

    /// The upstreams of the configuration that a tenant's users may use.
    pub fn fixed_for<'a>(&'a self, tenant: &'a str) -> impl Iterator<Item = &'a Arc<Upstream>> {
        self.fixed().filter(move |upstream| upstream.serves(tenant))
    }

    /// Whether the configuration has an upstream of this name for the tenant. It is used in place
    /// of one that the tenant added.
    pub fn is_fixed(&self, name: &str, tenant: &str) -> bool {
        let fixed = self.fixed.get(name);
        fixed.is_some_and(|upstream| upstream.serves(tenant))
    }

    /// The upstreams that tenants added.
    pub fn added(&self) -> Vec<AddedUpstream> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner);
        added.clone()
    }

    /// Puts these in place of those that tenants added.
    pub fn replace_added(&self, upstreams: Vec<AddedUpstream>) {
        *self.added.write().unwrap_or_else(PoisonError::into_inner) = upstreams;
    }

    /// The upstreams that a tenant's users may use.
    pub fn of_tenant(&self, tenant: &str) -> Vec<Arc<Upstream>> {
        let mut upstreams: Vec<Arc<Upstream>> = self.fixed_for(tenant).cloned().collect();
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner);
        for one in added.iter().filter(|added| added.tenant == tenant) {
            if !self.is_fixed(one.upstream.name(), tenant) {
                upstreams.push(Arc::clone(&one.upstream));
            }
        }
        upstreams
    }

    /// One that a tenant's users may use.
    pub fn get(&self, name: &str, tenant: &str) -> Option<Arc<Upstream>> {
        let mut upstreams = self.of_tenant(tenant).into_iter();
        upstreams.find(|upstream| upstream.name() == name)
    }

    /// Whether the configuration has none.
    pub fn is_empty(&self) -> bool {
        self.fixed.is_empty()
    }
}

impl Upstream {
    pub(crate) fn new(config: UpstreamConfig) -> Result<Self, BrokenUpstream> {
        let broken = |reason: String| BrokenUpstream::Settings {
            upstream: config.name.clone(),
            reason,
        };
        let base = Url::parse(&config.base_url).map_err(|error| broken(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https")
            || !base.username().is_empty()
            || base.query().is_some()
        {
            return Err(broken(
                "base_url must be http(s), without user and query".to_owned(),
            ));
        }
        let headers = headers(&config).map_err(broken)?;
        Ok(Self {
            client: client_for(&base)?,
            base,
            headers,
            config,
            seen: Mutex::default(),
        })
    }

    /// The configured name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    pub(crate) fn kind(&self) -> UpstreamKind {
        match self.config.kind {
            config::UpstreamKind::Http => UpstreamKind::Http,
            config::UpstreamKind::Mcp => UpstreamKind::Mcp,
        }
    }

    pub(crate) fn access(&self) -> UpstreamAccess {
        match self.config.access {
            Access::Person => UpstreamAccess::Person,
            Access::Service => UpstreamAccess::Service,
        }
    }

    /// The names of the tools that it is asked by.
    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &str> {
        let operations = self.operations().iter().map(|one| one.name.as_str());
        operations.chain(self.tools().iter().map(|one| one.name.as_str()))
    }

    /// Whether this tenant's users may use it.
    pub fn serves(&self, tenant: &str) -> bool {
        let tenants = &self.config.tenants;
        tenants.iter().any(|own| own == "*" || own == tenant)
    }

    /// What its tokens are like.
    pub(crate) fn token(&self) -> &TokenConfig {
        &self.config.token
    }

    /// The audience that a token's `aud` has to hold.
    pub(crate) fn audience(&self) -> &str {
        let token = &self.config.token;
        token.audience.as_deref().unwrap_or(&self.config.base_url)
    }

    pub(crate) fn operations(&self) -> &[OperationConfig] {
        &self.config.operations
    }

    pub(crate) fn tools(&self) -> &[McpToolConfig] {
        &self.config.tools
    }

    /// Whether it is read with the person's own token. Otherwise it needs none.
    pub(crate) fn is_personal(&self) -> bool {
        self.config.access == Access::Person
    }

    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// How it was found when it was looked at last.
    pub(super) fn seen(&self) -> &Mutex<Option<Seen>> {
        &self.seen
    }

    pub(crate) fn client(&self) -> &HttpClient {
        &self.client
    }

    /// Sent with every request.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.config.timeout_ms)
    }

    pub(crate) fn max_response_bytes(&self) -> usize {
        self.config.max_response_bytes
    }

    /// The service's own secrets, which no answer may repeat.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &SecretString> {
        let refresh = self.config.token.refresh.iter();
        let refresh =
            refresh.flat_map(|refresh| refresh.service_key.iter().chain(&refresh.client_secret));
        let headers = self.config.secret_headers.iter();
        headers
            .filter_map(|header| header.value.as_ref())
            .chain(refresh)
    }
}

/// An upstream on this machine is reached directly, whatever proxy the environment names.
fn client_for(base: &Url) -> Result<HttpClient, reqwest::Error> {
    let host = base.host_str().unwrap_or_default();
    let local = host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    if local {
        service_kit::http_client()
    } else {
        service_kit::external_http_client()
    }
}

fn headers(config: &UpstreamConfig) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &config.headers {
        headers.insert(
            header_name(name, config.access)?,
            header_value(name, value)?,
        );
    }
    for header in &config.secret_headers {
        let value = header
            .value
            .as_ref()
            .map_or("", ExposeSecret::expose_secret);
        let mut value = header_value(&header.name, value)?;
        value.set_sensitive(true);
        headers.insert(header_name(&header.name, config.access)?, value);
    }
    Ok(headers)
}

fn header_name(name: &str, access: Access) -> Result<HeaderName, String> {
    let parsed = HeaderName::try_from(name).map_err(|_| format!("`{name}` is no header"))?;
    // The service sets these itself; with rights of its own it has no person's token to send.
    let own = match access {
        Access::Person => ["authorization", "host", "content-length", "content-type"].as_slice(),
        Access::Service => ["host", "content-length", "content-type"].as_slice(),
    };
    if own.contains(&parsed.as_str()) {
        return Err(format!("the header `{name}` cannot be set"));
    }
    Ok(parsed)
}

fn header_value(name: &str, value: &str) -> Result<HeaderValue, String> {
    HeaderValue::try_from(value).map_err(|_| format!("the header `{name}` cannot have that value"))
}
