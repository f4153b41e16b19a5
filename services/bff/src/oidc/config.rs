//! `[oidc]`: identity providers.

use std::collections::HashSet;
use std::net::IpAddr;
use std::path::PathBuf;

use contracts::access::Role;
use ipnet::IpNet;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, http_url, read_secret_file};

use crate::config::check_encryption_key;

/// The identity providers, and the address of this service for them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcConfig {
    /// The address of the page, to which providers send browsers back: `https://solar.example.com`.
    #[serde(default)]
    pub public_url: Option<String>,
    /// The providers.
    #[serde(default)]
    pub issuers: Vec<IssuerConfig>,
    /// Whether issuers that are added while the service runs may be on this machine.
    #[serde(default)]
    pub allow_loopback: bool,
    /// Networks in which issuers that are added may not be.
    #[serde(default = "refused_networks")]
    pub refused_networks: Vec<String>,
    /// The key that encrypts the client secrets of issuers that are added: 32 bytes in base64.
    /// Absent: that of `[signing]`.
    #[serde(default, skip_serializing)]
    pub encryption_key: Option<SecretString>,
    /// A file that holds it.
    #[serde(default)]
    pub encryption_key_file: Option<PathBuf>,
}

/// Services that answer with credentials of a machine (clouds' metadata) are at link-local
/// addresses.
fn refused_networks() -> Vec<String> {
    let networks = [
        "169.254.0.0/16",
        "fe80::/10",
        "fd00:ec2::254/128",
        "100.100.100.200/32",
        "0.0.0.0/8",
        "224.0.0.0/4",
        "ff00::/8",
    ];
    networks.map(str::to_owned).into()
}

impl Default for OidcConfig {
    fn default() -> Self {
        Self {
            public_url: None,
            issuers: Vec::new(),
            allow_loopback: false,
            refused_networks: refused_networks(),
            encryption_key: None,
            encryption_key_file: None,
        }
    }
}

/// One identity provider.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssuerConfig {
    /// A name in paths: letters, digits and `-`.
    pub name: String,
    /// The label of the button of the sign-in page. Default: the name.
    #[serde(default)]
    pub label: Option<String>,
    /// The issuer, exactly as its tokens name it.
    pub issuer: String,
    /// The id of this service at the provider.
    pub client_id: String,
    /// The secret of this service at the provider. Absent: a public client.
    #[serde(default, skip_serializing)]
    pub client_secret: Option<SecretString>,
    /// A file that holds it.
    #[serde(default)]
    pub client_secret_file: Option<PathBuf>,
    /// The scopes to ask for, beside `openid`.
    #[serde(default = "default_scopes")]
    pub scopes: Vec<String>,
    /// The audience of access tokens that are accepted as bearer tokens. Absent: none are.
    #[serde(default)]
    pub audience: Option<String>,
    /// The claim with the groups of a person: a name, or a path such as `realm_access.roles`.
    #[serde(default = "default_groups_claim")]
    pub groups_claim: String,
    /// The claim with the name of a person.
    #[serde(default = "default_name_claim")]
    pub name_claim: String,
    /// The rules for persons who may sign in. The first one that fits decides.
    pub rules: Vec<Rule>,
}

/// A rule for persons of an identity provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The group that a person must be in. Absent: every person of the provider.
    #[serde(default)]
    pub group: Option<String>,
    /// The tenant of the account.
    pub tenant: String,
    /// The role of the account. Default: `viewer`.
    #[serde(default = "default_role")]
    pub role: Role,
}

pub(super) fn default_scopes() -> Vec<String> {
    ["profile", "email"].map(str::to_owned).to_vec()
}

pub(super) fn default_groups_claim() -> String {
    "groups".to_owned()
}

pub(super) fn default_name_claim() -> String {
    "preferred_username".to_owned()
}

fn default_role() -> Role {
    Role::Viewer
}

impl OidcConfig {
    /// The address of the page without a slash at its end.
    pub(crate) fn public_url(&self) -> Option<&str> {
        let url = self.public_url.as_deref()?;
        Some(url.trim_end_matches('/'))
    }
}

impl Validate for OidcConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file(
            "encryption_key",
            &mut self.encryption_key,
            self.encryption_key_file.as_deref(),
        )?;
        self.issuers.iter_mut().try_for_each(|issuer| {
            read_secret_file(
                "client_secret",
                &mut issuer.client_secret,
                issuer.client_secret_file.as_deref(),
            )
        })
    }

    fn validate(&self) -> Result<(), Invalid> {
        for network in &self.refused_networks {
            if network_of(network).is_none() {
                return Err(Invalid::new(
                    "refused_networks",
                    format!("`{network}` is not an address or a network, such as 10.0.0.0/8"),
                ));
            }
        }
        if let Some(key) = &self.encryption_key {
            check_encryption_key(key)?;
        }
        if let Some(url) = &self.public_url {
            http_url("public_url", url)?;
        }
        if self.issuers.is_empty() {
            return Ok(());
        }
        if self.public_url.is_none() {
            return Err(Invalid::new(
                "public_url",
                "is required with `issuers`: the address of the page, such as https://solar.example.com",
            ));
        }
        let mut names = HashSet::new();
        let mut urls = HashSet::new();
        for issuer in &self.issuers {
            issuer.validate()?;
            if !names.insert(&issuer.name) || !urls.insert(&issuer.issuer) {
                let detail = format!("`{}` is named twice", issuer.name);
                return Err(Invalid::new("issuers", detail));
            }
        }
        Ok(())
    }
}

impl Validate for IssuerConfig {
    fn validate(&self) -> Result<(), Invalid> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if self.name.is_empty() || !self.name.bytes().all(plain) {
            let detail = format!("`{}` must be letters, digits and `-`", self.name);
            return Err(Invalid::new("name", detail));
        }
        http_url("issuer", &self.issuer)?;
        if !is_protected(&self.issuer) {
            let detail = format!("`{}` must be https, save on loopback", self.issuer);
            return Err(Invalid::new("issuer", detail));
        }
        if self.client_id.is_empty() {
            return Err(Invalid::new("client_id", "must not be empty"));
        }
        if self.audience.as_ref() == Some(&self.client_id) {
            return Err(Invalid::new(
                "audience",
                "must differ from `client_id`: otherwise an ID token would be accepted as an access token",
            ));
        }
        if self.rules.is_empty() {
            return Err(Invalid::new(
                "rules",
                "must have at least one rule; without a rule, no person may sign in",
            ));
        }
        let tenants = self.rules.iter().map(|rule| &rule.tenant);
        if tenants
            .clone()
            .any(|tenant| tenant.is_empty() || tenant.chars().count() > 64)
        {
            return Err(Invalid::new("rules", "a tenant has 1 to 64 characters"));
        }
        Ok(())
    }
}

/// A network, or an address as a network of one.
pub(crate) fn network_of(text: &str) -> Option<IpNet> {
    text.parse()
        .ok()
        .or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

/// Whether requests to a URL are encrypted, or stay on this machine.
pub(crate) fn is_protected(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    let loopback = host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    url.scheme() == "https" || loopback
}
