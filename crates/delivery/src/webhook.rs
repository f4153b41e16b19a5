//! Signed webhooks.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_client::HttpClient;
use http_client::guarded::{
    AddressRule, NoAllowedAddress, check_host, check_resolved_host, guarded_http_client,
};
use ipnet::IpNet;
use reqwest::{StatusCode, Url};
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

use crate::addresses::may_reach;
use crate::config::WebhookConfig;
use crate::{Error, Failure, Outgoing};

/// Maximum length of a URL, in characters.
const LONGEST_URL: usize = 2_000;

/// The reason why an inner address is refused.
const INNER: &str = "must lead to a public address; the operator of the service can allow others \
    (delivery.webhooks.allowed_networks)";

/// What signing secrets begin with.
const SECRET_PREFIX: &str = "whsec_";

/// The sender of webhooks.
pub struct Webhooks {
    client: HttpClient,
    rule: AddressRule,
    key: hmac::Key,
    config: WebhookConfig,
}

impl Webhooks {
    /// The sender of a configuration; `None` without a key.
    pub(crate) fn new(config: &WebhookConfig) -> Result<Option<Self>, Error> {
        let Some(key) = &config.key else {
            return Ok(None);
        };
        let key = hmac::Key::new(hmac::HMAC_SHA256, key.expose_secret().as_bytes());
        // What is not a network was refused by the configuration.
        let networks = config.allowed_networks.iter();
        let allowed: Vec<IpNet> = networks.filter_map(|net| net.parse().ok()).collect();
        let rule: AddressRule = Arc::new(move |address| may_reach(address, &allowed));
        Ok(Some(Self {
            client: guarded_http_client(Arc::clone(&rule))?,
            rule,
            key,
            config: config.clone(),
        }))
    }

    /// Says what is wrong with a URL that a user names now, also with the addresses of its host.
    pub async fn check_new_url(&self, url: &str) -> Result<(), String> {
        let read = self.check_url(url)?;
        let checked = check_resolved_host(&read, &self.rule).await;
        checked.map_err(|_inner| INNER.to_owned())
    }

    /// Reads a URL, or says what is wrong with it. Names are resolved, and checked again, when
    /// something is sent.
    fn check_url(&self, url: &str) -> Result<Url, String> {
        if url.chars().count() > LONGEST_URL {
            return Err(format!("must have at most {LONGEST_URL} characters"));
        }
        let read = Url::parse(url).map_err(|error| format!("is not a URL: {error}"))?;
        match read.scheme() {
            "https" => {}
            "http" if self.config.allow_http => {}
            "http" => return Err("must be an https URL".to_owned()),
            other => return Err(format!("must be an https URL, not {other}")),
        }
        if !read.username().is_empty() || read.password().is_some() {
            return Err("must not contain a user name or a password".to_owned());
        }
        check_host(&read, &self.rule).map_err(|_inner| INNER.to_owned())?;
        Ok(read)
    }

    /// The secret that the receiver of a webhook verifies signatures with. `of` identifies the
    /// webhook.
    pub fn secret(&self, of: &str) -> SecretString {
        let derived = hmac::sign(&self.key, format!("webhook\n{of}").as_bytes());
        format!("{SECRET_PREFIX}{}", STANDARD.encode(derived)).into()
    }

    /// Sends a message once, signed with the secret of the webhook `of`.
    pub async fn send(&self, url: &str, of: &str, message: &Outgoing<'_>) -> Result<(), Failure> {
        let url = self
            .check_url(url)
            .map_err(|wrong| Failure::Lasting(format!("The URL {wrong}.")))?;
        let body = message.payload.to_string();
        let timestamp = message.at.timestamp();
        let secret = self.secret(of);
        let signature = sign(&secret, message.id, timestamp, &body);
        let sent = self
            .client
            .post(url)
            .timeout(self.config.timeout())
            .header("content-type", "application/json")
            .header("webhook-id", message.id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .body(body)
            .send()
            .await;
        match sent {
            Ok(response) => judged(response.status()),
            Err(error) => Err(unsent(&error)),
        }
    }
}

/// The header `webhook-signature` of a message.
fn sign(secret: &SecretString, id: &str, timestamp: i64, body: &str) -> String {
    let encoded = secret.expose_secret().trim_start_matches(SECRET_PREFIX);
    let key = STANDARD.decode(encoded).unwrap_or_default();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let signed = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(signed))
}

