//! Opaque secrets, held by a browser or client, and their stored hashes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::Rng;
use secrecy::SecretString;
use sha2::{Digest, Sha256};

/// 256 random bits, in letters that need no quoting.
pub(crate) fn generate() -> SecretString {
    let mut bytes = [0_u8; 32];
    rand::rng().fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes).into()
}

/// The stored hash of a secret. The secret is random and long, so a plain hash cannot be guessed
/// back.
pub(crate) fn hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn secrets_are_long_and_differ() {
        let (one, other) = (generate(), generate());
        assert_eq!(one.expose_secret().len(), 43);
        assert_ne!(one.expose_secret(), other.expose_secret());
        assert_ne!(hash(one.expose_secret()), hash(other.expose_secret()));
    }
}
