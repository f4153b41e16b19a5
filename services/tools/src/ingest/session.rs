//! A pooled connection for work that may be cut anywhere.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres};

/// Lets the statements of a transaction run longer than the pool's limit.
pub async fn allow_ten_minutes(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("SET LOCAL statement_timeout = '10min'")
        .execute(conn)
        .await
        .map(drop)
}

/// A connection that goes back to the pool only when its work was finished. Work that is dropped
/// half-way, because a client hung up in the middle of a COPY, leaves the connection in no state to
/// be used again: it is closed, and the server rolls back.
#[derive(Debug)]
pub struct Session {
    conn: PoolConnection<Postgres>,
    finished: bool,
}

impl Session {
    /// Takes a connection from the pool.
    pub async fn open(pool: &PgPool) -> Result<Self, sqlx::Error> {
        Ok(Self {
            conn: pool.acquire().await?,
            finished: false,
        })
    }

    /// Gives the connection back.
    pub fn finish(mut self) {
        self.finished = true;
    }
}

impl Deref for Session {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.conn
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.conn
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.finished {
            self.conn.close_on_drop();
        }
    }
}
