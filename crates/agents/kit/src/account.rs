//! The usage of a run's models, for its last event.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use contracts::run::{Source, Usage};

/// The usage and failures of the models of one run.
#[derive(Debug, Default)]
pub struct Account {
    usage: Mutex<Option<Usage>>,
    failed: AtomicBool,
    warned: Mutex<BTreeSet<String>>,
    worded: AtomicBool,
    said: AtomicBool,
    cut: AtomicBool,
    broken_off: AtomicBool,
    tools_missed: AtomicBool,
    tools_told: AtomicBool,
}

impl Account {
    /// Counts a request to a model; its usage is reported when it has answered.
    pub fn asked(&self) {
        self.lock().get_or_insert_default();
    }

    /// A model has answered.
    pub fn pay(&self, usage: llm::Usage) {
        *self.lock().get_or_insert_default() += Usage {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_input_tokens: usage.cached_input_tokens,
            reasoning_tokens: usage.reasoning_tokens,
        };
    }

    /// The tokens that were read and written; `None` when no model was asked.
    pub fn usage(&self) -> Option<Usage> {
        *self.lock()
    }

    /// The model failed: it is not asked again in this run.
    pub fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Whether the model has failed.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Whether the person still has to be warned of this; `true` only once for each reason.
    pub fn warns(&self, reason: &str) -> bool {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        warned.insert(reason.to_owned())
    }

    /// A sentence of a model that answers is out, and stays in the answer whatever follows it.
    pub fn model_said(&self) {
        self.said.store(true, Ordering::Relaxed);
    }

    /// Who words the answer from here on. Where a model said something before, the answer remains
    /// its.
    pub fn worded_by(&self, source: Source) {
        self.worded
            .store(source == Source::Model, Ordering::Relaxed);
    }

    /// Who worded the answer: a model if any sentence of it that answers is the model's.
    pub fn source(&self) -> Source {
        if self.said.load(Ordering::Relaxed) || self.worded.load(Ordering::Relaxed) {
            Source::Model
        } else {
            Source::Rules
        }
    }

    /// The answer was cut because it became too long.
    pub fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    /// Whether the answer was cut.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The model stopped in the middle of the answer, and nothing completed it.
    pub fn break_off(&self) {
        self.broken_off.store(true, Ordering::Relaxed);
    }

    /// Whether the answer lacks its end.
    pub fn was_broken_off(&self) -> bool {
        self.broken_off.load(Ordering::Relaxed)
    }

    /// The tools service did not answer.
    pub fn miss_tools(&self) {
        self.tools_missed.store(true, Ordering::Relaxed);
    }

    /// Whether a warning that the tools service did not answer is due, which happens once.
    pub fn tells_missing_tools(&self) -> bool {
        self.tools_missed.load(Ordering::Relaxed) && !self.tools_told.swap(true, Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Usage>> {
        // A number is whole whatever happened to its last writer.
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
