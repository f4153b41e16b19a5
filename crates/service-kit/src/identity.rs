//! Identity: short-lived tokens, signed by the bff and verified by all other services.
//!
//! A token is a JWT signed with Ed25519: issuer, subject, tenant, scopes, audiences. [`Signer`]
//! makes them, [`Verifier`] takes them with only the signer's public key set, and [`protect`] is in
//! front of a router. There is no way to run without: development generates a key.

mod crypto;
mod middleware;
mod signer;
mod verifier;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

pub use crypto::use_ring;
pub use jsonwebtoken::jwk::JwkSet;
pub use middleware::{Caller, PUBLIC_ROUTES, protect};
pub use signer::{IdentityToken, Signer, TokenRequest};
pub use verifier::{KeySource, TokenError, Verifier};

use crate::problem::ApiError;

/// Time that an identity token is good for.
pub const TOKEN_LIFETIME_SECONDS: i64 = 300;

/// The path of a signer's key set.
pub const KEY_SET_PATH: &str = "/.well-known/jwks.json";

/// Something went wrong with a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The text is no Ed25519 private key in PKCS#8 PEM.
    #[error("not an Ed25519 private key in PKCS#8 PEM form")]
    PrivateKey,
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for a new key")]
    Random,
    /// The library refused the key.
    #[error("the key cannot be used")]
    Library(#[from] jsonwebtoken::errors::Error),
    /// No source of keys is configured.
    #[error("no key set: set identity.key_set_url or identity.key_set_file")]
    NoSource,
    /// The key set's file cannot be read.
    #[error("the key set {path} cannot be read")]
    File {
        /// The file that was read.
        path: std::path::PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The key set is not one.
    #[error("the key set cannot be parsed")]
    Parse(#[from] serde_json::Error),
}

/// A caller whose token was verified.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The user.
    pub subject: String,
    /// The user's name, for people; `None` in a token that has none.
    pub name: Option<String>,
    /// The tenant whose data the user may see; every query filters by it.
    pub tenant: String,
    /// The scopes that the user has.
    pub scopes: Vec<String>,
    /// The user's standing: which parts of the tenant's data the user may read.
    pub standing: Standing,
    /// The token itself, for calling the next service on the user's behalf.
    pub token: SecretString,
    /// When the token ends, in seconds since the epoch.
    pub expires_at: i64,
    /// The session that the token was issued for; a signer ends its tokens together with it.
    pub session: Option<String>,
}

impl Identity {
    /// Whether the caller has a scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|own| own == scope)
    }

    /// Refuses, with 403, a caller without the scope.
    pub fn require_scope(&self, scope: &str) -> Result<(), ApiError> {
        if self.has_scope(scope) {
            Ok(())
        } else {
            Err(middleware::insufficient_scope(scope))
        }
    }
}

/// The role and the groups of a user. They open parts of the tenant's data that are not for all
/// users; operations require scopes, whatever the standing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Standing {
    /// The name of the role; `None` in a token of a service.
    pub role: Option<String>,
    /// The names of the groups.
    pub groups: Vec<String>,
}

/// The claims of a token.
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    /// The user's display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    tenant: String,
    /// Separated by spaces, as in RFC 9068.
    scope: String,
    aud: Vec<String>,
    iat: i64,
    exp: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nbf: Option<i64>,
    jti: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    groups: Vec<String>,
}
