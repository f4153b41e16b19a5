//! The data assistant as an assistant: how a turn begins, and what of a thread is public.

use std::sync::Arc;

use agent_kit::{Assistant, AssistantGraph, Begin, Remembered, TurnInput, UserInput, approval};
use graph::{Answers, BuildError, Snapshot};
use serde_json::{Value, json};

use crate::{
    DataRun, DataSettings, PlanPreview, TargetChoice,
    graph::build_graph,
    nodes::choose_target,
    state::{DataState, Update},
};

/// Supersteps around the loop of writing, checking, running and correcting: the router, four to
/// prepare, a person's approval, the answer; and the preparation once more when the person needs it
/// otherwise.
const AROUND_THE_LOOP: u32 = 14;

/// The data assistant.
#[derive(Debug, Default)]
pub struct DataAssistant {
    settings: Arc<DataSettings>,
}

impl DataAssistant {
    /// The assistant with these settings.
    pub fn new(settings: DataSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }
}

impl Assistant for DataAssistant {
    const NAME: &'static str = "data";
    // Its tools read, save for one that keeps a question, which is kept once however often it is;
    // and a turn is stored in the thread as a whole or not at all.
    const IS_REPEATABLE: bool = true;
    // Its context may name the target database.
    const READS_THREAD: bool = true;
    const INTERRUPTS: bool = true;

    type State = DataState;
    type Run = DataRun;

    fn build_graph() -> Result<AssistantGraph<Self>, BuildError> {
        build_graph()
    }

    fn recursion_limit(&self) -> u32 {
        AROUND_THE_LOOP + self.settings.limits.max_iterations
    }

    fn run(&self, _turn: &TurnInput) -> DataRun {
        DataRun::new(Arc::clone(&self.settings))
    }

    /// If the thread waits for an approval, any message is one; if it waits for a target, one
    /// that names a target.
    fn begin(&self, turn: &TurnInput, kept: Option<&Snapshot<DataState>>) -> Begin<DataState> {
        match kept.and_then(|kept| answer(&turn.message, kept)) {
            Some(answer) => Begin::Answer {
                answers: Answers::one(answer),
                update: None,
            },
            None => Begin::Turn(Update::Begin(turn.now).into()),
        }
    }

    fn remembered(kept: &Snapshot<DataState>) -> Remembered {
        let (plan, choice) = (pending_plan(kept), pending_choice(kept));
        Remembered {
            asks: plan.is_some() || choice.is_some(),
            values: json!({
                "route": kept.state.route,
                "queries": kept.state.queries,
                "confirmable": kept.state.confirmable,
                "pending_plan": plan,
                "pending_target": choice,
            }),
        }
    }
}

/// The answer to what the thread waits for, if the message is one.
fn answer(message: &UserInput, kept: &Snapshot<DataState>) -> Option<Value> {
    let plan = pending_plan(kept).filter(|plan| match message {
        UserInput::Text(_) => true,
        UserInput::SelectionOutput { call_id, .. } => *call_id == plan.call_id,
    });
    if plan.is_some() {
        return serde_json::to_value(approval::read(&message.words())).ok();
    }
    let choice = pending_choice(kept)?;
    choose_target::read(message, &choice).map(Value::String)
}

/// The plan that waits for a person's approval.
pub fn pending_plan(kept: &Snapshot<DataState>) -> Option<PlanPreview> {
    let mut waiting = kept.interrupts();
    waiting.find_map(|interrupt| interrupt.payload_as().ok())
}

/// The question for the target that waits for an answer.
pub fn pending_choice(kept: &Snapshot<DataState>) -> Option<TargetChoice> {
    let mut waiting = kept.interrupts();
    waiting.find_map(|interrupt| interrupt.payload_as().ok())
}
