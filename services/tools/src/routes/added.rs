//! Common parts of the operations on targets, search sources and upstreams: who may use them, and
//! why they are refused.

use std::time::Duration;

use service_kit::identity::Identity;
use service_kit::problem::ApiError;

use crate::added::{Error, check_name};
use crate::added_targets::config::AddedTargetsConfig;
use crate::error::database;

/// The scope that reading needs.
pub(super) const READ: &str = "tools:read";
/// The scope that changes need.
pub(super) const WRITE: &str = "targets:write";
/// Time that a list waits for a database, or a source.
pub(super) const LOOK: Duration = Duration::from_secs(3);

/// The words for a kind in messages.
pub(super) struct KindWords {
    /// One of it, with its article.
    pub(super) a: &'static str,
    /// One of it.
    pub(super) one: &'static str,
    /// Several.
    pub(super) many: &'static str,
    /// Several, at the beginning of a sentence.
    pub(super) title: &'static str,
}

impl KindWords {
    /// Fails where nothing of the kind can be added.
    pub(super) fn check_enabled(&self, config: &AddedTargetsConfig) -> Result<(), ApiError> {
        if config.enabled {
            return Ok(());
        }
        Err(ApiError::conflict(format!(
            "{} can only be added in the configuration of this installation (added_targets.enabled is false).",
            self.title
        )))
    }

    /// Fails where a name is that of one in the configuration.
    pub(super) fn not_fixed(&self, is_fixed: bool, name: &str) -> Result<(), ApiError> {
        if is_fixed {
            return Err(ApiError::conflict(format!(
                "The {} '{name}' is in a configuration file of the tools service, and can only be changed there.",
                self.one
            )));
        }
        Ok(())
    }

    /// Fails where a name cannot be used, or is used in the configuration.
    pub(super) fn is_free(
        &self,
        config: &AddedTargetsConfig,
        is_fixed: bool,
        name: &str,
    ) -> Result<(), ApiError> {
        self.check_enabled(config)?;
        check_name(name)?;
        self.not_fixed(is_fixed, name)
    }

    /// Fails where a tenant that has those of these names can have no further one of this name.
    pub(super) fn has_room<'a>(
        &self,
        config: &AddedTargetsConfig,
        present: impl ExactSizeIterator<Item = &'a str>,
        name: &str,
    ) -> Result<(), ApiError> {
        let (count, most) = (present.len(), config.most_per_tenant);
        if present.into_iter().any(|present| present == name) {
            return Err(self.exists(name));
        }
        if count >= usize::try_from(most).unwrap_or(usize::MAX) {
            return Err(ApiError::conflict(format!(
                "Your tenant has {most} {}, which is as many as it may have. Remove one first.",
                self.many
            )));
        }
        Ok(())
    }

    /// The refusal of a name that is taken.
    pub(super) fn exists(&self, name: &str) -> ApiError {
        ApiError::conflict(format!(
            "There is {} '{name}' already. Change it, or choose another name.",
            self.a
        ))
    }

    /// The refusal of a name that the tenant does not have.
    pub(super) fn unknown(&self) -> ApiError {
        ApiError::not_found(format!("There is no {} of this name.", self.one))
    }

    /// Fails for what could not be changed, because it was changed at the same time.
    pub(super) fn is_changed(&self, changed: Result<bool, Error>) -> Result<(), ApiError> {
        if changed.map_err(not_stored)? {
            return Ok(());
        }
        Err(ApiError::conflict(format!(
            "The {} was changed at the same time. Read it again, and repeat the change.",
            self.one
        )))
    }
}

pub(super) fn not_stored(error: Error) -> ApiError {
    match error {
        Error::NoKey => ApiError::conflict(
            "There is no key to encrypt credentials with. The operator of the service sets [[credentials.keys]] (`openssl rand -base64 32`).",
        ),
        Error::Database(error) => database(error),
    }
}

/// A problem as a caller may see it. The reason, and how it is changed, is for those who can.
pub(super) fn shown_problem(problem: Option<String>, caller: &Identity) -> Option<String> {
    if caller.has_scope(WRITE) {
        return problem;
    }
    problem.map(|_| {
        "It cannot be asked at the moment; an administrator of your tenant sees why.".to_owned()
    })
}
