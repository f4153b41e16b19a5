//! The secrets of the demonstration.

use rand::distr::{Alphanumeric, SampleString};
use serde::{Deserialize, Serialize};

use crate::Error;

/// The key of the encrypted columns and the password of the read-only role. `Debug` hides both.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secrets {
    /// The key for `AES_ENCRYPT` and `AES_DECRYPT`.
    pub aes_key: String,
    /// The password of the read-only role.
    pub reader_password: String,
}

impl Secrets {
    /// Generates new secrets.
    pub fn random() -> Self {
        let text = || Alphanumeric.sample_string(&mut rand::rng(), 32);
        Self {
            aes_key: text(),
            reader_password: text(),
        }
    }

    /// Secrets appear in statements and addresses, so characters with a meaning there are rejected.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for (text, what) in [
            (&self.aes_key, "the key"),
            (&self.reader_password, "the password"),
        ] {
            plain(text, what)?;
        }
        Ok(())
    }
}

/// Rejects a text that would need quoting.
pub(crate) fn plain(text: &str, what: &'static str) -> Result<(), Error> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !text.is_empty() && text.chars().all(fits) {
        Ok(())
    } else {
        Err(Error::NotPlain(what))
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}
