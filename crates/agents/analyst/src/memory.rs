//! The analyst's memory of a thread, as a trait: the orchestrator keeps it in PostgreSQL.
//!
//! An attempt's entry, the list with its pointer moved, and the metadata of the query that it
//! executed are recorded together or not at all. So whatever ends a process, the next one finds
//! either all of an attempt or nothing of it.

mod in_process;

use std::sync::Arc;

use agent_kit::TurnInput;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use contracts::todo::{MemoryEntry, QueryMetadata, TodoList};
use contracts::tools::search::ResultColumn;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use in_process::InProcessMemory;

/// The memory of threads, by the thread's key.
#[async_trait]
pub trait Memory: Send + Sync {
    /// The memory at the start of a turn. `run_id` is the run's: a run that is begun again finds
    /// the turn number that it had, and what it has done.
    async fn recall(
        &self,
        thread_key: &str,
        run_id: &str,
        turns: u32,
    ) -> Result<Recollection, MemoryError>;

    /// Records all of it, or nothing. Returns the entry's `turn_id`, the next of the thread; 0 when
    /// there is no entry.
    async fn record(&self, thread_key: &str, record: Record) -> Result<u32, MemoryError>;

    /// The query whose metadata the entry of this `turn_id` wrote; the newest for `None`.
    async fn query(
        &self,
        thread_key: &str,
        turn_id: Option<u32>,
    ) -> Result<Option<KeptQuery>, MemoryError>;
}

/// The source of runs' memories: one of their own each, if their writes are fenced.
pub trait Memories: Send + Sync + 'static {
    /// The memory of the run of this turn.
    fn of(&self, turn: &TurnInput) -> Arc<dyn Memory>;
}

/// One memory for all runs.
impl<M: Memory + 'static> Memories for Arc<M> {
    fn of(&self, _turn: &TurnInput) -> Arc<dyn Memory> {
        Arc::clone(self) as Arc<dyn Memory>
    }
}

/// Why nothing is remembered.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The store is away; ask again later.
    #[error("what is remembered cannot be reached")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The run has lost the thread: another has taken over, or the thread was deleted.
    #[error("the thread is no longer this run's")]
    Lost,
    /// The store failed.
    #[error("what is remembered cannot be read or written")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The memory at the start of a turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recollection {
    /// The number of this turn: that of the user input, from 1.
    pub turn: u32,
    /// The list that is worked on; at most one is active.
    pub active: Option<TodoList>,
    /// The entries of the newest user turns, oldest first.
    pub entries: Vec<MemoryEntry>,
    /// The newest query, if the thread ever executed one, however long ago.
    pub newest_query: Option<QueryMetadata>,
}

/// The data that is recorded together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Lists as they are now, by their ids: new ones, and those that have changed.
    pub lists: Vec<TodoList>,
    /// The attempt; its `turn_id` is given by the memory, also where it is in `query_metadata`.
    pub entry: Option<MemoryEntry>,
    /// The query that the attempt executed.
    pub query: Option<NewQuery>,
}

/// A query to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct NewQuery {
    /// Its metadata; the `turn_id` is given by the memory.
    pub metadata: QueryMetadata,
    /// Its rows, when there are few enough.
    pub rows: Option<CachedRows>,
}

/// A query that is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptQuery {
    /// The metadata of the query.
    pub metadata: QueryMetadata,
    /// Its rows, where they were kept.
    pub rows: Option<CachedRows>,
}

/// The rows of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedRows {
    /// Their columns.
    pub columns: Vec<ResultColumn>,
    /// The rows of the result.
    pub rows: Vec<Map<String, Value>>,
    /// Whether these are all the rows that fit the query, whatever its limit.
    pub complete: bool,
    /// When they were read.
    pub fetched_at: DateTime<Utc>,
}
