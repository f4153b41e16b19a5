//! The data attached to threads, for callers that clean what was stored before attachments were
//! cleaned.

use serde_json::{Map, Value};
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::Error;
use crate::store::Store;

/// The data attached to a thread of any owner.
#[derive(Debug, Clone, PartialEq)]
pub struct Attached {
    /// The thread.
    pub id: Uuid,
    /// For the assistant.
    pub context: Map<String, Value>,
    /// For the caller.
    pub metadata: Map<String, Value>,
}

impl Store {
    /// The data attached to at most `limit` threads of any owner, in the order of their ids, after
    /// this one.
    pub async fn attached(&self, after: Uuid, limit: u32) -> Result<Vec<Attached>, Error> {
        let rows = sqlx::query_file!("queries/attached.sql", after, i64::from(limit),)
            .fetch_all(&self.pool)
            .await?;
        let attached = rows.into_iter().map(|row| Attached {
            id: row.id,
            context: row.context.0,
            metadata: row.metadata.0,
        });
        Ok(attached.collect())
    }

    /// Puts something else in the place of what is attached to a thread, unless that has changed in
    /// the meantime.
    pub async fn reattach(&self, was: &Attached, now: &Attached) -> Result<(), Error> {
        sqlx::query!(
            "UPDATE orchestrator.threads t SET context = $4, metadata = $5
             WHERE t.id = $1 AND t.context = $2 AND t.metadata = $3",
            was.id,
            Json(&was.context) as _,
            Json(&was.metadata) as _,
            Json(&now.context) as _,
            Json(&now.metadata) as _,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
