//! Connections that are kept between statements which come often.
//!
//! A pool sends a round trip of its own each time that a connection is given back, to learn whether
//! it can be used again. For a statement that takes less than a millisecond that is a large part of
//! its cost. A connection that is kept here after a statement has ended well needs no such
//! question.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use sqlx::pool::{CloseEvent, PoolConnection};
use sqlx::{Connection, PgConnection, PgPool, Postgres};

use crate::FRESH;

/// A connection that was idle longer goes back to the pool.
const KEPT_FOR: Duration = Duration::from_secs(30);

/// Part of a pool's connections that may be kept: the others are for everything else.
const SHARE: usize = 2;

/// Some connections of a pool. Cheap to clone.
#[derive(Clone)]
pub struct Kept(Arc<Shared>);

struct Shared {
    pool: PgPool,
    most: usize,
    /// The newest last.
    idle: Mutex<Vec<Idle>>,
    is_watched: AtomicBool,
}

struct Idle {
    connection: PoolConnection<Postgres>,
    since: Instant,
}

/// A connection in use. Dropping it gives it back to the pool; [`Self::keep`] keeps it.
pub struct KeptConnection {
    connection: PoolConnection<Postgres>,
    kept: Kept,
}

impl Kept {
    /// Keeps at most this many connections of the pool, and at most half of them.
    pub fn new(pool: PgPool, most: usize) -> Self {
        let size = usize::try_from(pool.options().get_max_connections()).unwrap_or(usize::MAX);
        Self(Arc::new(Shared {
            most: most.min(size / SHARE),
            pool,
            idle: Mutex::default(),
            is_watched: AtomicBool::new(false),
        }))
    }

    /// The pool.
    pub fn pool(&self) -> &PgPool {
        &self.0.pool
    }

    /// A connection that is kept, otherwise one of the pool. One that was not used for two seconds
    /// is asked for a sign of life, as with [`Liveness::UnlessFresh`](crate::Liveness).
    pub async fn acquire(&self) -> Result<KeptConnection, sqlx::Error> {
        while let Some(mut idle) = self.0.pop() {
            if idle.since.elapsed() < FRESH || idle.connection.ping().await.is_ok() {
                return Ok(self.in_use(idle.connection));
            }
            // The server went away, for the others as well.
            self.forget();
        }
        Ok(self.in_use(self.0.pool.acquire().await?))
    }

    /// Gives all connections back to the pool, which asks each for a sign of life.
    pub fn forget(&self) {
        self.0.forget(Duration::ZERO);
    }

    fn in_use(&self, connection: PoolConnection<Postgres>) -> KeptConnection {
        KeptConnection {
            connection,
            kept: self.clone(),
        }
    }

    /// Gives connections back that are idle for long, and all of them when the pool is closed,
    /// which waits for them.
    fn watch(&self) {
        if self.0.is_watched.swap(true, Ordering::Relaxed) {
            return;
        }
        let (shared, closed) = (Arc::downgrade(&self.0), self.0.pool.close_event());
        tokio::spawn(watched(shared, closed));
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

async fn watched(shared: Weak<Shared>, mut closed: CloseEvent) {
    loop {
        let is_closed = tokio::select! {
            () = &mut closed => true,
            () = tokio::time::sleep(KEPT_FOR) => false,
        };
        let Some(shared) = shared.upgrade() else {
            return;
        };
        shared.forget(if is_closed { Duration::ZERO } else { KEPT_FOR });
        if is_closed {
            return;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pop(&self) -> Option<Idle> {
        self.lock().pop()
    }

    /// Gives the connections back that were not used for this long.
    fn forget(&self, unused: Duration) {
        let forgotten: Vec<Idle> = self
            .lock()
            .extract_if(.., |idle| idle.since.elapsed() >= unused)
            .collect();
        // Not under the lock: the pool has one of its own.
        drop(forgotten);
    }
}

impl KeptConnection {
    /// Keeps the connection for the next statement. To be called after a statement has ended well
    /// and outside of a transaction: nothing may be on its way on the connection.
    pub fn keep(self) {
        let Self {
            mut connection,
            kept,
        } = self;
        // Those of a large statement would stay as large for as long as the connection is kept.
        connection.shrink_buffers();
        kept.watch();
        let mut idle = kept.0.lock();
        if idle.len() < kept.0.most && !kept.0.pool.is_closed() {
            idle.push(Idle {
                connection,
                since: Instant::now(),
            });
        }
    }
}

impl Deref for KeptConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for KeptConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}
