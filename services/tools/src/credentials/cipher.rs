//! AES-256-GCM over what is stored: a random nonce each time, bound to whose and what for it is,
//! with keys that can be changed.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rand::Rng;
use secrecy::ExposeSecret;

use super::Owner;
use super::config::{CredentialsConfig, KeyConfig};

/// What GCM takes.
const NONCE_BYTES: usize = 12;

/// A key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// There are upstreams and no key to keep credentials with.
    #[error(
        "there are upstreams, and no key to encrypt credentials with: set [[credentials.keys]]"
    )]
    Missing,
    /// It is not 32 bytes of base64.
    #[error("the key `{0}` is not 32 bytes in base64")]
    Length(String),
    /// Two have the same id.
    #[error("two keys are called `{0}`")]
    Twice(String),
}

/// Encrypts with the newest key, decrypts with any.
pub(crate) struct Cipher {
    newest: NamedKey,
    older: Vec<NamedKey>,
}

struct NamedKey {
    id: String,
    cipher: Aes256Gcm,
}

/// The stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) key_id: String,
    pub(crate) nonce: Vec<u8>,
    pub(crate) ciphertext: Vec<u8>,
}

impl Cipher {
    /// The keys of a configuration; `None` when there are none.
    pub(crate) fn new(config: &CredentialsConfig) -> Result<Option<Self>, KeyError> {
        for (index, key) in config.keys.iter().enumerate() {
            if config.keys[..index].iter().any(|other| other.id == key.id) {
                return Err(KeyError::Twice(key.id.clone()));
            }
        }
        let keys: Vec<NamedKey> = config.keys.iter().map(named).collect::<Result<_, _>>()?;
        let mut keys = keys.into_iter();
        Ok(keys.next().map(|newest| Self {
            newest,
            older: keys.collect(),
        }))
    }

    /// Encrypts for this owner and upstream alone. `None` only for more than GCM takes.
    pub(super) fn seal(&self, owner: &Owner, upstream: &str, plain: &[u8]) -> Option<Sealed> {
        self.seal_for(&of_owner(owner, upstream), plain)
    }

    /// Encrypts for this purpose alone: the parts of its name, no two purposes alike.
    pub(crate) fn seal_for(&self, purpose: &[&str], plain: &[u8]) -> Option<Sealed> {
        let mut nonce = [0_u8; NONCE_BYTES];
        rand::rng().fill_bytes(&mut nonce);
        let aad = bound_to(purpose);
        let payload = Payload {
            msg: plain,
            aad: &aad,
        };
        let ciphertext = self
            .newest
            .cipher
            .encrypt(&Nonce::from(nonce), payload)
            .ok()?;
        Some(Sealed {
            key_id: self.newest.id.clone(),
            nonce: nonce.to_vec(),
            ciphertext,
        })
    }

    /// Decrypts; `None` when the key is not here any more, or the row was not made for this owner
    /// and upstream.
    pub(super) fn open(&self, owner: &Owner, upstream: &str, sealed: &Sealed) -> Option<Vec<u8>> {
        self.open_for(&of_owner(owner, upstream), sealed)
    }

    /// Decrypts what was encrypted for this purpose; `None` when the key is not here any more, or
    /// the purpose is another.
    pub(crate) fn open_for(&self, purpose: &[&str], sealed: &Sealed) -> Option<Vec<u8>> {
        let mut keys = std::iter::once(&self.newest).chain(&self.older);
        let key = keys.find(|key| key.id == sealed.key_id)?;
        let nonce: [u8; NONCE_BYTES] = sealed.nonce.as_slice().try_into().ok()?;
        let aad = bound_to(purpose);
        let payload = Payload {
            msg: &sealed.ciphertext,
            aad: &aad,
        };
        key.cipher.decrypt(&Nonce::from(nonce), payload).ok()
    }

    /// Whether it was encrypted with a key that is on its way out.
    pub(crate) fn is_old(&self, sealed: &Sealed) -> bool {
        sealed.key_id != self.newest.id
    }
}

fn named(config: &KeyConfig) -> Result<NamedKey, KeyError> {
    let length = || KeyError::Length(config.id.clone());
    let text = config.key.as_ref().ok_or_else(length)?.expose_secret();
    let bytes = STANDARD.decode(text.trim()).map_err(|_| length())?;
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| length())?;
    Ok(NamedKey {
        id: config.id.clone(),
        cipher: Aes256Gcm::new(&Key::<Aes256Gcm>::from(bytes)),
    })
}

/// A credential's purpose: three parts.
fn of_owner<'a>(owner: &'a Owner, upstream: &'a str) -> [&'a str; 3] {
    [&owner.tenant, &owner.subject, upstream]
}

/// JSON, so that no two lists read the same.
fn bound_to(purpose: &[&str]) -> Vec<u8> {
    serde_json::json!(purpose).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(keys: &[(&str, u8)]) -> CredentialsConfig {
        let keys = keys.iter().map(|(id, byte)| KeyConfig {
            id: (*id).to_owned(),
            key: Some(STANDARD.encode([*byte; 32]).into()),
            key_file: None,
        });
        CredentialsConfig {
            keys: keys.collect(),
            ..CredentialsConfig::default()
        }
    }

    fn cipher(keys: &[(&str, u8)]) -> Cipher {
        Cipher::new(&config(keys)).unwrap().unwrap()
    }

    fn owner(tenant: &str, subject: &str) -> Owner {
        Owner {
            tenant: tenant.to_owned(),
            subject: subject.to_owned(),
        }
    }

    #[test]
    fn only_the_same_owner_and_upstream_can_open_it() {
        let cipher = cipher(&[("a", 1)]);
        let ada = owner("demo", "ada");
        let sealed = cipher.seal(&ada, "there", b"secret").unwrap();
        assert_eq!(cipher.open(&ada, "there", &sealed).unwrap(), b"secret");
        assert_eq!(cipher.open(&ada, "elsewhere", &sealed), None);
        assert_eq!(cipher.open(&owner("demo", "eve"), "there", &sealed), None);
        assert_eq!(cipher.open(&owner("rival", "ada"), "there", &sealed), None);
        let mut forged = sealed.clone();
        forged.ciphertext[0] ^= 1;
        assert_eq!(cipher.open(&ada, "there", &forged), None);
        let again = cipher.seal(&ada, "there", b"secret").unwrap();
        assert_ne!(
            (again.nonce, again.ciphertext),
            (sealed.nonce, sealed.ciphertext)
        );
    }

    #[test]
    fn the_first_key_encrypts_and_all_decrypt() {
        let ada = owner("demo", "ada");
        let old = cipher(&[("a", 1)]).seal(&ada, "there", b"secret").unwrap();
        let both = cipher(&[("b", 2), ("a", 1)]);
        assert_eq!(both.open(&ada, "there", &old).unwrap(), b"secret");
        assert!(both.is_old(&old));
        let new = both.seal(&ada, "there", b"secret").unwrap();
        assert_eq!(new.key_id, "b");
        assert_eq!(cipher(&[("b", 2)]).open(&ada, "there", &old), None);
    }

    #[test]
    fn keys_that_are_none_are_refused() {
        assert!(Cipher::new(&config(&[])).unwrap().is_none());
        assert!(matches!(
            Cipher::new(&config(&[("a", 1), ("a", 2)])),
            Err(KeyError::Twice(_))
        ));
        for key in ["", "c2hvcnQ=", "not base64!"] {
            let mut config = config(&[("a", 1)]);
            config.keys[0].key = Some(key.into());
            assert!(
                matches!(Cipher::new(&config), Err(KeyError::Length(_))),
                "{key}"
            );
        }
    }
}
