//! The sections that services share, beside what reads configurations: the crate `configuration`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use configuration::{
    COMMON_SECTIONS, Error, Invalid, Loader, Replaced, Validate, http_url, load, name, positive,
    read_secret_file, read_section_secrets, section_variables, strong_secret, validate_sections,
};
pub use database_kit::DatabaseConfig;

use crate::client_address::TrustedProxies;

/// One service calls another from one address, and a stream holds a connection for as long as it
/// lasts.
const MAX_CONNECTIONS: usize = 8192;

/// `[http]`: where a service listens, and how much of a caller it bears.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    /// The address to listen at. Default: loopback.
    pub address: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// Time that a handler may take until its answer begins. What it streams afterwards is not cut.
    pub request_timeout_ms: u64,
    /// The largest body that is read.
    pub body_limit_bytes: usize,
    /// Time that requests in flight have to finish when the service stops; then they are cut.
    pub drain_timeout_ms: u64,
    /// Time that a connection may stand without a request: before its first one, between two, and
    /// with a head that does not end.
    pub idle_timeout_ms: u64,
    /// Maximum number of simultaneous connections; further ones are refused.
    pub max_connections: usize,
    /// Maximum number of simultaneous connections from one address. Addresses of `trusted_proxies`
    /// are not counted.
    pub max_connections_per_address: usize,
    /// Names by which clients reach the service (the `Host` of their requests), without ports;
    /// `"*"` takes any. Names and addresses of loopback are always taken. Empty: any name, unless
    /// the service listens at loopback.
    pub allowed_hosts: Vec<String>,
    /// Proxies in front of the service, as addresses or networks (`10.0.0.0/8`): their
    /// `X-Forwarded-For` names the client.
    pub trusted_proxies: Vec<String>,
}

impl HttpConfig {
    /// Loopback at the given port.
    pub fn on_port(port: u16) -> Self {
        Self {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port,
            request_timeout_ms: 30_000,
            body_limit_bytes: 2 * 1024 * 1024,
            drain_timeout_ms: 10_000,
            idle_timeout_ms: 30_000,
            max_connections: MAX_CONNECTIONS,
            max_connections_per_address: MAX_CONNECTIONS,
            allowed_hosts: Vec::new(),
            trusted_proxies: Vec::new(),
        }
    }

    /// The address and port to listen at.
    pub fn socket_address(&self) -> SocketAddr {
        SocketAddr::new(self.address, self.port)
    }

    /// `request_timeout_ms`.
    pub fn request_timeout(&self) -> Duration {
        Duration::from_millis(self.request_timeout_ms)
    }

    /// `drain_timeout_ms`.
    pub fn drain_timeout(&self) -> Duration {
        Duration::from_millis(self.drain_timeout_ms)
    }

    /// `idle_timeout_ms`.
    pub fn idle_timeout(&self) -> Duration {
        Duration::from_millis(self.idle_timeout_ms)
    }
}

impl Validate for HttpConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("request_timeout_ms", self.request_timeout_ms)?;
        positive("body_limit_bytes", self.body_limit_bytes as u64)?;
        positive("idle_timeout_ms", self.idle_timeout_ms)?;
        positive("max_connections", self.max_connections as u64)?;
        positive(
            "max_connections_per_address",
            self.max_connections_per_address as u64,
        )?;
        for host in &self.allowed_hosts {
            host_name("allowed_hosts", host)?;
        }
        TrustedProxies::parse(&self.trusted_proxies)
            .map(drop)
            .map_err(|fault| Invalid::new("trusted_proxies", fault.to_string()))
    }
}

/// How log lines look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// One kind of telemetry that an OTLP collector accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Spans.
    Traces,
    /// Counters, histograms and gauges.
    Metrics,
    /// The lines of the log.
    Logs,
}