fn judged(status: StatusCode) -> Result<(), Failure> {
    if status.is_success() {
        return Ok(());
    }
    let said = format!("The receiver answered with the status {}", status.as_u16());
    Err(match status {
        StatusCode::GONE => Failure::Lasting(format!("{said}: it wants no more messages.")),
        _ if status.is_redirection() => {
            Failure::Lasting(format!("{said}; redirects are not followed."))
        }
        _ => Failure::Passing(format!("{said}.")),
    })
}

/// In words for the user; what the operating system says stays in the log.
fn unsent(error: &reqwest::Error) -> Failure {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(one) = cause {
        if one.is::<NoAllowedAddress>() {
            return Failure::Lasting(format!("The URL {INNER}."));
        }
        cause = one.source();
    }
    tracing::info!(
        error = error as &dyn std::error::Error,
        "a webhook was not delivered"
    );
    Failure::Passing(if error.is_timeout() {
        "The receiver did not answer in time.".to_owned()
    } else {
        "The receiver could not be reached.".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhooks(change: impl FnOnce(&mut WebhookConfig)) -> Webhooks {
        let mut config = WebhookConfig {
            key: Some("correct horse battery staple 42".into()),
            ..WebhookConfig::default()
        };
        change(&mut config);
        Webhooks::new(&config).unwrap().unwrap()
    }

    #[test]
    fn a_signature_is_that_of_the_specification() {
        // The example of the specification's reference implementations.
        let secret = SecretString::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let body = r#"{"test": 2432232314}"#;
        let signature = sign(&secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn each_webhook_has_a_secret_of_its_own_that_stays() {
        let webhooks = webhooks(|_| {});
        let secret = |of| webhooks.secret(of).expose_secret().to_owned();
        assert_eq!(secret("a"), secret("a"));
        assert_ne!(secret("a"), secret("b"));
        assert!(secret("a").starts_with(SECRET_PREFIX));
    }

    #[test]
    fn urls_that_lead_inside_or_are_not_encrypted_are_refused() {
        let strict = webhooks(|_| {});
        assert!(strict.check_url("https://example.com/hook?a=b").is_ok());
        for refused in [
            "http://example.com/",
            "ftp://example.com/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://user:secret@example.com/",
            "https://169.254.169.254/latest/meta-data",
            "not a url",
        ] {
            assert!(strict.check_url(refused).is_err(), "{refused}");
        }
    }

    #[tokio::test]
    async fn names_that_lead_inside_are_refused_when_they_are_named() {
        let strict = webhooks(|_| {});
        for refused in ["https://localhost/", "https://LOCALHOST:8443/hook"] {
            let why = strict.check_new_url(refused).await.unwrap_err();
            assert!(why.contains("public address"), "{refused}: {why}");
        }
        let later = "https://no-such-name.invalid/";
        assert_eq!(strict.check_new_url(later).await, Ok(()));
        let open = webhooks(|config| {
            config.allowed_networks = vec!["127.0.0.0/8".to_owned()];
        });
        assert_eq!(open.check_new_url("https://localhost/").await, Ok(()));
    }

    #[test]
    fn what_is_allowed_is_not_refused() {
        let open = webhooks(|config| {
            config.allow_http = true;
            config.allowed_networks = vec!["127.0.0.0/8".to_owned()];
        });
        assert!(open.check_url("http://127.0.0.1:8080/").is_ok());
    }
}
