//! Signed tokens of identity providers: their form, their signature, and the claims that every kind
//! of them has. The algorithms are those that providers use for signing (RFC 7518, RFC 8037);
//! `none` and shared secrets are not among them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The longest token that is looked at, in bytes.
const LONGEST: usize = 32 * 1024;

/// Seconds by which the clocks of provider and bff may differ.
const LEEWAY: i64 = 60;

/// The reason for which a token was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JwtError {
    #[error("the token is not a signed JWT")]
    Malformed,
    #[error("the token's algorithm is not accepted")]
    Algorithm,
    #[error("the token's key is not among the keys of the provider")]
    UnknownKey,
    #[error("the token's signature is not valid")]
    Signature,
    #[error("the token is of another issuer")]
    Issuer,
    #[error("the token is for another audience")]
    Audience,
    #[error("the token has expired")]
    Expired,
    #[error("the token is not valid yet")]
    NotYetValid,
    #[error("the token's nonce is not that of this sign-in")]
    Nonce,
    #[error("the token is of another kind")]
    Kind,
}

/// The public keys of a provider (RFC 7517). Keys of kinds that are not known are skipped.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Keys {
    keys: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
struct Key {
    kty: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default, rename = "use")]
    usage: Option<String>,
    #[serde(default)]
    alg: Option<String>,
    #[serde(default)]
    crv: Option<String>,
    #[serde(default)]
    n: Option<String>,
    #[serde(default)]
    e: Option<String>,
    #[serde(default)]
    x: Option<String>,
    #[serde(default)]
    y: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    typ: Option<String>,
    #[serde(default)]
    crit: Option<Value>,
}

/// A token whose signature is valid.
#[derive(Debug, Clone)]
pub(crate) struct Verified {
    /// `typ` of the header, in lower case.
    pub(crate) kind: Option<String>,
    /// The claims.
    pub(crate) claims: Map<String, Value>,
}

impl Keys {
    /// The kinds of the keys.
    pub(super) fn kinds(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().filter_map(|key| key.get("kty")?.as_str())
    }
}

/// The issuer that a token names. It is not verified: it only chooses the provider that is asked.
pub(crate) fn named_issuer(token: &str) -> Option<String> {
    let (_, payload, _) = parts(token).ok()?;
    let claims: Map<String, Value> = json(payload).ok()?;
    claims.get("iss")?.as_str().map(str::to_owned)
}

/// Verifies the signature of a token.
pub(crate) fn verify(token: &str, keys: &Keys) -> Result<Verified, JwtError> {
    let (head, payload, signature) = parts(token)?;
    let header: Header = json(head)?;
    if header.crit.is_some() {
        return Err(JwtError::Malformed);
    }
    let algorithm = algorithm(&header.alg).ok_or(JwtError::Algorithm)?;
    let candidates = keys.keys.iter().filter_map(|key| {
        let key: Key = serde_json::from_value(key.clone()).ok()?;
        let fits = key.usage.as_deref().is_none_or(|usage| usage == "sig")
            && key.alg.as_ref().is_none_or(|alg| *alg == header.alg)
            && header
                .kid
                .as_ref()
                .is_none_or(|kid| key.kid.as_ref() == Some(kid));
        fits.then_some(key)
    });
    let message = token.get(..head.len() + 1 + payload.len());
    let message = message.ok_or(JwtError::Malformed)?.as_bytes();
    let signature = decode(signature)?;
    let mut outcome = JwtError::UnknownKey;
    for key in candidates {
        match algorithm.verifies(&key, message, &signature) {
            Some(true) => {
                return Ok(Verified {
                    kind: header.typ.map(|kind| kind.to_lowercase()),
                    claims: json(payload)?,
                });
            }
            Some(false) => outcome = JwtError::Signature,
            // The key is for another algorithm.
            None => {}
        }
    }
    Err(outcome)
}

