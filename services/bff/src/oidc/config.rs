//! `[oidc]`: identity providers.

use std::collections::HashSet;
use std::path::PathBuf;

use contracts::access::Role;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, http_url, read_secret_file};

/// The identity providers, and the address of this service for them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcConfig {
    /// The address of the page, to which providers send browsers back: `https://solar.example.com`.
    #[serde(default)]
    pub public_url: Option<String>,
    /// The providers.
    #[serde(default)]
    pub issuers: Vec<IssuerConfig>,
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

fn default_scopes() -> Vec<String> {
    ["profile", "email"].map(str::to_owned).to_vec()
}

fn default_groups_claim() -> String {
    "groups".to_owned()
}

fn default_name_claim() -> String {
    "preferred_username".to_owned()
}

fn default_role() -> Role {
    Role::Viewer
}

impl OidcConfig {
    /// The address of the page without a slash at its end.
    pub(crate) fn public_url(&self) -> &str {
        let url = self.public_url.as_deref().unwrap_or_default();
        url.trim_end_matches('/')
    }
}

impl Validate for OidcConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        self.issuers.iter_mut().try_for_each(|issuer| {
            read_secret_file(
                "client_secret",
                &mut issuer.client_secret,
                issuer.client_secret_file.as_deref(),
            )
        })
    }

    fn validate(&self) -> Result<(), Invalid> {
        if self.issuers.is_empty() {
            return Ok(());
        }
        let Some(url) = &self.public_url else {
            return Err(Invalid::new(
                "public_url",
                "is required with `issuers`: the address of the page, such as https://solar.example.com",
            ));
        };
        http_url("public_url", url)?;
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

/// Whether requests to a URL are encrypted, or stay on this machine.
pub(crate) fn is_protected(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    let loopback = host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    url.scheme() == "https" || loopback
}
