//! Signed links in mails.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use secrecy::ExposeSecret;

use crate::config::DeliveryConfig;

/// Signs and verifies the links in mails that stop their schedule.
pub struct StopLinks {
    /// The address under which people reach the product, without a slash at its end.
    base: String,
    key: hmac::Key,
}

impl StopLinks {
    /// The links of a configuration; `None` without an address, or without a key.
    pub(crate) fn new(config: &DeliveryConfig) -> Option<Self> {
        let base = config.email.public_url.as_deref()?.trim_end_matches('/');
        let Some(key) = &config.webhooks.key else {
            tracing::warn!(
                "mails have no link that stops them: `delivery.email.public_url` needs the key of [delivery.webhooks], which signs the links"
            );
            return None;
        };
        Some(Self {
            base: base.to_owned(),
            key: hmac::Key::new(hmac::HMAC_SHA256, key.expose_secret().as_bytes()),
        })
    }

    /// The signature of a text.
    pub fn sign(&self, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.key, message(text).as_bytes()))
    }

    /// Whether this is the signature of a text.
    pub fn is_signed(&self, text: &str, signature: &str) -> bool {
        let Ok(tag) = URL_SAFE_NO_PAD.decode(signature) else {
            return false;
        };
        hmac::verify(&self.key, message(text).as_bytes(), &tag).is_ok()
    }

    /// The address of a link.
    pub fn url(&self, token: &str) -> String {
        format!("{}/stop/{token}", self.base)
    }
}

/// The key signs webhooks, too: what is signed for a link is nothing else.
fn message(text: &str) -> String {
    format!("stop link\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_needs_an_address_and_a_key_and_is_signed() {
        let mut config = DeliveryConfig::default();
        assert!(StopLinks::new(&config).is_none());
        config.email.public_url = Some("https://solar.example.com/".to_owned());
        assert!(StopLinks::new(&config).is_none());
        config.webhooks.key = Some("a key that only this test knows".into());
        let links = StopLinks::new(&config).unwrap();
        assert_eq!(links.url("t"), "https://solar.example.com/stop/t");
        let signature = links.sign("one");
        assert!(links.is_signed("one", &signature));
        assert!(!links.is_signed("two", &signature));
        assert!(!links.is_signed("one", "!"));
        assert!(!links.is_signed("one", ""));
    }
}
