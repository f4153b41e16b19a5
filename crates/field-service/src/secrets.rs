//! What keeps the demonstration's data from others.

use rand::distr::{Alphanumeric, SampleString};
use serde::{Deserialize, Serialize};

use crate::Error;

/// The key of the encrypted columns and the password of the role that reads. Kept out of `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secrets {
    /// What `AES_ENCRYPT` and `AES_DECRYPT` are given.
    pub aes_key: String,
    /// The password of the role that reads.
    pub reader_password: String,
}

impl Secrets {
    /// New ones.
    pub fn random() -> Self {
        let text = || Alphanumeric.sample_string(&mut rand::rng(), 32);
        Self {
            aes_key: text(),
            reader_password: text(),
        }
    }

    /// They stand in statements and addresses, so that they may have no letters that mean something there.
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

/// Refuses what would have to be quoted.
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
