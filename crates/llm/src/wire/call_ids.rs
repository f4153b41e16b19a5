//! Ids for tool calls whose provider gives none, or gives one twice.

use std::collections::HashSet;

/// The ids of one answer's calls.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    taken: HashSet<String>,
}

impl CallIds {
    /// The given id, or a new one if it is empty or taken.
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
