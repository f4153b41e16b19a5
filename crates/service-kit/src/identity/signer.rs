//! Making tokens.

use chrono::{DateTime, TimeDelta, Utc};
use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use jsonwebtoken::jwk::{Jwk, JwkSet, KeyAlgorithm, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, encode};
use secrecy::{ExposeSecret, SecretString};

use super::{Claims, KeyError, TOKEN_LIFETIME_SECONDS};
use crate::clock::{SharedClock, SharedIds};

/// Signs identity tokens with one Ed25519 key.
pub struct Signer {
    key: SigningKey,
    encoding_key: EncodingKey,
    jwk: Jwk,
    key_id: String,
    issuer: String,
    clock: SharedClock,
    ids: SharedIds,
}

/// Whom a token is for.
#[derive(Debug, Clone, Copy)]
pub struct TokenRequest<'a> {
    /// The user.
    pub subject: &'a str,
    /// The user's tenant.
    pub tenant: &'a str,
    /// What the user may do.
    pub scopes: &'a [&'a str],
    /// The services that the token is meant for.
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
        Self::new(SigningKey::generate(&mut rand::rng()), issuer, clock, ids)
    }

    /// A signer with the key of [`Self::to_pem`] or `openssl genpkey -algorithm ed25519`.
    pub fn from_pem(
        pem: &SecretString,
        issuer: &str,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, KeyError> {
        let key =
            SigningKey::from_pkcs8_pem(pem.expose_secret()).map_err(|_| KeyError::PrivateKey)?;
        Self::new(key, issuer, clock, ids)
    }

    /// The private key in PKCS#8 PEM form.
    pub fn to_pem(&self) -> Result<SecretString, KeyError> {
        let pem = self
            .key
            .to_pkcs8_pem(LineEnding::LF)
            .map_err(|_| KeyError::PrivateKey)?;
        Ok(pem.as_str().into())
    }

    /// The public key, as a set to publish. During a rotation, push the other signer's keys onto it.
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
        self.sign_claims(request, None, None)
    }

    /// The same with the name that the user is called by, and with the session that the token was issued under:
    /// [`Identity::session`](super::Identity::session).
    pub fn sign_as(
        &self,
        request: TokenRequest<'_>,
        name: Option<&str>,
        session: Option<&str>,
    ) -> Result<IdentityToken, KeyError> {
        self.sign_claims(request, name, session)
    }

    /// The same, with the session that the token was issued under: [`Identity::session`](super::Identity::session).
    pub fn sign_for_session(
        &self,
        request: TokenRequest<'_>,
        session: &str,
    ) -> Result<IdentityToken, KeyError> {
        self.sign_claims(request, None, Some(session))
    }

    fn sign_claims(
        &self,
        request: TokenRequest<'_>,
        name: Option<&str>,
        session: Option<&str>,
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
        key: SigningKey,
        issuer: &str,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, KeyError> {
        let der = key.to_pkcs8_der().map_err(|_| KeyError::PrivateKey)?;
        let public = DecodingKey::from_ed_der(key.verifying_key().as_bytes());
        let mut jwk = Jwk::from_decoding_key(&public, Some(Algorithm::EdDSA))?;
        let key_id = jwk.thumbprint(ThumbprintHash::SHA256)?;
        jwk.common.key_id = Some(key_id.clone());
        jwk.common.key_algorithm = Some(KeyAlgorithm::EdDSA);
        jwk.common.public_key_use = Some(PublicKeyUse::Signature);
        Ok(Self {
            encoding_key: EncodingKey::from_ed_der(der.as_bytes()),
            key,
            jwk,
            key_id,
            issuer: issuer.to_owned(),
            clock,
            ids,
        })
    }
}
