//! The cryptography of tokens: ring, which TLS uses too, so that a process has one implementation.
//!
//! `jsonwebtoken` has two others, each with every algorithm of the standard. This one has Ed25519,
//! Ed25519, for identity tokens, and HS256.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind, Result, new_error};
use jsonwebtoken::jwk::{EllipticCurve, ThumbprintHash};
use jsonwebtoken::signature::{self, Signer, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, EncodingKey};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use ring::{digest, hmac};

static RING: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| signer(*algorithm, key),
    verifier_factory: |algorithm, key| verifier(*algorithm, key),
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: |_| Err(unsupported()),
        rsa_pub_components_from_public_key: |_| Err(unsupported()),
        ec_pub_components_from_private_key: |_, _| Err(unsupported()),
        ed_pub_components_from_private_key,
        compute_digest: |data, hash| compute_digest(data, &hash),
    },
};

/// Installs ring as the cryptography of `jsonwebtoken` in this process. [`Signer`](super::Signer)
/// and [`Verifier`](super::Verifier) do so themselves; call it before signing tokens of another
/// kind (HS256).
pub fn use_ring() {
    // An error says that a provider was chosen before, which is as good.
    let _ = RING.install_default();
}

/// The key pair of a private key in PKCS#8 DER form, with or without the public key in it.
pub(super) fn key_pair(der: &[u8]) -> Option<Ed25519KeyPair> {
    Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok()
}

fn unsupported() -> Error {
    new_error(ErrorKind::InvalidAlgorithm)
}

fn ed_pub_components_from_private_key(der: &[u8], curve: &EllipticCurve) -> Result<Vec<u8>> {
    if *curve != EllipticCurve::Ed25519 {
        return Err(unsupported());
    }
    let pair = key_pair(der).ok_or_else(|| new_error(ErrorKind::InvalidEddsaKey))?;
    Ok(pair.public_key().as_ref().to_vec())
}

fn compute_digest(data: &[u8], hash: &ThumbprintHash) -> Result<Vec<u8>> {
    let algorithm = match hash {
        ThumbprintHash::SHA256 => &digest::SHA256,
        ThumbprintHash::SHA384 => &digest::SHA384,
        ThumbprintHash::SHA512 => &digest::SHA512,
        _ => return Err(unsupported()),
    };
    Ok(digest::digest(algorithm, data).as_ref().to_vec())
}

fn signer(algorithm: Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    match (algorithm, key.family()) {
        (Algorithm::EdDSA, AlgorithmFamily::Ed) => {
            let pair =
                key_pair(key.as_bytes()).ok_or_else(|| new_error(ErrorKind::InvalidEddsaKey))?;
            Ok(Box::new(Ed25519(pair)))
        }
        (Algorithm::HS256, AlgorithmFamily::Hmac) => {
            Ok(Box::new(Hs256::with_secret(key.as_bytes())))
        }
        (Algorithm::EdDSA | Algorithm::HS256, _) => Err(new_error(ErrorKind::InvalidKeyFormat)),
        _ => Err(unsupported()),
    }
}

fn verifier(algorithm: Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    match (algorithm, key.family()) {
        (Algorithm::EdDSA, AlgorithmFamily::Ed) => Ok(Box::new(Ed25519Public(
            UnparsedPublicKey::new(&ED25519, key.try_get_as_bytes()?.to_vec()),
        ))),
        (Algorithm::HS256, AlgorithmFamily::Hmac) => {
            Ok(Box::new(Hs256::with_secret(key.try_get_as_bytes()?)))
        }
        (Algorithm::EdDSA | Algorithm::HS256, _) => Err(new_error(ErrorKind::InvalidKeyFormat)),
        _ => Err(unsupported()),
    }
}

struct Ed25519(Ed25519KeyPair);

impl Signer<Vec<u8>> for Ed25519 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        Ok(self.0.sign(message).as_ref().to_vec())
    }
}

impl JwtSigner for Ed25519 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

struct Ed25519Public(UnparsedPublicKey<Vec<u8>>);

impl Verifier<Vec<u8>> for Ed25519Public {
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), signature::Error> {
        self.0
            .verify(message, signature)
            .map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Ed25519Public {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

struct Hs256(hmac::Key);

impl Hs256 {
    fn with_secret(secret: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        Ok(hmac::sign(&self.0, message).as_ref().to_vec())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), signature::Error> {
        hmac::verify(&self.0, message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{Header, Validation, decode, encode};
    use serde_json::json;

    use super::*;

    /// The example of RFC 8037, appendix A: key, public key, thumbprint and signature.
    const SEED: [u8; 32] = [
        0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c,
        0xc4, 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae,
        0x7f, 0x60,
    ];
    const MESSAGE: &[u8] = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    const SIGNATURE: &str =
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

    #[test]
    fn ed25519_signs_and_verifies_the_standard_s_example() {
        use_ring();
        let der = super::super::signer::pkcs8(&SEED);
        let signed =
            jsonwebtoken::crypto::sign(MESSAGE, &EncodingKey::from_ed_der(&der), Algorithm::EdDSA)
                .unwrap();
        assert_eq!(signed, SIGNATURE);
        let public =
            DecodingKey::from_ed_components("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
        let verify = |signature| {
            jsonwebtoken::crypto::verify(signature, MESSAGE, &public, Algorithm::EdDSA).unwrap()
        };
        assert!(verify(SIGNATURE));
        assert!(!verify(&SIGNATURE.replace("hgyY", "hgyZ")));
    }

    #[test]
    fn hs256_signs_and_verifies_and_other_algorithms_are_refused() {
        use_ring();
        let key = EncodingKey::from_secret(b"a secret of the demonstration");
        let claims = json!({"sub": "u-1"});
        let token = encode(&Header::new(Algorithm::HS256), &claims, &key).unwrap();
        let mut rules = Validation::new(Algorithm::HS256);
        rules.required_spec_claims.clear();
        rules.validate_exp = false;
        let open = |secret: &[u8]| {
            decode::<serde_json::Value>(&token, &DecodingKey::from_secret(secret), &rules)
        };
        assert_eq!(
            open(b"a secret of the demonstration").unwrap().claims["sub"],
            "u-1"
        );
        assert!(open(b"another secret").is_err());
        assert!(encode(&Header::new(Algorithm::HS384), &claims, &key).is_err());
    }
}
