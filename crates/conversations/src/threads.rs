//! Threads: made, copied, found, listed, changed, deleted, cleaned up.

mod attached;
mod copy;
mod delete;
mod list;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};
use sqlx::types::Json;
use uuid::Uuid;

pub use attached::Attached;
pub use copy::Copied;
pub use delete::Deletion;
pub use list::{ThreadFilter, ThreadPage};

use crate::error::Error;
use crate::storable::storable;
use crate::store::{Owner, Store};

/// A conversation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Thread {
    /// The internal id: the key of everything that is kept of the thread, its checkpoints too.
    pub id: Uuid,
    /// The id on the wire, unique within its owner.
    pub name: String,
    /// Who answers in it unless a message asks for another.
    pub assistant: String,
    /// From the first message, or given.
    pub title: Option<String>,
    /// The context of the thread, for the assistant. Callers keep credentials out of it.
    pub context: Map<String, Value>,
    /// What callers attach for themselves.
    pub metadata: Map<String, Value>,
    /// Put aside by its owner.
    pub archived: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When its newest question came or it was changed.
    pub last_updated: DateTime<Utc>,
}

/// A thread to make.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewThread {
    /// Its id, fresh.
    pub id: Uuid,
    /// The id on the wire; the text of `id` when none is given.
    pub name: Option<String>,
    /// Who answers in it.
    pub assistant: String,
    /// A title, if one is given now.
    pub title: Option<String>,
    /// Its context, for the assistant.
    pub context: Map<String, Value>,
    /// The data attached for the caller.
    pub metadata: Map<String, Value>,
}

/// What to do when the thread to make exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfExists {
    /// Say so ([`Error::Exists`]).
    Refuse,
    /// Return it as it is.
    Keep,
}

/// What to do when the thread named does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Say so ([`Error::NotFound`]).
    Refuse,
    /// Make it.
    Create,
}

/// Changes to a thread; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadPatch {
    /// A new title; `Some(None)` takes it away, so that the next message gives one.
    pub title: Option<Option<String>>,
    /// Another assistant.
    pub assistant: Option<String>,
    /// Put aside or taken back.
    pub archived: Option<bool>,
    /// Merged into what is there, key by key; a key that is given as null is removed.
    pub context: Option<Map<String, Value>>,
    /// Merged likewise.
    pub metadata: Option<Map<String, Value>>,
}

impl Store {
    /// Creates a thread, or returns the existing one of that name if `if_exists` permits this: in
    /// one statement, so that concurrent requests agree.
    pub async fn create_thread(
        &self,
        owner: &Owner,
        new: &NewThread,
        if_exists: IfExists,
    ) -> Result<Thread, Error> {
        let name = new.name.clone().unwrap_or_else(|| new.id.to_string());
        let title = new.title.as_deref().map(storable);
        let row = sqlx::query_scalar!(
            r#"INSERT INTO orchestrator.threads AS t (id, tenant, owner, name, assistant, title, context, metadata)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
               ON CONFLICT (tenant, owner, name) DO UPDATE SET name = t.name WHERE $9
               RETURNING to_json(t) AS "thread!: Json<Thread>""#,
            new.id,
            owner.tenant,
            owner.subject,
            name,
            new.assistant,
            title.as_deref(),
            Json(&new.context) as _,
            Json(&new.metadata) as _,
            if_exists == IfExists::Keep,
        )
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| row.0).ok_or(Error::Exists)
    }

    /// The thread that its owner calls so.
    pub async fn thread(&self, owner: &Owner, name: &str) -> Result<Thread, Error> {
        let row = sqlx::query_scalar!(
            r#"SELECT to_json(t) AS "thread!: Json<Thread>" FROM orchestrator.threads t
               WHERE t.tenant = $1 AND t.owner = $2 AND t.name = $3"#,
            owner.tenant,
            owner.subject,
            name,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(row.0)
    }

    /// Changes a thread.
    pub async fn patch_thread(
        &self,
        owner: &Owner,
        name: &str,
        patch: &ThreadPatch,
    ) -> Result<Thread, Error> {
        let title = patch.title.as_ref();
        let new_title = title.and_then(|title| title.as_deref().map(storable));
        let row = sqlx::query_file_scalar!(
            "queries/patch_thread.sql",
            owner.tenant,
            owner.subject,
            name,
            title.is_some(),
            new_title.as_deref(),
            patch.assistant,
            patch.archived,
            patch.context.as_ref().map(Json) as _,
            patch.metadata.as_ref().map(Json) as _,
            null_keys(patch.context.as_ref()) as _,
            null_keys(patch.metadata.as_ref()) as _,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(row.0)
    }
}

/// The keys to remove: those given as null.
fn null_keys(merged: Option<&Map<String, Value>>) -> Vec<&str> {
    merged
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.is_null())
        .map(|(key, _)| key.as_str())
        .collect()
}
