//! The handle on the database.

use sqlx::PgPool;

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
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) pool: PgPool,
}

impl Store {
    /// The store in the pool's database, whose schema is up to date ([`crate::migrate`]).
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// The pool it uses.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }
}
