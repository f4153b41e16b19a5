//! The handle on the database.

use database_kit::Kept;
use sqlx::PgPool;

use crate::events::Append;
use crate::model_usage::AddUsage;
use crate::runs::{AcceptRuns, FinishRuns};
use crate::together::Together;

/// Connections that are kept for the statements of turns.
const KEPT: usize = 4;

/// Who may see a thread: one person of one tenant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The tenant of the identity.
    pub tenant: String,
    /// The subject of the identity.
    pub subject: String,
}

impl Owner {
    /// The owner that an identity names.
    pub fn new(tenant: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            tenant: tenant.into(),
            subject: subject.into(),
        }
    }
}

/// Threads, messages, runs and events. Cheap to clone.
///
/// Turns that are accepted or ended at the same time, events that are appended, and what models
/// used share a statement: all clones of a store are one, so a process needs one store.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) pool: PgPool,
    pub(crate) accepted: Together<AcceptRuns>,
    pub(crate) finished: Together<FinishRuns>,
    pub(crate) appended: Together<Append>,
    pub(crate) used: Together<AddUsage>,
}

impl Store {
    /// The store in the pool's database, whose schema is up to date ([`crate::migrate`]).
    pub fn new(pool: PgPool) -> Self {
        let kept = Kept::new(pool.clone(), KEPT);
        Self {
            accepted: Together::new(AcceptRuns(kept.clone())),
            finished: Together::new(FinishRuns(kept.clone())),
            appended: Together::new(Append(kept.clone())),
            used: Together::new(AddUsage(kept)),
            pool,
        }
    }

    /// The pool it uses.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }
}
