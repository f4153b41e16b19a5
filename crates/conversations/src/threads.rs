//! Threads: made, found, listed, changed, deleted, cleaned up.

mod attached;
mod delete;
mod list;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::types::Json;
use uuid::Uuid;

pub use attached::Attached;
pub use delete::Deletion;
pub use list::{ThreadFilter, ThreadPage};

use crate::error::Error;
use crate::storable::storable;
use crate::store::{Owner, Store};

/// The columns of a [`Thread`], named so that a run's columns can stand beside them.
macro_rules! thread_columns {
    () => {
        "t.id AS thread_id, t.name AS thread_name, t.assistant AS thread_assistant, t.title, t.inventory_id, \
         t.context, t.metadata, t.archived, t.created_at AS thread_created_at, t.last_updated"
    };
}
pub(crate) use thread_columns;

/// A conversation.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct Thread {
    /// Ours: the key of everything that is kept of the thread, its checkpoints too.
    #[sqlx(rename = "thread_id")]
    pub id: Uuid,
    /// The id on the wire, unique within its owner.
    #[sqlx(rename = "thread_name")]
    pub name: String,
    /// Who answers in it unless a message asks for another.
    #[sqlx(rename = "thread_assistant")]
    pub assistant: String,
    /// From the first message, or given.
    pub title: Option<String>,
    /// The inventory it is about, if any.
    pub inventory_id: Option<String>,
    /// What callers attach for the assistant. Callers keep credentials out of it.
    #[sqlx(json)]
    pub context: Map<String, Value>,
    /// What callers attach for themselves.
    #[sqlx(json)]
    pub metadata: Map<String, Value>,
    /// Put aside by its owner.
    pub archived: bool,
    /// When it was made.
    #[sqlx(rename = "thread_created_at")]
    pub created_at: DateTime<Utc>,
    /// When its newest message came or it was changed.
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
    /// The inventory it is about.
    pub inventory_id: Option<String>,
    /// What is attached for the assistant.
    pub context: Map<String, Value>,
    /// What is attached for the caller.
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
    /// Another inventory; `Some(None)` takes it away.
    pub inventory_id: Option<Option<String>>,
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
    /// Makes a thread, or returns the one of that name if told to keep it: in one statement, whoever comes at once.
    pub async fn create_thread(
        &self,
        owner: &Owner,
        new: &NewThread,
        if_exists: IfExists,
    ) -> Result<Thread, Error> {
        let name = new.name.clone().unwrap_or_else(|| new.id.to_string());
        sqlx::query_as(concat!(
            "INSERT INTO orchestrator.threads AS t \
                 (id, tenant, owner, name, assistant, title, inventory_id, context, metadata) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
             ON CONFLICT (tenant, owner, name) DO UPDATE SET name = t.name WHERE $10 \
             RETURNING ",
            thread_columns!()
        ))
        .bind(new.id)
        .bind(&owner.tenant)
        .bind(&owner.subject)
        .bind(name)
        .bind(&new.assistant)
        .bind(new.title.as_deref().map(storable))
        .bind(&new.inventory_id)
        .bind(Json(&new.context))
        .bind(Json(&new.metadata))
        .bind(if_exists == IfExists::Keep)
        .fetch_optional(&self.pool)
        .await?
        .ok_or(Error::Exists)
    }

    /// The thread that its owner calls so.
    pub async fn thread(&self, owner: &Owner, name: &str) -> Result<Thread, Error> {
        Ok(sqlx::query_as(concat!(
            "SELECT ",
            thread_columns!(),
            " FROM orchestrator.threads t WHERE t.tenant = $1 AND t.owner = $2 AND t.name = $3"
        ))
        .bind(&owner.tenant)
        .bind(&owner.subject)
        .bind(name)
        .fetch_one(&self.pool)
        .await?)
    }

    /// The thread by our id.
    pub async fn thread_by_id(&self, owner: &Owner, id: Uuid) -> Result<Thread, Error> {
        Ok(sqlx::query_as(concat!(
            "SELECT ",
            thread_columns!(),
            " FROM orchestrator.threads t WHERE t.tenant = $1 AND t.owner = $2 AND t.id = $3"
        ))
        .bind(&owner.tenant)
        .bind(&owner.subject)
        .bind(id)
        .fetch_one(&self.pool)
        .await?)
    }

    /// Changes a thread.
    pub async fn patch_thread(
        &self,
        owner: &Owner,
        name: &str,
        patch: &ThreadPatch,
    ) -> Result<Thread, Error> {
        let title = patch.title.as_ref();
        Ok(sqlx::query_as(concat!(
            "UPDATE orchestrator.threads t \
             SET title = CASE WHEN $4 THEN $5 ELSE t.title END, \
                 inventory_id = CASE WHEN $12 THEN $13 ELSE t.inventory_id END, \
                 assistant = coalesce($6, t.assistant), \
                 archived = coalesce($7, t.archived), \
                 context = (t.context || coalesce($8, '{}')) - $10::text[], \
                 metadata = (t.metadata || coalesce($9, '{}')) - $11::text[], \
                 last_updated = clock_timestamp() \
             WHERE t.tenant = $1 AND t.owner = $2 AND t.name = $3 \
             RETURNING ",
            thread_columns!()
        ))
        .bind(&owner.tenant)
        .bind(&owner.subject)
        .bind(name)
        .bind(title.is_some())
        .bind(title.and_then(|title| title.as_deref().map(storable)))
        .bind(&patch.assistant)
        .bind(patch.archived)
        .bind(patch.context.as_ref().map(Json))
        .bind(patch.metadata.as_ref().map(Json))
        .bind(null_keys(patch.context.as_ref()))
        .bind(null_keys(patch.metadata.as_ref()))
        .bind(patch.inventory_id.is_some())
        .bind(patch.inventory_id.as_ref().and_then(Option::as_deref))
        .fetch_one(&self.pool)
        .await?)
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
