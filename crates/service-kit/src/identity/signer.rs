//! Making tokens.

use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::jwk::{Jwk, JwkSet, KeyAlgorithm, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, encode};
use pem::{EncodeConfig, LineEnding, Pem};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::KeyPair;
use secrecy::{ExposeSecret, ExposeSecretMut, SecretBox, SecretString};

use super::{Claims, KeyError, Standing, TOKEN_LIFETIME_SECONDS, crypto};
use crate::clock::{SharedClock, SharedIds};

/// The label of a private key in PKCS#8 PEM form.
const PEM_LABEL: &str = "PRIVATE KEY";

/// The prefix of an Ed25519 key's 32 bytes in PKCS#8 DER form (RFC 8410).
const PKCS8_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// Signs identity tokens with one Ed25519 key.
pub struct Signer {
    pem: SecretString,
    encoding_key: EncodingKey,
    jwk: Jwk,
    key_id: String,
    issuer: String,
    clock: SharedClock,
    ids: SharedIds,
}

/// The claims of a new token.
#[derive(Debug, Clone, Copy)]
pub struct TokenRequest<'a> {
    /// The user.
    pub subject: &'a str,
    /// The user's tenant.
    pub tenant: &'a str,
    /// The scopes that the user has.
    pub scopes: &'a [&'a str],
    /// The services that the token is intended for.
    pub audience: &'a [&'a str],
}

/// A signed token.
#[derive(Debug, Clone)]
pub struct IdentityToken {
    /// The token, for an `Authorization: Bearer` header.
    pub token: SecretString,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
}

impl Signer {
    /// A signer with a new key.
    pub fn generate(issuer: &str, clock: SharedClock, ids: SharedIds) -> Result<Self, KeyError> {
        let mut seed = SecretBox::new(Box::new([0; 32]));
        SystemRandom::new()
            .fill(seed.expose_secret_mut())
            .map_err(|_| KeyError::Random)?;
        let der = pkcs8(seed.expose_secret());
        Self::new(der, issuer, clock, ids)
    }

    /// A signer with the key of [`Self::to_pem`] or `openssl genpkey -algorithm ed25519`.
    pub fn from_pem(
        pem: &SecretString,
        issuer: &str,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, KeyError> {
        let parsed = pem::parse(pem.expose_secret()).map_err(|_| KeyError::PrivateKey)?;
        if parsed.tag() != PEM_LABEL {
            return Err(KeyError::PrivateKey);
        }
        Self::new(parsed.into_contents(), issuer, clock, ids)
    }

    /// The private key in PKCS#8 PEM form.
    pub fn to_pem(&self) -> SecretString {
        self.pem.clone()
    }

    /// The public key, as a set to publish. During a rotation, push the other signer's keys onto
    /// it.
    pub fn key_set(&self) -> JwkSet {
        JwkSet {
            keys: vec![self.jwk.clone()],
        }
    }

    /// The key's id: the thumbprint of RFC 7638.
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    /// Signs a token that is good for [`TOKEN_LIFETIME_SECONDS`].
    pub fn sign(&self, request: TokenRequest<'_>) -> Result<IdentityToken, KeyError> {
        self.sign_claims(request, None, None, Standing::default())
    }

    /// The same with the name that the user is called by, and with the session that the token was
    /// issued under: [`Identity::session`](super::Identity::session).
    pub fn sign_as(
        &self,
        request: TokenRequest<'_>,
        name: Option<&str>,
        session: Option<&str>,
    ) -> Result<IdentityToken, KeyError> {
        self.sign_claims(request, name, session, Standing::default())
    }

    /// The same for a user of this standing.
    pub fn sign_person(
        &self,
        request: TokenRequest<'_>,
        name: &str,
        session: Option<&str>,
        standing: Standing,
    ) -> Result<IdentityToken, KeyError> {
        self.sign_claims(request, Some(name), session, standing)
    }

    fn sign_claims(
        &self,
        request: TokenRequest<'_>,
        name: Option<&str>,
        session: Option<&str>,
        standing: Standing,
    ) -> Result<IdentityToken, KeyError> {
        let now = self.clock.now();
        let expires_at = now + TimeDelta::seconds(TOKEN_LIFETIME_SECONDS);
        let claims = Claims {
            iss: self.issuer.clone(),
            sub: request.subject.to_owned(),
            name: name.map(str::to_owned),
            tenant: request.tenant.to_owned(),
            scope: request.scopes.join(" "),
            aud: request
                .audience
                .iter()
                .map(|audience| (*audience).to_owned())
                .collect(),
            iat: now.timestamp(),
            exp: expires_at.timestamp(),
            nbf: None,
            jti: self.ids.new_id().to_string(),
            sid: session.map(str::to_owned),
            role: standing.role,
            groups: standing.groups,
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.key_id.clone());
        let token = encode(&header, &claims, &self.encoding_key)?;
        Ok(IdentityToken {
            token: token.into(),
            expires_at,
        })
    }

    fn new(
        der: Vec<u8>,
        issuer: &str,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, KeyError> {
        crypto::use_ring();
        let pair = crypto::key_pair(&der).ok_or(KeyError::PrivateKey)?;
        let public = DecodingKey::from_ed_der(pair.public_key().as_ref());
        let mut jwk = Jwk::from_decoding_key(&public, Some(Algorithm::EdDSA))?;
        let key_id = jwk.thumbprint(ThumbprintHash::SHA256)?;
        jwk.common.key_id = Some(key_id.clone());
        jwk.common.key_algorithm = Some(KeyAlgorithm::EdDSA);
        jwk.common.public_key_use = Some(PublicKeyUse::Signature);
        Ok(Self {
            encoding_key: EncodingKey::from_ed_der(&der),
            pem: pem::encode_config(
                &Pem::new(PEM_LABEL, der),
                EncodeConfig::new().set_line_ending(LineEnding::LF),
            )
            .into(),
            jwk,
            key_id,
            issuer: issuer.to_owned(),
            clock,
            ids,
        })
    }
}

/// A key's 32 bytes in PKCS#8 DER form.
pub(super) fn pkcs8(seed: &[u8; 32]) -> Vec<u8> {
    [PKCS8_PREFIX.as_slice(), seed].concat()
}
