//! What the nodes of a run share.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use agent_kit::{PastMessage, Performance, TurnInput, UserInput};
use chrono::{DateTime, Utc};
use tokio::time::Instant;

use crate::{
    AnalystOptions, InProcessMemory, KeptQuery, Memory, MemoryError, Recollection, Record,
};

/// What the nodes of a run share.
pub(crate) struct Turn {
    pub(crate) run_id: String,
    pub(crate) message: UserInput,
    pub(crate) history: Vec<PastMessage>,
    pub(crate) options: Arc<AnalystOptions>,
    pub(crate) performance: Arc<Performance>,
    memory: Arc<dyn Memory>,
    thread_key: Arc<str>,
    now: DateTime<Utc>,
    began: Instant,
    lists: AtomicU64,
}

impl Turn {
    pub(crate) fn new(
        input: TurnInput,
        options: Arc<AnalystOptions>,
        memory: Arc<dyn Memory>,
    ) -> Self {
        let (memory, thread_key): (Arc<dyn Memory>, Arc<str>) = match input.thread_key {
            Some(key) => (memory, key),
            None => (Arc::new(InProcessMemory::default()), Arc::from("")),
        };
        Self {
            run_id: input.run_id.clone(),
            message: input.message,
            history: input.history,
            options,
            performance: Arc::new(Performance::new(input.run_id, input.tools, input.model)),
            memory,
            thread_key,
            now: input.now,
            began: Instant::now(),
            lists: AtomicU64::new(0),
        }
    }

    /// The time: that of the turn, and what has passed since.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.now + self.began.elapsed()
    }

    /// The time that the turn began at.
    pub(crate) fn began_at(&self) -> DateTime<Utc> {
        self.now
    }

    /// A list's id, unique in the thread because the run's is.
    pub(crate) fn new_list_id(&self) -> String {
        let number = self.lists.fetch_add(1, Ordering::Relaxed) + 1;
        format!("plan_{}_{number}", self.run_id)
    }

    pub(crate) async fn recall(&self) -> Result<Recollection, MemoryError> {
        let turns = self.options.short_term_memory_turns;
        self.memory
            .recall(&self.thread_key, &self.run_id, turns)
            .await
    }

    pub(crate) async fn record(&self, record: Record) -> Result<u32, MemoryError> {
        self.memory.record(&self.thread_key, record).await
    }

    /// The addresses of the queries of the newest turns, oldest first.
    pub(crate) async fn queries(&self, turns: u32) -> Result<Vec<u32>, MemoryError> {
        let recalled = self.memory.recall(&self.thread_key, &self.run_id, turns);
        let entries = recalled.await?.entries;
        let queries = entries.into_iter().filter_map(|entry| entry.query_metadata);
        Ok(queries.collect())
    }

    pub(crate) async fn query(
        &self,
        turn_id: Option<u32>,
    ) -> Result<Option<KeptQuery>, MemoryError> {
        self.memory.query(&self.thread_key, turn_id).await
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn").finish_non_exhaustive()
    }
}
