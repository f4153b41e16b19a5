//! `[identity_renewal]`: who issues identity tokens for runs that outlive theirs.

use std::path::PathBuf;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, http_url, read_secret_file, strong_secret};

/// `[identity_renewal]`. Without it a run has the token that it came with and no other.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenewalConfig {
    /// The URL of the token endpoint.
    pub url: Option<String>,
    /// What this service shows there.
    #[serde(default, skip_serializing)]
    pub secret: Option<SecretString>,
    /// A file that holds the secret.
    pub secret_file: Option<PathBuf>,
}

impl Validate for RenewalConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("secret", &mut self.secret, self.secret_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        match (&self.url, &self.secret) {
            (Some(url), Some(secret)) => {
                http_url("url", url)?;
                strong_secret("secret", secret)
            }
            (Some(_), None) => Err(Invalid::new("secret", "is missing beside `url`")),
            (None, Some(_)) => Err(Invalid::new("url", "is missing beside `secret`")),
            (None, None) => Ok(()),
        }
    }
}
