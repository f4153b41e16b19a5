//! `[upstreams.token.refresh]`: the way to another token of a user.

use std::path::PathBuf;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate};

/// `[upstreams.token.refresh]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefreshConfig {
    /// The kind of renewal.
    pub kind: RefreshKind,
    /// The path below the base URL.
    pub path: String,
    /// `service_key`: the header that the key is sent in.
    #[serde(default = "service_key_header")]
    pub header: String,
    /// `service_key`: the key.
    #[serde(default, skip_serializing)]
    pub service_key: Option<SecretString>,
    /// `service_key`: a file that holds it.
    #[serde(default)]
    pub service_key_file: Option<PathBuf>,
    /// `service_key`: for whom the key is used.
    #[serde(default)]
    pub users: ServiceKeyUsers,
    /// `refresh_token`: the client id of this service at the upstream.
    #[serde(default)]
    pub client_id: Option<String>,
    /// `refresh_token`: the client secret of this service there.
    #[serde(default, skip_serializing)]
    pub client_secret: Option<SecretString>,
    /// `refresh_token`: a file that holds it.
    #[serde(default)]
    pub client_secret_file: Option<PathBuf>,
    /// `service_key`: the path of users below the base URL. `GET {path}/{user_id}` answers what the
    /// upstream keeps of a user, for the export of a person; `DELETE` erases it with the person.
    /// Absent: the upstream is not asked.
    #[serde(default)]
    pub person_path: Option<String>,
    /// Time that it may take; below the database's statement time-out.
    #[serde(default = "ten_seconds")]
    pub timeout_ms: u64,
}

/// For whom a service key gets tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceKeyUsers {
    /// For users who have stored a token of their own, and so connected the upstream.
    #[default]
    Connected,
    /// For every user of the upstream's tenants: the operator has connected it for them.
    Everyone,
}

/// The ways to another token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefreshKind {
    /// `POST {user_id}` with a service key: the upstream trusts this service to name the user.
    /// `users` says for whom.
    ServiceKey,
    /// The `refresh_token` grant of OAuth 2, with the refresh token that the user sent.
    RefreshToken,
}

impl RefreshConfig {
    /// Tokens by a service key.
    pub fn by_service_key(path: impl Into<String>, key: SecretString) -> Self {
        Self {
            service_key: Some(key),
            ..Self::new(RefreshKind::ServiceKey, path)
        }
    }

    /// The same for every user of the upstream's tenants, whether they connected it or not.
    #[must_use]
    pub fn for_everyone(mut self) -> Self {
        self.users = ServiceKeyUsers::Everyone;
        self
    }

    /// With the path of users, for the export and the erasure of a person.
    #[must_use]
    pub fn with_person_path(mut self, path: impl Into<String>) -> Self {
        self.person_path = Some(path.into());
        self
    }

    /// Tokens by the `refresh_token` grant.
    pub fn by_refresh_token(path: impl Into<String>) -> Self {
        Self::new(RefreshKind::RefreshToken, path)
    }

    fn new(kind: RefreshKind, path: impl Into<String>) -> Self {
        Self {
            kind,
            path: path.into(),
            header: service_key_header(),
            service_key: None,
            service_key_file: None,
            users: ServiceKeyUsers::default(),
            client_id: None,
            client_secret: None,
            client_secret_file: None,
            person_path: None,
            timeout_ms: ten_seconds(),
        }
    }
}

impl Validate for RefreshConfig {
    fn validate(&self) -> Result<(), Invalid> {
        // Who waits for another replica's refresh waits a little longer than one may take.
        if !(1..=60_000).contains(&self.timeout_ms) {
            return Err(Invalid::new("timeout_ms", "must be 1 to 60000"));
        }
        if !self.path.starts_with('/') {
            return Err(Invalid::new("path", "must begin with /"));
        }
        if let Some(path) = &self.person_path {
            if !path.starts_with('/') || path.contains(['?', '#', '\\']) || path.contains("..") {
                return Err(Invalid::new(
                    "person_path",
                    "must begin with / and be a path alone",
                ));
            }
            if self.kind != RefreshKind::ServiceKey {
                return Err(Invalid::new("person_path", "needs a service key"));
            }
        }
        if self.kind == RefreshKind::ServiceKey && self.service_key.is_none() {
            return Err(Invalid::new("service_key", "is missing"));
        }
        Ok(())
    }
}

fn service_key_header() -> String {
    "X-CA-Service-Key".to_owned()
}

fn ten_seconds() -> u64 {
    10_000
}
