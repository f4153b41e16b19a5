//! The memory of a thread as its owner may see it.

use contracts::todo::{AskedClarification, MemoryEntry, QueryMetadata, TaskStatus, TodoList};
use sqlx::types::Json;
use uuid::Uuid;

use super::{EntryRow, whole_number};
use crate::error::Error;
use crate::store::{Owner, Store};

/// The newest of what is remembered of a thread, without rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadMemory {
    /// Lists, the newest first.
    pub lists: Vec<TodoList>,
    /// Entries, the oldest first.
    pub entries: Vec<MemoryEntry>,
    /// The queries that were executed, the oldest first.
    pub queries: Vec<QueryMetadata>,
}

/// Maximum number of the newest items of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Newest {
    /// Lists.
    pub lists: u32,
    /// Entries.
    pub entries: u32,
    /// Queries.
    pub queries: u32,
}

/// The open question of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenQuestion {
    /// The answer to what its next task asked.
    Clarification(AskedClarification),
    /// The plan to be approved.
    Approval,
}

impl OpenQuestion {
    /// The open question of a list that is worked on.
    pub fn of(list: &TodoList) -> Option<Self> {
        let task = list.tasks.get(list.current_task_key.as_deref()?)?;
        let asked = task.clarifications.last();
        let open = asked.filter(|asked| {
            task.status == TaskStatus::ClarificationNeeded && asked.answered_at.is_none()
        });
        open.cloned()
            .map(Self::Clarification)
            .or_else(|| (list.approved == Some(false)).then_some(Self::Approval))
    }
}

impl Store {
    /// The newest of what is remembered of a thread. Of another user's thread nothing.
    pub async fn memory(
        &self,
        owner: &Owner,
        thread_id: Uuid,
        newest: Newest,
    ) -> Result<ThreadMemory, Error> {
        let lists = sqlx::query_file_scalar!(
            "queries/newest_lists.sql",
            thread_id,
            owner.tenant,
            owner.subject,
            i64::from(newest.lists),
        )
        .fetch_all(&self.pool)
        .await?;
        let entries = sqlx::query_file_as!(
            EntryRow,
            "queries/newest_entries.sql",
            thread_id,
            owner.tenant,
            owner.subject,
            i64::from(newest.entries),
        )
        .fetch_all(&self.pool)
        .await?;
        let queries = sqlx::query_file!(
            "queries/newest_queries.sql",
            thread_id,
            owner.tenant,
            owner.subject,
            i64::from(newest.queries),
        )
        .fetch_all(&self.pool)
        .await?;
        let queries = queries.into_iter().rev().map(|row| QueryMetadata {
            turn_id: whole_number(row.turn_id),
            ..row.metadata.0
        });
        Ok(ThreadMemory {
            lists: lists.into_iter().map(|list| list.0).collect(),
            entries: entries.into_iter().rev().map(MemoryEntry::from).collect(),
            queries: queries.collect(),
        })
    }

    /// The open question of the list that is worked on; `None` for another user's thread.
    pub async fn open_question(
        &self,
        owner: &Owner,
        thread_id: Uuid,
    ) -> Result<Option<OpenQuestion>, Error> {
        let list = sqlx::query_scalar!(
            r#"SELECT l.list AS "list: Json<TodoList>" FROM orchestrator.todo_lists l
               JOIN orchestrator.threads t ON t.id = l.thread_id
               WHERE l.thread_id = $1 AND l.state = 'active' AND t.tenant = $2 AND t.owner = $3"#,
            thread_id,
            owner.tenant,
            owner.subject,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(list.and_then(|list| OpenQuestion::of(&list.0)))
    }
}
