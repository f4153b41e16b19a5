//! The state of a thread, and the reducers that change it. Only the sources of the newest answer
//! outlive a turn; the conversation itself is the orchestrator's.

use agent_kit::{ThreadState, passages::Source};
use contracts::run::RunEvent;
use graph::State;
use serde::{Deserialize, Serialize};

/// The state of a thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AdvisorState {
    /// The sources of the newest answer.
    pub sources: Vec<Source>,
}

/// A change of the state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum AdvisorUpdate {
    /// A turn begins.
    Begin,
    /// An answer was given that rests on these.
    Sources(Vec<Source>),
}

impl State for AdvisorState {
    type Update = AdvisorUpdate;
    type Event = RunEvent;

    fn apply(&mut self, update: AdvisorUpdate) {
        match update {
            AdvisorUpdate::Begin => self.sources.clear(),
            AdvisorUpdate::Sources(sources) => self.sources = sources,
        }
    }
}

impl ThreadState for AdvisorState {}
