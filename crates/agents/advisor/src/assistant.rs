//! The advisor as an assistant: how a turn begins, and what of a thread is public.

use std::sync::Arc;

use agent_kit::{Assistant, AssistantGraph, Begin, Remembered, ToolSetCache, TurnInput};
use graph::{BuildError, Snapshot};
use serde_json::json;

use crate::{
    AdvisorRun, AdvisorSettings,
    graph::build_graph,
    state::{AdvisorState, AdvisorUpdate},
};

/// Supersteps of the longest turn: the preparation, the model, the rules.
const LONGEST_TURN: u32 = 3;

/// The advisor.
#[derive(Debug, Default)]
pub struct Advisor {
    settings: Arc<AdvisorSettings>,
    tool_sets: Arc<ToolSetCache>,
}

impl Advisor {
    /// The advisor with these settings.
    pub fn new(settings: AdvisorSettings) -> Self {
        Self {
            settings: Arc::new(settings),
            tool_sets: Arc::default(),
        }
    }
}

impl Assistant for Advisor {
    const NAME: &'static str = "advisor";
    // Its tools only read.
    const IS_REPEATABLE: bool = true;
    // For the inventory that the thread is about.
    const READS_THREAD: bool = true;

    type State = AdvisorState;
    type Run = AdvisorRun;

    fn build_graph() -> Result<AssistantGraph<Self>, BuildError> {
        build_graph()
    }

    fn recursion_limit(&self) -> u32 {
        LONGEST_TURN
    }

    fn run(&self, _turn: &TurnInput) -> AdvisorRun {
        AdvisorRun::new(Arc::clone(&self.settings), Arc::clone(&self.tool_sets))
    }

    fn begin(
        &self,
        _turn: &TurnInput,
        _kept: Option<&Snapshot<AdvisorState>>,
    ) -> Begin<AdvisorState> {
        Begin::Turn(AdvisorUpdate::Begin)
    }

    fn remembered(kept: &Snapshot<AdvisorState>) -> Remembered {
        Remembered {
            values: json!({ "sources": kept.state.sources }),
            asks: false,
        }
    }
}
