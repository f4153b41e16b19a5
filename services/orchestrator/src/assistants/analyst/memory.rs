//! The memory of one run: what it reads is its thread's, what it writes is fenced.

use agent_analyst::{CachedRows, KeptQuery, Memory, MemoryError, Recollection, Record};
use async_trait::async_trait;
use conversations::{Error, Fence, Store, memory};
use uuid::Uuid;

/// The memory in the database, for a run.
pub(super) struct RunMemory {
    store: Store,
    fence: Fence,
}

impl RunMemory {
    pub(super) fn new(store: Store, fence: Fence) -> Self {
        Self { store, fence }
    }
}

#[async_trait]
impl Memory for RunMemory {
    /// Of the run's own thread, whatever the key.
    async fn recall(
        &self,
        _thread_key: &str,
        _run_id: &str,
        turns: u32,
    ) -> Result<Recollection, MemoryError> {
        let recalled = self.store.recall(self.fence, turns).await;
        let recalled = recalled.map_err(failure)?;
        Ok(Recollection {
            turn: recalled.turn,
            active: recalled.active,
            entries: recalled.entries,
            newest_query: recalled.newest_query,
        })
    }

    async fn record(&self, _thread_key: &str, record: Record) -> Result<u32, MemoryError> {
        let record = memory::Record {
            lists: record.lists,
            entry: record.entry,
            query: record.query.map(|query| memory::NewQuery {
                metadata: query.metadata,
                rows: query.rows.map(stored),
            }),
        };
        let recorded = self.store.record(self.fence, &record).await;
        recorded.map_err(failure)
    }

    async fn query(
        &self,
        thread_key: &str,
        turn_id: Option<u32>,
    ) -> Result<Option<KeptQuery>, MemoryError> {
        let thread_id = Uuid::parse_str(thread_key);
        let thread_id = thread_id.map_err(|error| MemoryError::Failed(error.into()))?;
        let kept = self.store.remembered_query(thread_id, turn_id).await;
        let kept = kept.map_err(failure)?;
        Ok(kept.map(|kept| KeptQuery {
            metadata: kept.metadata,
            rows: kept.rows.map(cached),
        }))
    }
}

fn stored(rows: CachedRows) -> memory::CachedRows {
    memory::CachedRows {
        columns: rows.columns,
        rows: rows.rows,
        complete: rows.complete,
        fetched_at: rows.fetched_at,
    }
}

fn cached(rows: memory::CachedRows) -> CachedRows {
    CachedRows {
        columns: rows.columns,
        rows: rows.rows,
        complete: rows.complete,
        fetched_at: rows.fetched_at,
    }
}

fn failure(error: Error) -> MemoryError {
    match error {
        Error::LostFence | Error::NotFound => MemoryError::Lost,
        Error::Unavailable(_) => MemoryError::Unavailable(error.into()),
        other => MemoryError::Failed(other.into()),
    }
}
