//! The analyst as an assistant: how a turn begins, and what of a thread is public.

use std::{fmt, sync::Arc};

use agent_kit::{Assistant, AssistantGraph, Begin, Remembered, TurnInput};
use graph::{Answers, BuildError, Snapshot};
use serde_json::json;

use crate::{
    AnalystRun, AnalystSettings, Memories,
    graph::build_graph,
    state::{AnalystState, AnalystUpdate, Change, OpenQuestion},
};

/// Supersteps around the attempts: the question before, reading, rewriting, planning, approval,
/// asking, the answer.
const AROUND_THE_ATTEMPTS: u32 = 12;

/// The analyst. It keeps lists, entries and queries of its threads in a memory beside their
/// checkpoints.
pub struct AnalystAssistant {
    settings: Arc<AnalystSettings>,
    memories: Arc<dyn Memories>,
}

impl AnalystAssistant {
    /// The analyst with these settings, whose runs are given their memories from here.
    pub fn new(settings: AnalystSettings, memories: Arc<dyn Memories>) -> Self {
        Self {
            settings: Arc::new(settings),
            memories,
        }
    }
}

impl fmt::Debug for AnalystAssistant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnalystAssistant")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Assistant for AnalystAssistant {
    const NAME: &'static str = "analyst";
    // Its tools read, and what it has recorded it does not do again.
    const IS_REPEATABLE: bool = true;
    const INTERRUPTS: bool = true;

    type State = AnalystState;
    type Run = AnalystRun;

    fn build_graph() -> Result<AssistantGraph<Self>, BuildError> {
        build_graph()
    }

    fn recursion_limit(&self) -> u32 {
        AROUND_THE_ATTEMPTS + self.settings.max_iterations
    }

    fn run(&self, turn: &TurnInput) -> AnalystRun {
        AnalystRun::new(turn, Arc::clone(&self.settings), &*self.memories)
    }

    /// A thread with an open question continues there; whether the message answers it is the first
    /// thing that is found out.
    fn begin(
        &self,
        turn: &TurnInput,
        kept: Option<&Snapshot<AnalystState>>,
    ) -> Begin<AnalystState> {
        let update = AnalystUpdate(Change::Begin);
        if kept.is_some_and(|kept| open_question(kept).is_some()) {
            Begin::Answer {
                answers: Answers::one(json!(turn.message.words())),
                update: Some(update),
            }
        } else {
            Begin::Turn(update)
        }
    }

    /// The memory in the checkpoint; lists, entries and queries are in the analyst's own memory.
    fn remembered(kept: &Snapshot<AnalystState>) -> Remembered {
        let question = open_question(kept);
        Remembered {
            asks: question.is_some(),
            values: json!({ "open_question": question }),
        }
    }
}

/// The question that waits for the person.
pub fn open_question(kept: &Snapshot<AnalystState>) -> Option<OpenQuestion> {
    let mut waiting = kept.interrupts();
    waiting.find_map(|interrupt| interrupt.payload_as().ok())
}
