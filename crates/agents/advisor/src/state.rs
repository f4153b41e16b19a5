//! The state of a thread, and the reducers that change it. Only the sources of the newest answer outlive a turn; the conversation itself is
//! the orchestrator's.

use std::sync::Arc;

use agent_kit::{Transient, passages::Source};
use contracts::{run::RunEvent, tools::ToolDefinition};
use graph::{NodeError, State};
use serde::{Deserialize, Serialize};

use crate::{dialogue::Dialogue, turn::Turn};

/// The state of a thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AdvisorState {
    /// What the newest answer rests on.
    pub sources: Vec<Source>,
    #[serde(skip)]
    pub(crate) work: Work,
}

/// What the nodes of one turn tell one another; in memory only.
#[derive(Clone, Default)]
pub(crate) struct Work {
    turn: Option<Arc<Turn>>,
    pub(crate) next: Next,
    /// What may be called.
    pub(crate) tools: Arc<Vec<ToolDefinition>>,
    pub(crate) dialogue: Option<Arc<Dialogue>>,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

/// Where a turn goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Next {
    /// The rules answer.
    #[default]
    Rules,
    /// The model is asked.
    Model,
    /// Its calls are made.
    Tools,
    /// The answer is given.
    Over,
}

/// A change of the state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AdvisorUpdate(pub(crate) Change);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Change {
    Begin(Transient<Turn>),
    Tools(Transient<Vec<ToolDefinition>>),
    Dialogue(Transient<Dialogue>),
    Sources(Vec<Source>),
    Next(Next),
}

impl From<Change> for AdvisorUpdate {
    fn from(change: Change) -> Self {
        Self(change)
    }
}

impl State for AdvisorState {
    type Update = AdvisorUpdate;
    type Event = RunEvent;

    fn apply(&mut self, update: AdvisorUpdate) {
        match update.0 {
            Change::Begin(turn) => {
                *self = Self::default();
                self.work.turn = turn.0;
            }
            Change::Tools(tools) => self.work.tools = tools.0.unwrap_or_default(),
            Change::Dialogue(dialogue) => self.work.dialogue = dialogue.0,
            Change::Sources(sources) => self.sources = sources,
            Change::Next(next) => self.work.next = next,
        }
    }
}

impl AdvisorState {
    /// Fails on a state that no turn has begun.
    pub(crate) fn turn(&self) -> Result<Arc<Turn>, NodeError> {
        let turn = self.work.turn.clone();
        turn.ok_or_else(|| NodeError::permanent("a turn has to begin with its input"))
    }
}
