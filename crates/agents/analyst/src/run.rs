//! The state that the nodes of one run share.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use agent_kit::{NodeContext, RunContext, TurnInput};
use chrono::{DateTime, Utc};
use tokio::time::Instant;

use crate::{
    AnalystSettings, InProcessMemory, KeptQuery, Memories, Memory, MemoryError, Recollection,
    Record,
    state::{AnalystState, Work},
};

pub(crate) type Run = RunContext<AnalystRun>;
pub(crate) type Context = graph::Context<AnalystState, Run>;
pub(crate) type Node = NodeContext<AnalystState, Run>;

/// What only the analyst's nodes share within a run.
pub struct AnalystRun {
    pub(crate) run_id: String,
    pub(crate) settings: Arc<AnalystSettings>,
    memory: Arc<dyn Memory>,
    thread_key: Arc<str>,
    now: DateTime<Utc>,
    began: Instant,
    lists: AtomicU64,
    work: Mutex<Work>,
}

impl AnalystRun {
    pub(crate) fn new(
        turn: &TurnInput,
        settings: Arc<AnalystSettings>,
        memories: &dyn Memories,
    ) -> Self {
        let (memory, thread_key): (Arc<dyn Memory>, Arc<str>) = match &turn.thread_key {
            Some(key) => (memories.of(turn), Arc::clone(key)),
            None => (Arc::new(InProcessMemory::default()), Arc::from("")),
        };
        Self {
            run_id: turn.run_id.clone(),
            settings,
            memory,
            thread_key,
            now: turn.now,
            began: Instant::now(),
            lists: AtomicU64::new(0),
            work: Mutex::default(),
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
        let turns = self.settings.short_term_memory_turns;
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

    /// The work of the nodes so far: a copy, to be changed and [kept](Self::keep).
    pub(crate) fn work(&self) -> Work {
        self.lock().clone()
    }

    pub(crate) fn keep(&self, work: Work) {
        *self.lock() = work;
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        // It is replaced as a whole.
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for AnalystRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnalystRun").finish_non_exhaustive()
    }
}