impl Verified {
    /// A claim that is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.claims
            .get(name)?
            .as_str()
            .filter(|text| !text.is_empty())
    }

    /// Whether an audience is among those that the token names.
    pub(crate) fn is_for(&self, audience: &str) -> bool {
        match self.claims.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(several)) => several.iter().any(|one| one == audience),
            _ => false,
        }
    }

    /// Refuses a token of another issuer, for another audience, or out of its time.
    pub(crate) fn check(&self, issuer: &str, audience: &str, now: i64) -> Result<(), JwtError> {
        if self.text("iss") != Some(issuer) {
            return Err(JwtError::Issuer);
        }
        if !self.is_for(audience) {
            return Err(JwtError::Audience);
        }
        let time = |name| self.claims.get(name).and_then(Value::as_f64);
        let now = now as f64;
        let leeway = LEEWAY as f64;
        if time("exp").is_none_or(|end| end + leeway <= now) {
            return Err(JwtError::Expired);
        }
        let early = |name| time(name).is_some_and(|begin| begin - leeway > now);
        if early("nbf") || early("iat") {
            return Err(JwtError::NotYetValid);
        }
        Ok(())
    }

    /// Refuses an ID token that was issued to another client of the provider.
    pub(crate) fn check_party(&self, client_id: &str) -> Result<(), JwtError> {
        let several = self.claims.get("aud").and_then(Value::as_array);
        let several = several.is_some_and(|audiences| audiences.len() > 1);
        match self.text("azp") {
            Some(party) if party != client_id => Err(JwtError::Audience),
            None if several => Err(JwtError::Audience),
            _ => Ok(()),
        }
    }
}

enum Algorithm {
    Rsa(&'static RsaParameters),
    Elliptic {
        curve: &'static str,
        with: &'static dyn VerificationAlgorithm,
    },
    Edwards,
}

fn algorithm(name: &str) -> Option<Algorithm> {
    Some(match name {
        "RS256" => Algorithm::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        "RS384" => Algorithm::Rsa(&RSA_PKCS1_2048_8192_SHA384),
        "RS512" => Algorithm::Rsa(&RSA_PKCS1_2048_8192_SHA512),
        "PS256" => Algorithm::Rsa(&RSA_PSS_2048_8192_SHA256),
        "PS384" => Algorithm::Rsa(&RSA_PSS_2048_8192_SHA384),
        "PS512" => Algorithm::Rsa(&RSA_PSS_2048_8192_SHA512),
        "ES256" => Algorithm::Elliptic {
            curve: "P-256",
            with: &ECDSA_P256_SHA256_FIXED,
        },
        "ES384" => Algorithm::Elliptic {
            curve: "P-384",
            with: &ECDSA_P384_SHA384_FIXED,
        },
        "EdDSA" | "Ed25519" => Algorithm::Edwards,
        _ => return None,
    })
}

impl Algorithm {
    /// Whether a key verifies the signature; `None` for a key of another kind.
    fn verifies(&self, key: &Key, message: &[u8], signature: &[u8]) -> Option<bool> {
        match self {
            Self::Rsa(parameters) if key.kty == "RSA" => {
                let (n, e) = (bytes(key.n.as_ref())?, bytes(key.e.as_ref())?);
                let key = RsaPublicKeyComponents { n, e };
                Some(key.verify(parameters, message, signature).is_ok())
            }
            Self::Elliptic { curve, with }
                if key.kty == "EC" && key.crv.as_deref() == Some(curve) =>
            {
                // An uncompressed point.
                let (x, y) = (bytes(key.x.as_ref())?, bytes(key.y.as_ref())?);
                let point = [&[4], &x[..], &y[..]].concat();
                let key = UnparsedPublicKey::new(*with, point);
                Some(key.verify(message, signature).is_ok())
            }
            Self::Edwards if key.kty == "OKP" && key.crv.as_deref() == Some("Ed25519") => {
                let key = UnparsedPublicKey::new(&ED25519, bytes(key.x.as_ref())?);
                Some(key.verify(message, signature).is_ok())
            }
            _ => None,
        }
    }
}

fn parts(token: &str) -> Result<(&str, &str, &str), JwtError> {
    let mut parts = token.split('.');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(head), Some(payload), Some(signature), None) if token.len() <= LONGEST => {
            Ok((head, payload, signature))
        }
        _ => Err(JwtError::Malformed),
    }
}

fn json<T: for<'de> Deserialize<'de>>(part: &str) -> Result<T, JwtError> {
    serde_json::from_slice(&decode(part)?).map_err(|_not_json| JwtError::Malformed)
}

fn decode(part: &str) -> Result<Vec<u8>, JwtError> {
    URL_SAFE_NO_PAD
        .decode(part)
        .map_err(|_not_base64| JwtError::Malformed)
}

