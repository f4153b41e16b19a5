//! Recording and recalling, one statement each.

use agent_analyst::{CachedRows, KeptQuery, Recollection, Record};
use chrono::{DateTime, Utc};
use contracts::todo::{MemoryEntry, QueryMetadata, TodoList, TodoListState};
use contracts::tools::search::ResultColumn;
use conversations::storable::storable_json;
use conversations::{Error, Fence};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::PgPool;
use sqlx::types::Json;
use uuid::Uuid;

/// Maximum number of bytes of a query's rows that are kept, as JSON. Larger ones are read again
/// when they are needed.
pub const MAX_ROWS_BYTES: usize = 1024 * 1024;

/// Maximum number of entries for a turn, whatever the window: more than any valid window holds.
const MAX_ENTRIES: i64 = 1_000;

/// The memory of all threads of the analyst, in PostgreSQL. Cheap to clone.
#[derive(Debug, Clone)]
pub struct AnalystStore {
    pub(crate) pool: PgPool,
}

impl AnalystStore {
    /// The memory in the pool's database, whose schema is up to date ([`crate::migrate`]).
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// The memory at the start of a turn: the list that is worked on, the entries of the newest
    /// `turns` user inputs and of the run's own, and the newest query. [`Error::LostFence`] when
    /// the run is not the worker's any more.
    pub async fn recall(&self, fence: Fence, turns: u32) -> Result<Recollection, Error> {
        let run = sqlx::query_file!(
            "queries/recall_turn.sql",
            fence.run_id,
            fence.worker,
            fence.attempt,
        )
        .fetch_optional(&self.pool)
        .await?;
        let run = run.ok_or(Error::LostFence)?;
        let (thread_id, turn) = (run.thread_id, run.turn);
        let entries = sqlx::query_file_as!(
            EntryRow,
            "queries/recall_entries.sql",
            thread_id,
            integer(turn - i64::from(turns)),
            MAX_ENTRIES,
        )
        .fetch_all(&self.pool)
        .await?;
        let newest = self.kept_query(thread_id, None, Rows::Without).await?;
        Ok(Recollection {
            turn: u32::try_from(turn).unwrap_or(u32::MAX),
            active: self.active_list(thread_id).await?,
            entries: entries.into_iter().map(MemoryEntry::from).collect(),
            newest_query: newest.map(|query| query.metadata),
        })
    }

    /// Remembers all of it, or nothing. Returns the entry's `turn_id`, the next of the thread; 0
    /// without an entry. [`Error::LostFence`] when the run is not the worker's any more.
    pub async fn record(&self, fence: Fence, record: &Record) -> Result<u32, Error> {
        if record.query.is_some() && record.entry.is_none() {
            return Err(Error::Invalid("a query belongs to an attempt"));
        }
        let lists = Lists::of(&record.lists)?;
        let query = record.query.as_ref();
        let entry = record.entry.clone().map(|entry| MemoryEntry {
            // That there is one; its number becomes known only now.
            query_metadata: query.map(|_| 0),
            ..entry
        });
        let rows = match query.and_then(|query| query.rows.as_ref()) {
            Some(rows) => kept_rows(rows)?,
            None => None,
        };
        let turn_id = sqlx::query_file_scalar!(
            "queries/record_memory.sql",
            fence.run_id,
            fence.worker,
            fence.attempt,
            lists.ids as _,
            lists.states as _,
            lists.pointers as _,
            &lists.texts,
            entry.as_ref().map(json).transpose()?,
            entry.as_ref().map(|entry| integer(i64::from(entry.turn))),
            query.map(|query| json(&query.metadata)).transpose()?,
            rows.as_ref().map(|rows| rows.json.as_str()),
            rows.as_ref().map(|rows| rows.fetched_at),
        )
        .fetch_optional(&self.pool)
        .await?;
        turn_id.map(whole_number).ok_or(Error::LostFence)
    }

