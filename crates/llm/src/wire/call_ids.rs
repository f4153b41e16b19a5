//! Ids for tool calls of providers that give none, or give the same id twice.

use std::collections::HashSet;

/// The ids of the tool calls of one answer.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    taken: HashSet<String>,
}

impl CallIds {
    /// The given id, or a new one if it is empty or in use.
    pub(crate) fn take(&mut self, id: String) -> String {
        let id = if id.is_empty() || self.taken.contains(&id) {
            format!("call_{:016x}", rand::random::<u64>())
        } else {
            id
        };
        self.taken.insert(id.clone());
        id
    }
}
