//! Accounts, sessions and tokens: what the bff speaks beside what it proxies.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::Role;

/// `POST /auth/login` and `POST /auth/token`.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The account's name.
    #[schema(example = "demo", min_length = 1, max_length = 128)]
    pub username: String,
    /// The password of the account.
    #[schema(format = Password, min_length = 1, max_length = 1024)]
    pub password: String,
}

/// A password must not reach a log through `{:?}`.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

/// `POST /auth/refresh`.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefreshRequest {
    /// The refresh token of the last answer; it works once.
    pub refresh_token: String,
}

/// A bearer token for API clients.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
pub struct TokenResponse {
    /// Goes into `Authorization: Bearer …`.
    pub access_token: String,
    /// Always `Bearer`.
    #[schema(example = "Bearer")]
    pub token_type: String,
    /// Seconds until the access token expires.
    #[schema(example = 900)]
    pub expires_in: u64,
    /// Exchanged at `POST /auth/refresh` for new tokens, once.
    pub refresh_token: String,
}

/// For whom a service asks for an identity token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IdentityRequest {
    /// The account's id, `sub` in tokens.
    pub subject: String,
    /// The account's tenant.
    pub tenant: String,
}

/// An identity token for a service.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
pub struct IdentityResponse {
    /// Sent as `Authorization: Bearer …` between the services.
    pub access_token: String,
    /// Always `Bearer`.
    #[schema(example = "Bearer")]
    pub token_type: String,
    /// Seconds until it expires.
    #[schema(example = 300)]
    pub expires_in: u64,
}

/// Who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct Me {
    /// The account's stable id, `sub` in tokens.
    pub sub: String,
    /// The account's name.
    pub username: String,
    /// The tenant whose data the account sees.
    #[schema(example = "demo")]
    pub tenant: String,
    /// The scopes of the account.
    #[schema(example = json!(["chat", "tools:read", "measurements:write"]))]
    pub scopes: Vec<String>,
    /// The role of the account; absent for an account whose scopes were listed one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

/// `GET /auth/sign-in`: the data that a page needs before a user has signed in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct SignInOptions {
    /// Who is signed in already, by the session's cookie or a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Me>,
    /// The account of a demonstration; absent everywhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demonstration: Option<DemonstrationAccount>,
    /// The identity providers to sign in at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issuers: Vec<IssuerOption>,
}

/// An identity provider to sign in at.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct IssuerOption {
    /// The name in paths.
    #[schema(example = "example")]
    pub name: String,
    /// The label of its button.
    #[schema(example = "Example")]
    pub label: String,
    /// The path that a browser opens to sign in; a whole address where the page was reached by
    /// another name than `oidc.public_url`, to which the provider leads back.
    #[schema(example = "/auth/oidc/example")]
    pub path: String,
}

/// The answer to signing out of a session that began at an identity provider.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct SignedOut {
    /// The address that ends the session at the provider, too, and leads back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_session_url: Option<String>,
}

/// The parameters that an identity provider adds to the address that it sends a browser to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FinishSignIn {
    /// The state of the sign-in.
    pub state: String,
    /// The code to exchange for tokens.
    #[serde(default)]
    pub code: Option<String>,
    /// The reason why there is none.
    #[serde(default)]
    pub error: Option<String>,
    /// More of it, for people.
    #[serde(default)]
    pub error_description: Option<String>,
    /// The issuer (RFC 9207).
    #[serde(default)]
    pub iss: Option<String>,
    /// The session at the provider.
    #[serde(default)]
    pub session_state: Option<String>,
}

/// An account to try a demonstration with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct DemonstrationAccount {
    /// The name of the account.
    #[schema(example = "demo")]
    pub username: String,
    /// The place of its password, in a sentence.
    pub note: String,
}

/// The public keys that verify identity tokens (RFC 7517).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct KeySet {
    /// The keys.
    pub keys: Vec<PublicKey>,
}

/// One Ed25519 public key (RFC 8037).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct PublicKey {
    /// Always `OKP`.
    pub kty: String,
    /// Always `Ed25519`.
    pub crv: String,
    /// The key's id.
    pub kid: String,
    /// Always `sig`.
    #[serde(rename = "use")]
    pub usage: String,
    /// Always `EdDSA`.
    pub alg: String,
    /// The key, base64url.
    pub x: String,
}
