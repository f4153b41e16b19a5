//! The demonstration's own tokens: HS256, an hour, for one user.

use http::HeaderValue;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use service_kit::clock::SharedClock;
use sha2::{Digest, Sha256};

/// Who signs them.
pub(super) const ISSUER: &str = "climate-advisor-service";

/// Lifetime of a token.
pub(super) const LIFETIME_SECONDS: i64 = 3_600;

/// Issues and checks tokens.
pub(super) struct Tokens {
    /// The service key's digest: comparing digests does not reveal the key by its duration.
    key: [u8; 32],
    signing: EncodingKey,
    verifying: DecodingKey,
    audience: String,
    clock: SharedClock,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    sub: String,
    role: String,
    iss: String,
    issued_by: String,
    aud: String,
    iat: i64,
    exp: i64,
}

impl Tokens {
    pub(super) fn new(service_key: &SecretString, audience: &str, clock: SharedClock) -> Self {
        service_kit::identity::use_ring();
        let key = service_key.expose_secret().as_bytes();
        let mut secret = Sha256::new();
        secret.update(b"the demonstration signs with ");
        secret.update(key);
        let secret = secret.finalize();
        Self {
            key: Sha256::digest(key).into(),
            signing: EncodingKey::from_secret(&secret),
            verifying: DecodingKey::from_secret(&secret),
            audience: audience.to_owned(),
            clock,
        }
    }

    /// Whether a header holds the service key.
    pub(super) fn is_key(&self, shown: Option<&HeaderValue>) -> bool {
        let digest: Option<[u8; 32]> = shown.map(|shown| Sha256::digest(shown.as_bytes()).into());
        digest == Some(self.key)
    }

    /// A token for a user.
    pub(super) fn issue(&self, user: &str, role: &str) -> Option<String> {
        let now = self.clock.now().timestamp();
        let claims = Claims {
            sub: user.to_owned(),
            role: role.to_owned(),
            iss: ISSUER.to_owned(),
            issued_by: ISSUER.to_owned(),
            aud: self.audience.clone(),
            iat: now,
            exp: now + LIFETIME_SECONDS,
        };
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.signing).ok()
    }

    /// The user whose token a header holds.
    pub(super) fn verify(&self, header: Option<&HeaderValue>) -> Option<String> {
        let token = header?.to_str().ok()?.strip_prefix("Bearer ")?;
        let mut rules = Validation::new(Algorithm::HS256);
        rules.set_audience(&[&self.audience]);
        rules.set_issuer(&[ISSUER]);
        // Checked below, by this service's clock.
        rules.validate_exp = false;
        let token = jsonwebtoken::decode::<Claims>(token, &self.verifying, &rules).ok()?;
        (self.clock.now().timestamp() < token.claims.exp).then_some(token.claims.sub)
    }
}
