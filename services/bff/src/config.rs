//! The bff's configuration; `deploy/config/bff.toml` explains each key.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use contracts::bff::DemonstrationAccount;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use service_kit::config::{
    DatabaseConfig, HttpConfig, Invalid, TelemetryConfig, Validate, http_url, positive,
    read_secret_file, read_section_secrets, strong_secret, validate_sections,
};

use crate::oidc::config::OidcConfig;
use crate::signing::encryption_key;

/// Environment variables with names from outside (see docs/compatibility.md) that set a key.
pub const ALIASES: [(&str, &str); 1] = [("MCP_SERVER_URL", "upstream.tools_url")];

/// AI SDK clients post the whole conversation, cards and charts included, with each message; a long
/// one takes megabytes.
const CHAT_LIMIT_BYTES: usize = 8 * 1024 * 1024;

/// A page has a few connections, and several people may share an address.
const CONNECTIONS_PER_ADDRESS: usize = 512;

/// A hundred years: beyond it a number of days is a mistake.
const MOST_AUDIT_DAYS: u32 = 36_500;

/// Everything that can be set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The address and limits of the HTTP server.
    pub http: HttpConfig,
    /// The database of accounts and sessions.
    pub database: DatabaseConfig,
    /// Logs and traces.
    pub telemetry: TelemetryConfig,
    /// Identity tokens.
    pub signing: SigningConfig,
    /// The inner tiers.
    pub upstream: UpstreamConfig,
    /// Services of this project that act for absent users.
    pub services: ServicesConfig,
    /// Sessions of browsers.
    pub session: SessionConfig,
    /// Number of times that a user may ask.
    pub limits: LimitsConfig,
    /// The audit log.
    pub audit: AuditConfig,
    /// Identity providers.
    pub oidc: OidcConfig,
    /// The account that a sign-in page proposes. Set by the all-in-one demonstration, in no file.
    #[serde(skip)]
    pub demonstration: Option<DemonstrationAccount>,
}

/// `[signing]`: how identity tokens are signed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SigningConfig {
    /// Who signs: the tokens' `iss`.
    pub issuer: String,
    /// An Ed25519 private key (PKCS#8, PEM). Absent: one is made on the first start and kept in the
    /// database.
    pub key_file: Option<PathBuf>,
    /// Further keys that are published and verify but do not sign, beside `key_file`: the next one
    /// before it signs, the last one until its tokens have ended.
    pub verify_key_files: Vec<PathBuf>,
    /// What keys in the database are encrypted with: 32 bytes in base64. Absent: they are stored in
    /// plain text.
    #[serde(default, skip_serializing)]
    pub encryption_key: Option<SecretString>,
    /// A file that holds it.
    pub encryption_key_file: Option<PathBuf>,
}

/// `[upstream]`: the inner tiers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamConfig {
    /// The orchestrator.
    pub orchestrator_url: String,
    /// The tools service.
    pub tools_url: String,
    /// Time that an inner tier may take until its answer begins.
    pub response_timeout_ms: u64,
    /// The same for uploads of readings and documents.
    pub upload_timeout_ms: u64,
    /// The largest upload that is passed on.
    pub upload_limit_bytes: u64,
    /// The largest document that is passed on; the tools service has a limit of its own.
    pub document_limit_bytes: u64,
}

impl UpstreamConfig {
    /// `response_timeout_ms`.
    pub fn response_timeout(&self) -> Duration {
        Duration::from_millis(self.response_timeout_ms)
    }

    /// `upload_timeout_ms`.
    pub fn upload_timeout(&self) -> Duration {
        Duration::from_millis(self.upload_timeout_ms)
    }
}

/// `[services]`: services of this project that act for absent users.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServicesConfig {
    /// The secret that the orchestrator sends for identity tokens of runs that continue without a
    /// request; at least 32 characters. Absent: no such tokens are issued.
    #[serde(default, skip_serializing)]
    pub orchestrator_secret: Option<SecretString>,
    /// A file that holds it.
    pub orchestrator_secret_file: Option<PathBuf>,
}

