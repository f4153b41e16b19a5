//! `[credentials]` of the configuration: the keys that users' tokens are encrypted with.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rand::Rng;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, read_secret_file};

/// `[credentials]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialsConfig {
    /// A token with no more than this left is refreshed before it is used.
    pub slack_seconds: u32,
    /// The first encrypts, all decrypt; at least one where there are upstreams.
    pub keys: Vec<KeyConfig>,
}

/// One of `[[credentials.keys]]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyConfig {
    /// What rows call it. Never given to another key.
    pub id: String,
    /// 32 random bytes in base64: `openssl rand -base64 32`.
    #[serde(default, skip_serializing)]
    pub key: Option<SecretString>,
    /// A file that holds it.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
}

impl KeyConfig {
    /// A key.
    pub fn new(id: impl Into<String>, key: SecretString) -> Self {
        Self {
            id: id.into(),
            key: Some(key),
            key_file: None,
        }
    }
}

/// A new key, for the user who keeps one.
pub fn generate_key() -> SecretString {
    let mut bytes = [0_u8; 32];
    rand::rng().fill_bytes(&mut bytes);
    STANDARD.encode(bytes).into()
}

impl Default for CredentialsConfig {
    fn default() -> Self {
        Self {
            slack_seconds: 60,
            keys: Vec::new(),
        }
    }
}

impl Validate for CredentialsConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        self.keys.iter_mut().try_for_each(|key| {
            read_secret_file("key", &mut key.key, key.key_file.as_deref())
                .map_err(|fault| fault.within("keys"))
        })
    }

    fn validate(&self) -> Result<(), Invalid> {
        if self.slack_seconds > 3_600 {
            return Err(Invalid::new("slack_seconds", "must be at most 3600"));
        }
        super::cipher::Cipher::new(self)
            .map(drop)
            .map_err(|error| Invalid::new("keys", error.to_string()))
    }
}
