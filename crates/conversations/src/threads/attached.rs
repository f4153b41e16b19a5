//! What is attached to threads, for callers that clean what was stored before attachments were cleaned.

use serde_json::{Map, Value};
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::Error;
use crate::store::Store;

/// What is attached to a thread of any owner.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct Attached {
    /// The thread.
    pub id: Uuid,
    /// For the assistant.
    #[sqlx(json)]
    pub context: Map<String, Value>,
    /// For the caller.
    #[sqlx(json)]
    pub metadata: Map<String, Value>,
}

impl Store {
    /// What is attached to at most `limit` threads of any owner, in the order of their ids, after this one.
    pub async fn attached(&self, after: Uuid, limit: u32) -> Result<Vec<Attached>, Error> {
        Ok(sqlx::query_as(
            "SELECT t.id, t.context, t.metadata FROM orchestrator.threads t \
             WHERE t.id > $1 AND (t.context <> '{}' OR t.metadata <> '{}') \
             ORDER BY t.id \
             LIMIT $2",
        )
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?)
    }

    /// Puts something else in the place of what is attached to a thread, unless that has changed meanwhile.
    pub async fn reattach(&self, was: &Attached, now: &Attached) -> Result<(), Error> {
        sqlx::query(
            "UPDATE orchestrator.threads t SET context = $4, metadata = $5 \
             WHERE t.id = $1 AND t.context = $2 AND t.metadata = $3",
        )
        .bind(was.id)
        .bind(Json(&was.context))
        .bind(Json(&was.metadata))
        .bind(Json(&now.context))
        .bind(Json(&now.metadata))
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
