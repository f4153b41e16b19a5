//! A memory that ends with its process: for turns without a thread, and for tests.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use contracts::todo::{MemoryEntry, TodoList, TodoListState};

use super::{KeptQuery, Memory, MemoryError, Recollection, Record};

/// A memory that ends with its process.
#[derive(Debug, Default)]
pub struct InProcessMemory {
    threads: Mutex<BTreeMap<String, Thread>>,
}

/// The memory of a thread.
#[derive(Debug, Clone, Default)]
struct Thread {
    /// The run of each turn.
    runs: Vec<String>,
    lists: Vec<TodoList>,
    entries: Vec<MemoryEntry>,
    queries: Vec<KeptQuery>,
}

impl InProcessMemory {
    /// Every list of the thread, oldest first.
    pub fn lists(&self, thread_key: &str) -> Vec<TodoList> {
        self.with(thread_key, |thread| thread.lists.clone())
    }

    /// Every entry of the thread, oldest first.
    pub fn entries(&self, thread_key: &str) -> Vec<MemoryEntry> {
        self.with(thread_key, |thread| thread.entries.clone())
    }

    /// Every query of the thread, oldest first.
    pub fn queries(&self, thread_key: &str) -> Vec<KeptQuery> {
        self.with(thread_key, |thread| thread.queries.clone())
    }

    fn with<T>(&self, thread_key: &str, work: impl FnOnce(&mut Thread) -> T) -> T {
        // A thread is changed whole or not at all.
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        work(threads.entry(thread_key.to_owned()).or_default())
    }
}

#[async_trait]
impl Memory for InProcessMemory {
    async fn recall(
        &self,
        thread_key: &str,
        run_id: &str,
        turns: u32,
    ) -> Result<Recollection, MemoryError> {
        Ok(self.with(thread_key, |thread| thread.recall(run_id, turns)))
    }

    async fn record(&self, thread_key: &str, record: Record) -> Result<u32, MemoryError> {
        Ok(self.with(thread_key, |thread| thread.record(record)))
    }

    async fn query(
        &self,
        thread_key: &str,
        turn_id: Option<u32>,
    ) -> Result<Option<KeptQuery>, MemoryError> {
        Ok(self.with(thread_key, |thread| {
            let mut queries = thread.queries.iter().rev();
            queries
                .find(|query| turn_id.is_none_or(|wanted| query.metadata.turn_id == wanted))
                .cloned()
        }))
    }
}

impl Thread {
    fn recall(&mut self, run_id: &str, turns: u32) -> Recollection {
        let at = self.runs.iter().position(|run| run == run_id);
        let at = at.unwrap_or_else(|| {
            self.runs.push(run_id.to_owned());
            self.runs.len() - 1
        });
        let turn = number(at) + 1;
        let mut entries: Vec<MemoryEntry> = Vec::new();
        let mut seen: Vec<u32> = Vec::new();
        for entry in self.entries.iter().rev() {
            if !seen.contains(&entry.turn) {
                if number(seen.len()) >= turns {
                    break;
                }
                seen.push(entry.turn);
            }
            entries.insert(0, entry.clone());
        }
        let active = |list: &&TodoList| list.state == TodoListState::Active;
        Recollection {
            turn,
            active: self.lists.iter().rev().find(active).cloned(),
            entries,
            newest_query: self.queries.last().map(|query| query.metadata.clone()),
        }
    }

    fn record(&mut self, record: Record) -> u32 {
        for list in record.lists {
            match self.lists.iter_mut().find(|known| known.id == list.id) {
                Some(known) => *known = list,
                None => self.lists.push(list),
            }
        }
        let Some(mut entry) = record.entry else {
            return 0;
        };
        entry.turn_id = number(self.entries.len()) + 1;
        if let Some(query) = record.query {
            let mut metadata = query.metadata;
            metadata.turn_id = entry.turn_id;
            entry.query_metadata = Some(entry.turn_id);
            self.queries.push(KeptQuery {
                metadata,
                rows: query.rows,
            });
        }
        let turn_id = entry.turn_id;
        self.entries.push(entry);
        turn_id
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