/// `[session]`: sessions of browsers and refresh tokens of API clients.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionConfig {
    /// Time that a session lasts.
    pub lifetime_hours: u32,
    /// Time after which an unused session ends.
    pub idle_hours: u32,
    /// Time that a refresh token is good for.
    pub refresh_lifetime_hours: u32,
    /// Time after a sign-in in which its refresh tokens may be renewed; then the user has to sign
    /// in again.
    pub refresh_family_hours: u32,
    /// Whether the cookie is sent over HTTPS only.
    pub secure_cookie: SecureCookie,
    /// Further origins whose pages may send requests with credentials,
    /// `https://app.example.com`.
    pub allowed_origins: Vec<String>,
}

/// When the session cookie is `Secure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecureCookie {
    /// Unless the request came to a loopback name.
    Auto,
    /// Always.
    Always,
}

/// `[limits]`: how often a user may ask. Counted in each replica for itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// Requests that a user may send in a minute, on average.
    pub requests_per_minute: u32,
    /// Requests that a user may send at once.
    pub request_burst: u32,
    /// Requests that all users of a tenant together may send in a minute. 0: no limit.
    pub tenant_requests_per_minute: u32,
    /// Attempts to sign in to one account in a minute, on average.
    pub logins_per_minute: u32,
    /// Attempts at once.
    pub login_burst: u32,
    /// Attempts to sign in from one address in a minute, on average, whatever the account.
    pub logins_per_minute_per_address: u32,
    /// Attempts at once.
    pub login_burst_per_address: u32,
    /// Requests at the links of mails that stop a schedule, from one address: in a minute, on
    /// average, and at once.
    pub stop_links_per_minute_per_address: u32,
}

/// `[audit]`: the audit log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditConfig {
    /// Days after which an entry is deleted.
    pub keep_days: u32,
    /// The same for single tenants.
    #[serde(default)]
    pub keep_days_of: BTreeMap<String, u32>,
    /// Minimum number of days that administrators of a tenant may set for it.
    pub tenant_least_days: u32,
    /// Maximum number of days that they may set.
    pub tenant_most_days: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            http: HttpConfig {
                body_limit_bytes: CHAT_LIMIT_BYTES,
                max_connections_per_address: CONNECTIONS_PER_ADDRESS,
                ..HttpConfig::on_port(8080)
            },
            database: DatabaseConfig::default(),
            telemetry: TelemetryConfig::named("bff"),
            signing: SigningConfig {
                issuer: "heliograph".to_owned(),
                key_file: None,
                verify_key_files: Vec::new(),
                encryption_key: None,
                encryption_key_file: None,
            },
            upstream: UpstreamConfig {
                orchestrator_url: "http://127.0.0.1:3000".to_owned(),
                tools_url: "http://127.0.0.1:4000".to_owned(),
                response_timeout_ms: 30_000,
                upload_timeout_ms: 600_000,
                upload_limit_bytes: 512 * 1024 * 1024,
                document_limit_bytes: 32 * 1024 * 1024,
            },
            services: ServicesConfig::default(),
            session: SessionConfig {
                lifetime_hours: 24 * 14,
                idle_hours: 24 * 3,
                refresh_lifetime_hours: 24 * 14,
                refresh_family_hours: 24 * 90,
                secure_cookie: SecureCookie::Auto,
                allowed_origins: Vec::new(),
            },
            limits: LimitsConfig {
                requests_per_minute: 300,
                request_burst: 60,
                tenant_requests_per_minute: 0,
                logins_per_minute: 10,
                login_burst: 10,
                logins_per_minute_per_address: 30,
                login_burst_per_address: 30,
                stop_links_per_minute_per_address: 60,
            },
            audit: AuditConfig {
                keep_days: 400,
                keep_days_of: BTreeMap::new(),
                tenant_least_days: 1,
                tenant_most_days: MOST_AUDIT_DAYS,
            },
            oidc: OidcConfig::default(),
            demonstration: None,
        }
    }
}

impl Validate for Config {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_section_secrets(&mut [
            ("database", &mut self.database),
            ("signing", &mut self.signing),
            ("services", &mut self.services),
            ("oidc", &mut self.oidc),
        ])
    }

    fn validate(&self) -> Result<(), Invalid> {
        validate_sections(&[
            ("http", &self.http),
            ("database", &self.database),
            ("telemetry", &self.telemetry),
            ("signing", &self.signing),
            ("upstream", &self.upstream),
            ("services", &self.services),
            ("session", &self.session),
            ("limits", &self.limits),
            ("audit", &self.audit),
            ("oidc", &self.oidc),
        ])
    }
}

