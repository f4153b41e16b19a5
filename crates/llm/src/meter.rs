//! Usage since the start, by model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{ModelId, Usage};

/// Counts calls and tokens. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct UsageMeter {
    totals: Arc<Mutex<HashMap<ModelId, ModelUsage>>>,
}

/// The usage of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// Calls whose answer was complete.
    pub answered: u64,
    /// Calls that failed; a call with its retries counts once.
    pub failed: u64,
    /// The tokens that the provider reports.
    pub tokens: Usage,
}

impl UsageMeter {
    /// The totals, by provider and model.
    pub fn totals(&self) -> Vec<(ModelId, ModelUsage)> {
        let mut totals: Vec<_> = self
            .lock()
            .iter()
            .map(|(model, usage)| (model.clone(), *usage))
            .collect();
        totals.sort_by(|(a, _), (b, _)| (&a.provider, &a.model).cmp(&(&b.provider, &b.model)));
        totals
    }

    pub(crate) fn answered(&self, model: &ModelId, tokens: Usage) {
        let mut totals = self.lock();
        let total = totals.entry(model.clone()).or_default();
        total.answered += 1;
        total.tokens += tokens;
    }

    pub(crate) fn failed(&self, model: &ModelId) {
        self.lock().entry(model.clone()).or_default().failed += 1;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ModelId, ModelUsage>> {
        // Counters have no intermediate state that a panic could leave.
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
