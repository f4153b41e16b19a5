//! Signing keys as they are stored: in plain text, or encrypted with a key that is not in the
//! database.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rand::Rng;
use secrecy::{ExposeSecret, SecretString};

/// The prefix of an encrypted key; one in plain text begins as PEM does.
const ENCRYPTED: &str = "aes-256-gcm:";

/// What GCM takes.
const NONCE_BYTES: usize = 12;

/// A stored signing key cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CipherError {
    /// It is encrypted, and there is no key.
    #[error(
        "the signing key {0} is encrypted: set signing.encryption_key or signing.encryption_key_file"
    )]
    NoKey(String),
    /// It is encrypted with another key.
    #[error("the signing key {0} was not encrypted with the key of signing.encryption_key")]
    OtherKey(String),
    /// It could not be encrypted.
    #[error("the signing key {0} cannot be encrypted")]
    Failed(String),
}

/// Encrypts with AES-256-GCM, or leaves as it is where no key is configured.
pub(crate) struct Cipher(Option<Aes256Gcm>);

impl Cipher {
    pub(crate) fn new(key: Option<&SecretString>) -> Self {
        // The configuration was checked.
        let key = key.and_then(|text| encryption_key(text.expose_secret()));
        Self(key.map(|bytes| Aes256Gcm::new(&Key::<Aes256Gcm>::from(bytes))))
    }

    /// Whether there is a key to encrypt with.
    pub(crate) fn has_key(&self) -> bool {
        self.0.is_some()
    }

    /// The stored form of a key.
    pub(crate) fn seal(
        &self,
        key_id: &str,
        pem: &SecretString,
    ) -> Result<SecretString, CipherError> {
        let Some(cipher) = &self.0 else {
            return Ok(pem.clone());
        };
        let mut nonce = [0_u8; NONCE_BYTES];
        rand::rng().fill_bytes(&mut nonce);
        let payload = Payload {
            msg: pem.expose_secret().as_bytes(),
            aad: key_id.as_bytes(),
        };
        let sealed = cipher
            .encrypt(&Nonce::from(nonce), payload)
            .map_err(|_| CipherError::Failed(key_id.to_owned()))?;
        let bytes = [nonce.as_slice(), &sealed].concat();
        Ok(format!("{ENCRYPTED}{}", STANDARD.encode(bytes)).into())
    }

    /// The key in what is stored of it.
    pub(crate) fn open(
        &self,
        key_id: &str,
        stored: &SecretString,
    ) -> Result<SecretString, CipherError> {
        let Some(sealed) = stored.expose_secret().strip_prefix(ENCRYPTED) else {
            return Ok(stored.clone());
        };
        let Some(cipher) = &self.0 else {
            return Err(CipherError::NoKey(key_id.to_owned()));
        };
        let other_key = || CipherError::OtherKey(key_id.to_owned());
        let bytes = STANDARD.decode(sealed).map_err(|_| other_key())?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_BYTES).ok_or_else(other_key)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| other_key())?;
        let payload = Payload {
            msg: sealed,
            aad: key_id.as_bytes(),
        };
        let plain = cipher
            .decrypt(&Nonce::from(nonce), payload)
            .map_err(|_| other_key())?;
        let plain = String::from_utf8(plain).map_err(|_| other_key())?;
        Ok(plain.into())
    }

    /// Whether it is stored in plain text although there is a key.
    pub(super) fn is_due(&self, stored: &SecretString) -> bool {
        self.0.is_some() && !stored.expose_secret().starts_with(ENCRYPTED)
    }
}

/// 32 bytes in base64.
pub(crate) fn encryption_key(text: &str) -> Option<[u8; 32]> {
    STANDARD.decode(text.trim()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cipher(byte: u8) -> Cipher {
        Cipher::new(Some(&STANDARD.encode([byte; 32]).into()))
    }

    #[test]
    fn an_encrypted_key_opens_with_its_own_encryption_key_under_its_own_id_alone() {
        let pem = SecretString::from("-----BEGIN PRIVATE KEY-----");
        let sealed = cipher(1).seal("a", &pem).unwrap();
        assert!(!sealed.expose_secret().contains("PRIVATE"));
        let opened = cipher(1).open("a", &sealed).unwrap();
        assert_eq!(opened.expose_secret(), pem.expose_secret());
        assert!(matches!(
            cipher(2).open("a", &sealed),
            Err(CipherError::OtherKey(_))
        ));
        assert!(matches!(
            cipher(1).open("b", &sealed),
            Err(CipherError::OtherKey(_))
        ));
        assert!(matches!(
            Cipher::new(None).open("a", &sealed),
            Err(CipherError::NoKey(_))
        ));
    }

    #[test]
    fn without_an_encryption_key_a_key_is_stored_as_it_is() {
        let pem = SecretString::from("-----BEGIN PRIVATE KEY-----");
        let none = Cipher::new(None);
        let stored = none.seal("a", &pem).unwrap();
        assert_eq!(stored.expose_secret(), pem.expose_secret());
        assert!(!none.is_due(&stored) && cipher(1).is_due(&stored));
        let opened = cipher(1).open("a", &stored).unwrap();
        assert_eq!(opened.expose_secret(), pem.expose_secret());
    }
}