/// `[telemetry]`: logs, traces and metrics.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetryConfig {
    /// The log filter: `info`, `info,tools=debug`, … Also `RUST_LOG`.
    pub log_filter: String,
    /// `text` or `json`.
    pub log_format: LogFormat,
    /// The target of traces: the base URL of an OTLP/HTTP collector. Absent: traces are not
    /// exported. Also `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub otlp_endpoint: Option<String>,
    /// The signals that are sent to the collector.
    pub otlp_signals: Vec<Signal>,
    /// The address and port of `/metrics` for Prometheus, such as `0.0.0.0:9464`. Absent: there is
    /// no such listener. It has no authentication, so it is apart from the service's own port.
    pub metrics_address: Option<String>,
    /// What this process calls itself in traces.
    pub service_name: String,
    /// The share of traces that start here and are kept, 0 to 1.
    pub sample_ratio: f64,
}

impl TelemetryConfig {
    /// Readable logs at `info`, no export.
    pub fn named(service_name: &str) -> Self {
        Self {
            log_filter: "info".to_owned(),
            log_format: LogFormat::Text,
            otlp_endpoint: None,
            otlp_signals: vec![Signal::Traces],
            metrics_address: None,
            service_name: service_name.to_owned(),
            sample_ratio: 1.0,
        }
    }
}

impl Validate for TelemetryConfig {
    fn validate(&self) -> Result<(), Invalid> {
        if !(0.0..=1.0).contains(&self.sample_ratio) {
            return Err(Invalid::new("sample_ratio", "must be between 0 and 1"));
        }
        if let Err(error) = tracing_subscriber::EnvFilter::builder().parse(&self.log_filter) {
            return Err(Invalid::new("log_filter", error.to_string()));
        }
        if let Some(address) = &self.metrics_address
            && address.parse::<SocketAddr>().is_err()
        {
            return Err(Invalid::new(
                "metrics_address",
                format!("{address:?} is not an IP address with a port, such as 0.0.0.0:9464"),
            ));
        }
        self.otlp_endpoint
            .as_deref()
            .map_or(Ok(()), |endpoint| http_url("otlp_endpoint", endpoint))
    }
}

/// `[identity]`: whose identity tokens a service takes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityConfig {
    /// Who must have signed: the token's `iss`.
    pub issuer: String,
    /// The required audience: one of the token's `aud`.
    pub audience: String,
    /// The URL of the signer's key set: `http://bff/.well-known/jwks.json`.
    pub key_set_url: Option<String>,
    /// A file with the key set, in place of the URL.
    pub key_set_file: Option<PathBuf>,
    /// Tolerated difference between two machines' clocks.
    pub leeway_seconds: u64,
}

impl IdentityConfig {
    /// Tokens that the bff signed for the given service; the key set is still to be named.
    pub fn for_audience(audience: &str) -> Self {
        Self {
            issuer: "heliograph".to_owned(),
            audience: audience.to_owned(),
            key_set_url: None,
            key_set_file: None,
            leeway_seconds: 5,
        }
    }
}

impl Validate for IdentityConfig {
    fn validate(&self) -> Result<(), Invalid> {
        for (key, value) in [("issuer", &self.issuer), ("audience", &self.audience)] {
            if value.is_empty() {
                return Err(Invalid::new(key, "must not be empty"));
            }
        }
        if self.leeway_seconds > 60 {
            return Err(Invalid::new(
                "leeway_seconds",
                "must be at most 60: tokens live five minutes",
            ));
        }
        match (&self.key_set_url, &self.key_set_file) {
            (Some(_), Some(_)) => Err(Invalid::new(
                "key_set_file",
                "must not be given together with key_set_url",
            )),
            (Some(url), None) => http_url("key_set_url", url),
            (None, _) => Ok(()),
        }
    }
}

/// Refuses what is not a host name, an address, or `*`.
fn host_name(key: &str, value: &str) -> Result<(), Invalid> {
    let bare = value
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(value);
    let named = !value.is_empty()
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if value == "*" || named || bare.parse::<IpAddr>().is_ok() {
        Ok(())
    } else {
        Err(Invalid::new(
            key,
            format!("`{value}` is not a host name; leave out scheme, port and path"),
        ))
    }
}

#[cfg(test)]
mod tests;