impl Validate for SigningConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file(
            "encryption_key",
            &mut self.encryption_key,
            self.encryption_key_file.as_deref(),
        )
    }

    fn validate(&self) -> Result<(), Invalid> {
        if self.issuer.is_empty() {
            return Err(Invalid::new("issuer", "must not be empty"));
        }
        if self.key_file.is_none() && !self.verify_key_files.is_empty() {
            return Err(Invalid::new(
                "verify_key_files",
                "are for use with key_file; keys in the database need none",
            ));
        }
        self.encryption_key
            .as_ref()
            .map_or(Ok(()), check_encryption_key)
    }
}

/// Refuses a key that does not encrypt.
pub(crate) fn check_encryption_key(key: &SecretString) -> Result<(), Invalid> {
    if encryption_key(key.expose_secret()).is_some() {
        return Ok(());
    }
    Err(Invalid::new(
        "encryption_key",
        "must be 32 bytes in base64, as `openssl rand -base64 32` writes them",
    ))
}

impl Validate for UpstreamConfig {
    fn validate(&self) -> Result<(), Invalid> {
        http_url("orchestrator_url", &self.orchestrator_url)?;
        http_url("tools_url", &self.tools_url)?;
        positive("response_timeout_ms", self.response_timeout_ms)?;
        positive("upload_timeout_ms", self.upload_timeout_ms)
    }
}

impl Validate for ServicesConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file(
            "orchestrator_secret",
            &mut self.orchestrator_secret,
            self.orchestrator_secret_file.as_deref(),
        )
    }

    fn validate(&self) -> Result<(), Invalid> {
        self.orchestrator_secret.as_ref().map_or(Ok(()), |secret| {
            strong_secret("orchestrator_secret", secret)
        })
    }
}

impl Validate for SessionConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("lifetime_hours", self.lifetime_hours.into())?;
        positive("idle_hours", self.idle_hours.into())?;
        positive("refresh_lifetime_hours", self.refresh_lifetime_hours.into())?;
        positive("refresh_family_hours", self.refresh_family_hours.into())?;
        self.allowed_origins
            .iter()
            .try_for_each(|one| origin("allowed_origins", one))
    }
}

/// Refuses what is not exactly what a browser sends as `Origin`. A pattern would let in more than
/// intended: the pages of these origins act for the user who is signed in.
fn origin(key: &str, value: &str) -> Result<(), Invalid> {
    if value.contains('*') {
        return Err(Invalid::new(
            key,
            format!("`{value}` has a wildcard; name each origin, such as https://app.example.com"),
        ));
    }
    let parsed = reqwest::Url::parse(value).ok();
    let exact = parsed.is_some_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == value
    });
    if exact {
        return Ok(());
    }
    Err(Invalid::new(
        key,
        format!(
            "`{value}` is not an origin: scheme, host and, unless it is the usual one, port, such as https://app.example.com"
        ),
    ))
}

impl Validate for AuditConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("keep_days", self.keep_days.into())?;
        let (least, most) = (self.tenant_least_days, self.tenant_most_days);
        if least == 0 || least > most || most > MOST_AUDIT_DAYS {
            let reason = format!(
                "must be at most {MOST_AUDIT_DAYS} and not below tenant_least_days, 1 or more"
            );
            return Err(Invalid::new("tenant_most_days", reason));
        }
        self.keep_days_of
            .values()
            .try_for_each(|days| positive("keep_days_of", (*days).into()))
    }
}

impl Validate for LimitsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("requests_per_minute", self.requests_per_minute.into())?;
        positive("request_burst", self.request_burst.into())?;
        positive("logins_per_minute", self.logins_per_minute.into())?;
        positive("login_burst", self.login_burst.into())?;
        positive(
            "logins_per_minute_per_address",
            self.logins_per_minute_per_address.into(),
        )?;
        positive(
            "login_burst_per_address",
            self.login_burst_per_address.into(),
        )?;
        positive(
            "stop_links_per_minute_per_address",
            self.stop_links_per_minute_per_address.into(),
        )
    }
}
