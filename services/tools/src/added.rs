//! What tenants add while the service runs: targets, search sources and upstreams.
//!
//! Each is a row of this service's database, with its credentials encrypted as users' tokens are
//! (`AddedContext`). A `Follower` per kind makes the rows into what is used, beside what the
//! configuration has, which wins. Each process looks for changes of all kinds together once a
//! second (`look`), and when a tenant asks for one that the process does not know. Hosts that may
//! be connected to are a matter of the operator (`hosts`).

mod examined;
mod follower;
mod hosts;
mod look;
mod store;

use std::sync::Arc;

use service_kit::config::Validate as _;
use service_kit::problem::ApiError;
use sqlx::PgPool;
use targets::TargetConfig;

use crate::added_targets::config::AddedTargetsConfig;
use crate::credentials::KeyError;
use crate::credentials::cipher::{Cipher, Sealed};
use crate::credentials::config::CredentialsConfig;

pub(crate) use examined::Examined;
pub(crate) use follower::{Follow, Follower, InUse, Kind, Row};
pub(crate) use hosts::is_host;
pub(crate) use look::{Mark, State, look, watch};
pub(crate) use store::{Kept, Stored, json, opened};

/// What all kinds share: the database, the operator's rules, and the keys.
pub struct AddedContext {
    pool: PgPool,
    cipher: Option<Cipher>,
    config: AddedTargetsConfig,
}

/// Why something is not stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is no key to encrypt credentials with.
    #[error("there is no key to encrypt credentials with")]
    NoKey,
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// The purpose of an encrypted secret: a kind, and the part of it.
pub(crate) type Purpose = [&'static str; 2];

impl AddedContext {
    /// The rows of this database, within the operator's rules.
    pub fn new(
        pool: PgPool,
        config: AddedTargetsConfig,
        credentials: &CredentialsConfig,
    ) -> Result<Arc<Self>, KeyError> {
        Ok(Arc::new(Self {
            pool,
            cipher: Cipher::new(credentials)?,
            config,
        }))
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// The rules of the operator.
    pub(crate) fn config(&self) -> &AddedTargetsConfig {
        &self.config
    }

    /// Fails with what to do for a host that may not be connected to.
    pub(crate) async fn may_reach(&self, host: &str, port: u16) -> Result<(), String> {
        hosts::check(&self.config, host, port).await
    }

    /// Encrypts a secret for one row alone.
    pub(crate) fn seal(
        &self,
        [kind, part]: Purpose,
        (tenant, name): (&str, &str),
        plain: &[u8],
    ) -> Result<Sealed, Error> {
        let cipher = self.cipher.as_ref().ok_or(Error::NoKey)?;
        let sealed = cipher.seal_for(&[kind, tenant, name, part], plain);
        sealed.ok_or(Error::NoKey)
    }

    /// Decrypts the secret of a row; `None` if its key is not configured any more.
    pub(crate) fn open(
        &self,
        [kind, part]: Purpose,
        (tenant, name): (&str, &str),
        sealed: &Sealed,
    ) -> Option<Vec<u8>> {
        let cipher = self.cipher.as_ref()?;
        cipher.open_for(&[kind, tenant, name, part], sealed)
    }

    /// Whether a secret is encrypted with a key that is on its way out.
    pub(crate) fn is_old(&self, sealed: &Sealed) -> bool {
        self.cipher
            .as_ref()
            .is_some_and(|cipher| cipher.is_old(sealed))
    }
}

/// Fails for a name that nothing can have.
pub(crate) fn check_name(name: &str) -> Result<(), ApiError> {
    let config = TargetConfig::new(name, "postgres://u:p@h/d");
    match config.validate() {
        Ok(()) => Ok(()),
        Err(_) => Err(ApiError::invalid_field(
            "/name",
            "must be 1 to 64 of a-z, 0-9, _ and -",
        )),
    }
}

/// A description without blanks around it; `None` for an empty one.
pub(crate) fn described(text: Option<String>) -> Result<Option<String>, ApiError> {
    let text = text.map(|text| text.trim().to_owned());
    let text = text.filter(|text| !text.is_empty());
    if text
        .as_ref()
        .is_some_and(|text| text.chars().count() > 1_000)
    {
        return Err(ApiError::invalid_field(
            "/description",
            "has more than 1000 characters",
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_those_of_the_configuration() {
        assert!(check_name("erp-2").is_ok());
        for wrong in ["", "ERP", "a b", "a/b", "é"] {
            assert!(check_name(wrong).is_err(), "{wrong}");
        }
    }
}
