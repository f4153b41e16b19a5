//! Tools that read an upstream API with the user's own rights, and the credential that they use.
//!
//! Upstreams are configuration, so their tools have no types here: `GET /api/tools` has their
//! schemas (category `upstream`). Each answers with the upstream's JSON as `result`; when it fails,
//! the envelope's status is `error` and `result` is an [`UpstreamFailure`].

use chrono::{DateTime, Utc};
use secrecy_free::Opaque;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

mod secrecy_free {
    //! A credential on its way: never printed.

    use serde::{Deserialize, Serialize};
    use utoipa::ToSchema;

    /// A credential. `Debug` does not show it.
    #[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(transparent)]
    #[schema(value_type = String, format = Password, min_length = 1, max_length = 16384, pattern = "^[!-~]+$")]
    pub struct Opaque(String);

    impl Opaque {
        /// Wraps it.
        pub fn new(credential: impl Into<String>) -> Self {
            Self(credential.into())
        }

        /// The credential itself.
        pub fn expose(&self) -> &str {
            &self.0
        }
    }

    impl std::fmt::Debug for Opaque {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("[redacted]")
        }
    }
}

pub use secrecy_free::Opaque as Credential;

/// The body of `PUT /api/credentials/{upstream}`: the caller's token for that upstream. It is kept
/// encrypted and never returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PutCredential {
    /// The token. Its `sub` has to be the caller, its `aud` the upstream, where it has them.
    pub access_token: Opaque,
    /// With what the upstream gives another, where it works so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<Opaque>,
}

/// How the caller's credential for an upstream is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CredentialStatus {
    /// The upstream.
    pub upstream: String,
    /// Whether calls can be made with it.
    pub state: CredentialState,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// Whether it was refreshed for this answer.
    pub refreshed: bool,
    /// Why it cannot be used: one of [`error_codes`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The same for people. Without an error code: why the stored credential was kept instead of
    /// the sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Whether calls can be made with a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CredentialState {
    /// They can.
    Valid,
    /// There is none, and none can be had.
    Missing,
    /// It has run out, and no other can be had.
    Expired,
    /// It is not the caller's, or not for this upstream.
    Refused,
    /// It is kept for an upstream that is not there any more, or not for the caller's tenant. It
    /// can be deleted.
    Unused,
}

/// `GET /api/credentials`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CredentialList {
    /// One entry for each upstream that is configured, and one for each other for which something
    /// is kept.
    pub credentials: Vec<CredentialStatus>,
}

/// Why an upstream's tool has no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpstreamFailure {
    /// For programs.
    pub error_code: String,
    /// The upstream's HTTP status, where it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
}

/// The values of `error_code`.
pub mod error_codes {
    /// The caller has no credential for the upstream.
    pub const MISSING_TOKEN: &str = "missing_token";
    /// It has run out and could not be refreshed.
    pub const EXPIRED_TOKEN: &str = "expired_token";
    /// It belongs to another user.
    pub const WRONG_SUBJECT: &str = "wrong_subject";
    /// It is for another upstream.
    pub const WRONG_AUDIENCE: &str = "wrong_audience";
    /// There is no such upstream any more, or not for the caller's tenant.
    pub const UNKNOWN_UPSTREAM: &str = "unknown_upstream";
    /// The upstream did not give another token.
    pub const REFRESH_FAILED: &str = "refresh_failed";
    /// The upstream refused the token, also the one that it had just given.
    pub const UNAUTHORIZED: &str = "http_401";
    /// The arguments do not fit.
    pub const INVALID_ARGUMENTS: &str = "invalid_arguments";
    /// The upstream's answer is not what was agreed.
    pub const INVALID_RESPONSE: &str = "invalid_response";
    /// A tool of an MCP server ran and failed.
    pub const TOOL_FAILED: &str = "tool_failed";
    /// The upstream cannot be reached, or took too long.
    pub const UNAVAILABLE: &str = "upstream_unavailable";
}