fn bytes(text: Option<&String>) -> Option<Vec<u8>> {
    decode(text?).ok()
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
    use serde_json::json;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn encoded(bytes: &[u8]) -> String {
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// A token with this header and these claims, signed by `sign`.
    fn token(header: &Value, claims: &Value, sign: impl Fn(&[u8]) -> Vec<u8>) -> String {
        let message = format!(
            "{}.{}",
            encoded(header.to_string().as_bytes()),
            encoded(claims.to_string().as_bytes())
        );
        let signature = sign(message.as_bytes());
        format!("{message}.{}", encoded(&signature))
    }

    fn claims() -> Value {
        json!({ "iss": "https://id", "aud": "client", "sub": "s", "exp": NOW + 60, "iat": NOW })
    }

    #[test]
    fn signatures_of_elliptic_and_edwards_keys_are_verified() {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap();
        let point = pair.public_key().as_ref();
        let elliptic = json!({ "kty": "EC", "crv": "P-256", "kid": "e", "x": encoded(&point[1..33]), "y": encoded(&point[33..]) });
        let signed = token(
            &json!({ "alg": "ES256", "kid": "e" }),
            &claims(),
            |message| pair.sign(&random, message).unwrap().as_ref().to_vec(),
        );
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let edwards = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
        let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "d", "x": encoded(edwards.public_key().as_ref()) });
        let keys =
            |keys: &[&Value]| -> Keys { serde_json::from_value(json!({ "keys": keys })).unwrap() };
        let both = keys(&[&json!({ "kty": "new" }), &elliptic, &key]);
        assert!(verify(&signed, &both).is_ok());
        assert_eq!(
            verify(&signed, &keys(&[&key])).unwrap_err(),
            JwtError::UnknownKey
        );
        let sign = |message: &[u8]| edwards.sign(message).as_ref().to_vec();
        let good = token(&json!({ "alg": "EdDSA" }), &claims(), sign);
        assert!(verify(&good, &both).is_ok());
        let (message, _) = good.rsplit_once('.').unwrap();
        let broken = format!("{message}.{}", encoded(&[0; 64]));
        assert_eq!(verify(&broken, &both).unwrap_err(), JwtError::Signature);
        for (header, error) in [
            (json!({ "alg": "none" }), JwtError::Algorithm),
            (json!({ "alg": "HS256" }), JwtError::Algorithm),
            (
                json!({ "alg": "EdDSA", "crit": ["b64"] }),
                JwtError::Malformed,
            ),
            (
                json!({ "alg": "EdDSA", "kid": "other" }),
                JwtError::UnknownKey,
            ),
            (json!({ "alg": "ES256", "kid": "d" }), JwtError::UnknownKey),
        ] {
            let forged = token(&header, &claims(), sign);
            assert_eq!(verify(&forged, &both).unwrap_err(), error, "{header}");
        }
        for text in ["", "a.b", "a.b.c.d", "!.!.!"] {
            assert_eq!(
                verify(text, &both).unwrap_err(),
                JwtError::Malformed,
                "{text}"
            );
        }
    }

    #[test]
    fn issuer_audience_time_and_party_are_checked() {
        let verified = |change: Value| {
            let mut all = claims();
            for (name, value) in change.as_object().unwrap() {
                all[name] = value.clone();
            }
            Verified {
                kind: None,
                claims: all.as_object().unwrap().clone(),
            }
        };
        let check = |change| verified(change).check("https://id", "client", NOW);
        assert_eq!(check(json!({})), Ok(()));
        assert_eq!(check(json!({ "aud": ["other", "client"] })), Ok(()));
        for (change, error) in [
            (json!({ "iss": "https://id/" }), JwtError::Issuer),
            (json!({ "iss": null }), JwtError::Issuer),
            (json!({ "aud": "other" }), JwtError::Audience),
            (json!({ "aud": [] }), JwtError::Audience),
            (json!({ "exp": NOW - 60 }), JwtError::Expired),
            (json!({ "exp": null }), JwtError::Expired),
            (json!({ "nbf": NOW + 61 }), JwtError::NotYetValid),
            (json!({ "iat": NOW + 61 }), JwtError::NotYetValid),
        ] {
            assert_eq!(check(change.clone()), Err(error), "{change}");
        }
        let party = |change| verified(change).check_party("client");
        assert_eq!(party(json!({ "azp": "other" })), Err(JwtError::Audience));
        assert_eq!(
            party(json!({ "aud": ["client", "b"] })),
            Err(JwtError::Audience)
        );
        assert_eq!(
            party(json!({ "aud": ["client", "b"], "azp": "client" })),
            Ok(())
        );
    }
}