    /// Copies the memory of a thread to a new one of the same owner. Whose the threads are was
    /// decided when the new one was made.
    pub async fn copy(&self, from: Uuid, to: Uuid) -> Result<(), Error> {
        sqlx::query_file!("queries/copy_memory.sql", from, to)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// The query that the entry of this `turn_id` executed, the newest of the thread for `None`.
    /// For workers; whose the thread is was decided when the run was accepted.
    pub async fn remembered_query(
        &self,
        thread_id: Uuid,
        turn_id: Option<u32>,
    ) -> Result<Option<KeptQuery>, Error> {
        self.kept_query(thread_id, turn_id, Rows::Included).await
    }

    async fn kept_query(
        &self,
        thread_id: Uuid,
        turn_id: Option<u32>,
        rows: Rows,
    ) -> Result<Option<KeptQuery>, Error> {
        let row = sqlx::query_file_as!(
            QueryRow,
            "queries/kept_query.sql",
            thread_id,
            turn_id.map(|turn_id| integer(i64::from(turn_id))),
            matches!(rows, Rows::Included),
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(KeptQuery::from))
    }

    async fn active_list(&self, thread_id: Uuid) -> Result<Option<TodoList>, Error> {
        let list = sqlx::query_scalar!(
            r#"SELECT l.list AS "list: Json<TodoList>" FROM orchestrator.todo_lists l
               WHERE l.thread_id = $1 AND l.state = 'active'"#,
            thread_id,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(list.map(|list| list.0))
    }
}

/// Whether a query is read with its rows.
#[derive(Clone, Copy)]
enum Rows {
    Included,
    Without,
}

/// Lists as the columns of their rows.
#[derive(Default)]
struct Lists<'a> {
    ids: Vec<&'a str>,
    states: Vec<&'static str>,
    pointers: Vec<Option<&'a str>>,
    texts: Vec<String>,
}

impl<'a> Lists<'a> {
    fn of(lists: &'a [TodoList]) -> Result<Self, Error> {
        let mut columns = Self::default();
        for list in lists {
            columns.ids.push(&list.id);
            columns.states.push(state_text(list.state));
            columns.pointers.push(list.current_task_key.as_deref());
            columns.texts.push(json(list)?);
        }
        Ok(columns)
    }
}

fn state_text(state: TodoListState) -> &'static str {
    match state {
        TodoListState::Active => "active",
        TodoListState::Complete => "complete",
        TodoListState::Superseded => "superseded",
        TodoListState::Aborted => "aborted",
    }
}

/// Rows as they are stored.
struct KeptRows {
    json: String,
    fetched_at: DateTime<Utc>,
}

/// The rows as JSON, unless they are too large to be kept.
fn kept_rows(rows: &CachedRows) -> Result<Option<KeptRows>, Error> {
    let stored = StoredRows {
        columns: rows.columns.as_slice().into(),
        rows: rows.rows.as_slice().into(),
        complete: rows.complete,
    };
    let json = json(&stored)?;
    Ok((json.len() <= MAX_ROWS_BYTES).then_some(KeptRows {
        json,
        fetched_at: rows.fetched_at,
    }))
}

/// The column `rows`.
#[derive(Serialize, Deserialize)]
struct StoredRows<'a> {
    columns: std::borrow::Cow<'a, [ResultColumn]>,
    rows: std::borrow::Cow<'a, [Map<String, Value>]>,
    complete: bool,
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    storable_json(value).map_err(|_| Error::Invalid("what is remembered is no JSON"))
}

/// A number for a column of type `integer`.
fn integer(number: i64) -> i32 {
    i32::try_from(number.max(0)).unwrap_or(i32::MAX)
}

/// A number of such a column, none of which is negative.
pub(crate) fn whole_number(number: i32) -> u32 {
    number.unsigned_abs()
}

/// A row of `memory_entries`.
pub(crate) struct EntryRow {
    pub(crate) turn_id: i32,
    pub(crate) entry: Json<MemoryEntry>,
}

impl From<EntryRow> for MemoryEntry {
    fn from(row: EntryRow) -> Self {
        let turn_id = whole_number(row.turn_id);
        let entry = row.entry.0;
        Self {
            turn_id,
            query_metadata: entry.query_metadata.map(|_| turn_id),
            ..entry
        }
    }
}

/// A row of `query_metadata`.
struct QueryRow {
    turn_id: i32,
    metadata: Json<QueryMetadata>,
    rows: Option<Json<StoredRows<'static>>>,
    fetched_at: Option<DateTime<Utc>>,
}

impl From<QueryRow> for KeptQuery {
    fn from(row: QueryRow) -> Self {
        let rows = row.rows.zip(row.fetched_at);
        Self {
            metadata: QueryMetadata {
                turn_id: whole_number(row.turn_id),
                ..row.metadata.0
            },
            rows: rows.map(|(Json(stored), fetched_at)| CachedRows {
                columns: stored.columns.into_owned(),
                rows: stored.rows.into_owned(),
                complete: stored.complete,
                fetched_at,
            }),
        }
    }
}
