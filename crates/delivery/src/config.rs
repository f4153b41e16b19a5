//! `[delivery]`: the channels by which results of schedules and alerts leave the product.

use std::path::PathBuf;
use std::time::Duration;

use configuration::{Invalid, Validate, positive, read_secret_file, strong_secret};
use ipnet::IpNet;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// `[delivery]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryConfig {
    /// Webhooks.
    pub webhooks: WebhookConfig,
    /// Mail.
    pub email: EmailConfig,
}

/// `[delivery.webhooks]`. Without a key there are no webhooks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookConfig {
    /// The key from which the signing secret of each webhook is derived. All replicas share it.
    #[serde(skip_serializing)]
    pub key: Option<SecretString>,
    /// A file that holds the key.
    pub key_file: Option<PathBuf>,
    /// Networks that are reached although they are not public, such as `10.20.0.0/16`.
    pub allowed_networks: Vec<String>,
    /// Whether `http` URLs are accepted beside `https`.
    pub allow_http: bool,
    /// Time that a receiver has to answer.
    pub timeout_ms: u64,
}

impl WebhookConfig {
    /// `timeout_ms`.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

impl Default for WebhookConfig {
    fn default() -> Self {
        Self {
            key: None,
            key_file: None,
            allowed_networks: Vec::new(),
            allow_http: false,
            timeout_ms: 15_000,
        }
    }
}

/// `[delivery.email]`. Without a host there is no mail.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmailConfig {
    /// The mail server.
    pub host: Option<String>,
    /// The port of the mail server.
    pub port: u16,
    /// How the connection is encrypted.
    pub tls: Tls,
    /// A file with the certificates (PEM) that the server's is checked with, beside those of the
    /// system.
    pub ca_file: Option<PathBuf>,
    /// The user name at the server; without one, mails are sent without signing in.
    pub username: Option<String>,
    /// The password of that user.
    #[serde(skip_serializing)]
    pub password: Option<SecretString>,
    /// A file that holds the password.
    pub password_file: Option<PathBuf>,
    /// The sender, such as `Heliograph <heliograph@example.com>`.
    pub from: Option<String>,
    /// The address under which people reach the product, such as `https://solar.example.com`. With
    /// it, each mail has a link that stops its schedule; the key of webhooks signs it.
    pub public_url: Option<String>,
    /// Domains of the addresses that mail may be sent to; empty: any.
    pub allowed_domains: Vec<String>,
    /// Time that the server has for each answer.
    pub timeout_ms: u64,
}

impl EmailConfig {
    /// `timeout_ms`.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

/// Encryption of the connection to the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tls {
    /// Plain at first, then encrypted; a server that cannot do so is not used. Port 587.
    StartTls,
    /// Encrypted from the first byte. Port 465.
    Implicit,
    /// Not encrypted: for a relay on the same machine.
    None,
}

impl Default for EmailConfig {
    fn default() -> Self {
        Self {
            host: None,
            port: 587,
            tls: Tls::StartTls,
            ca_file: None,
            username: None,
            password: None,
            password_file: None,
            from: None,
            public_url: None,
            allowed_domains: Vec::new(),
            timeout_ms: 20_000,
        }
    }
}

impl Validate for DeliveryConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        let webhooks = &mut self.webhooks;
        read_secret_file("key", &mut webhooks.key, webhooks.key_file.as_deref())
            .map_err(|fault| fault.within("webhooks"))?;
        let email = &mut self.email;
        read_secret_file(
            "password",
            &mut email.password,
            email.password_file.as_deref(),
        )
        .map_err(|fault| fault.within("email"))
    }

    fn validate(&self) -> Result<(), Invalid> {
        self.webhooks
            .validate()
            .map_err(|fault| fault.within("webhooks"))?;
        self.email.validate().map_err(|fault| fault.within("email"))
    }
}

impl Validate for WebhookConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("timeout_ms", self.timeout_ms)?;
        for network in &self.allowed_networks {
            network.parse::<IpNet>().map_err(|_error| {
                let reason = format!("`{network}` is not a network such as 10.20.0.0/16");
                Invalid::new("allowed_networks", reason)
            })?;
        }
        match &self.key {
            Some(key) => strong_secret("key", key),
            None => Ok(()),
        }
    }
}

impl Validate for EmailConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("timeout_ms", self.timeout_ms)?;
        if self.username.is_some() != self.password.is_some() {
            return Err(Invalid::new(
                "password",
                "`username` and `password` (or `password_file`) belong together",
            ));
        }
        if let Some(url) = &self.public_url {
            let read = reqwest::Url::parse(url).ok();
            let is_address = read.is_some_and(|url| {
                matches!(url.scheme(), "https" | "http")
                    && url.has_host()
                    && url.query().is_none()
                    && url.fragment().is_none()
            });
            if !is_address {
                let reason = format!("`{url}` is not an address such as https://solar.example.com");
                return Err(Invalid::new("public_url", reason));
            }
        }
        let Some(host) = &self.host else {
            return Ok(());
        };
        if host.trim().is_empty() {
            return Err(Invalid::new("host", "must not be empty"));
        }
        if self.tls == Tls::None && self.password.is_some() {
            return Err(Invalid::new(
                "tls",
                "must not be \"none\" together with a password",
            ));
        }
        let from = self.from.as_deref().unwrap_or_default();
        from.parse::<lettre::message::Mailbox>()
            .map(drop)
            .map_err(|error| Invalid::new("from", format!("is not a sender: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_for_links_is_one() {
        let mut config = DeliveryConfig::default();
        for right in ["https://solar.example.com", "http://localhost:8080/helio/"] {
            config.email.public_url = Some(right.to_owned());
            assert!(config.validate().is_ok(), "{right}");
        }
        for wrong in [
            "solar.example.com",
            "ftp://a.example",
            "https://a.example/?x=1",
            "",
        ] {
            config.email.public_url = Some(wrong.to_owned());
            assert!(config.validate().is_err(), "{wrong}");
        }
    }
}
