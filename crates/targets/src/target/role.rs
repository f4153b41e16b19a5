//! Whether the role that a target is read with only reads. A role can be given more while the
//! service runs: it is looked at again now and then, and the target is not asked as long as it may
//! write.

use std::time::{Duration, Instant};

use super::Target;
use crate::standing::TargetStatus;
use crate::{Catalogue, TargetError};

/// The state of the role.
#[derive(Debug, Default)]
pub(super) struct RoleSeen {
    /// When it was last looked at.
    at: Option<Instant>,
    /// Why the target is not asked, while that is so.
    refused: Option<TargetError>,
}

impl Target {
    /// Refuses a role that may do more than read, unless the operator says that it may.
    pub(crate) async fn check_role(&self) -> Result<(), TargetError> {
        let mut seen = self.role.lock().await;
        let looked = self.look_at_role(&mut seen).await;
        looked.map_err(|error| {
            if !matches!(error, TargetError::Role { .. }) {
                tracing::warn!(
                    target_database = self.name(),
                    "the target database did not let us look at its role: {error}"
                );
            }
            error
        })
    }

    /// Fails while the role may do more than read; it is looked at again when that is due. A
    /// database that is away does not fail the check.
    pub(super) async fn still_reads(&self, catalogue: &Catalogue) -> Result<(), TargetError> {
        if self.config.allow_writing_role {
            return Ok(());
        }
        let holds = Duration::from_secs(self.config.role_seconds);
        let mut seen = self.role.lock().await;
        if seen.at.is_none_or(|at| at.elapsed() >= holds) {
            let was_refused = seen.refused.is_some();
            match self.look_at_role(&mut seen).await {
                Ok(()) if was_refused => {
                    tracing::info!(target_database = self.name(), "the role only reads again");
                    *self.last_standing() = Some(TargetStatus::of(Ok(catalogue)));
                }
                Err(error @ TargetError::Role { .. }) => {
                    *self.last_standing() = Some(TargetStatus::of(Err(&error)));
                }
                Ok(()) | Err(_) => {}
            }
            seen.at = Some(Instant::now());
        }
        match &seen.refused {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Looks at the role now.
    async fn look_at_role(&self, seen: &mut RoleSeen) -> Result<(), TargetError> {
        let rights = self.pool.rights().await;
        let rights = rights.map_err(|error| self.pool.told(&error))?;
        seen.at = Some(Instant::now());
        let beyond = match rights.beyond_reading() {
            Some(beyond) if self.config.allow_writing_role => {
                tracing::info!(
                    target_database = self.name(),
                    "{beyond} It is used, because allow_writing_role is set"
                );
                None
            }
            beyond => beyond,
        };
        let Some(beyond) = beyond else {
            seen.refused = None;
            return Ok(());
        };
        if seen.refused.is_none() {
            tracing::error!(
                target_database = self.name(),
                "{beyond} Or use a role that only reads (deploy/sql has scripts), or set allow_writing_role = true"
            );
        }
        let error = TargetError::Role {
            target: self.name().to_owned(),
            beyond,
        };
        seen.refused = Some(error.clone());
        Err(error)
    }
}
