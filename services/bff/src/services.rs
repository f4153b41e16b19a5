//! Authentication of this project's services at the bff.

use http::HeaderMap;
use secrecy::{ExposeSecret, SecretString};

use crate::config::ServicesConfig;
use crate::credential::bearer_token;
use crate::secret;

/// The secrets of services, hashed: comparing hashes does not reveal how much of a guess was right.
pub(crate) struct Services {
    orchestrator: Option<Vec<u8>>,
}

impl Services {
    pub(crate) fn new(config: &ServicesConfig) -> Self {
        let hashed = |secret: &SecretString| secret::hash(secret.expose_secret());
        Self {
            orchestrator: config.orchestrator_secret.as_ref().map(hashed),
        }
    }

    /// Whether the orchestrator sent this.
    pub(crate) fn is_orchestrator(&self, headers: &HeaderMap) -> bool {
        let shown = bearer_token(headers).map(secret::hash);
        shown.is_some() && shown == self.orchestrator
    }
}
