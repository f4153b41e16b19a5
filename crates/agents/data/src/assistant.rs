//! The assistant for whoever runs it: one call per turn, events out.

use std::sync::Arc;

use agent_kit::{Begin, GraphRunner, Transient, TurnStart};
use contracts::run::RunEvent;
use futures::Stream;
use graph::{Answers, BuildError, Checkpointer, Error, Snapshot};
use serde_json::Value;

use crate::{
    DataOptions, PlanPreview, TargetChoice, TurnInput, UserInput,
    graph::build_graph,
    language::approval,
    nodes::choose_target,
    state::{DataState, DataUpdate, TurnHandle},
    turn::Turn,
};

/// Supersteps around the loop of writing, checking, running and correcting: the router, four to prepare, a person's approval, the answer; and
/// the preparation once more when the person wants it otherwise.
const AROUND_THE_LOOP: u32 = 14;

/// The data assistant. Built once; every turn of every thread runs on it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DataAssistant {
    runner: GraphRunner<DataState>,
    options: Arc<DataOptions>,
    /// The target that the next turns are about, by what was sent beside the message.
    target: Option<String>,
}

/// What a thread remembers.
#[derive(Debug, Clone)]
pub struct DataThread {
    /// The state.
    pub state: DataState,
    /// The plan that waits for a person's approval.
    pub pending: Option<PlanPreview>,
    /// The question for the target that waits for an answer.
    pub choice: Option<TargetChoice>,
}

impl DataAssistant {
    /// An assistant that keeps its threads in the store, or remembers nothing when there is none.
    pub fn new(checkpointer: Option<Arc<dyn Checkpointer>>) -> Result<Self, BuildError> {
        let graph = build_graph()?;
        let graph = match checkpointer {
            Some(checkpointer) => graph.with_checkpointer(checkpointer),
            None => graph,
        };
        Ok(Self {
            runner: GraphRunner::new(graph),
            options: Arc::default(),
            target: None,
        })
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(self, options: DataOptions) -> Self {
        Self {
            options: Arc::new(options),
            ..self
        }
    }

    /// The same for a turn whose request names a target beside the message. Words that name another one still win.
    #[must_use]
    pub fn with_target(self, target: Option<String>) -> Self {
        Self { target, ..self }
    }

    /// What the thread of this key remembers; `None` when there is no such thread.
    pub async fn thread(&self, thread_key: &str) -> Result<Option<DataThread>, Error> {
        let snapshot = self.runner.thread(thread_key).await?;
        Ok(snapshot.map(|snapshot| DataThread {
            pending: pending(&snapshot),
            choice: choice(&snapshot),
            state: snapshot.state,
        }))
    }

    /// Runs a turn: see [`GraphRunner::run`]. A thread whose plan waits for approval goes on with the message as the answer.
    pub fn run(&self, input: TurnInput) -> impl Stream<Item = RunEvent> + Send + 'static + use<> {
        let (assistant, key) = (self.clone(), input.thread_key.clone());
        let start = move |kept: Option<&_>| assistant.start(input, kept);
        self.runner.run_from(key, start)
    }

    /// Runs a turn again that was cut off: see [`GraphRunner::run_again`].
    pub fn run_again(
        &self,
        input: TurnInput,
    ) -> impl Stream<Item = RunEvent> + Send + 'static + use<> {
        let (assistant, key, run_id) =
            (self.clone(), input.thread_key.clone(), input.run_id.clone());
        let start = move |kept: Option<&_>| assistant.start(input, kept);
        self.runner.run_again_from(key, run_id, start)
    }

    fn start(
        &self,
        mut input: TurnInput,
        kept: Option<&Snapshot<DataState>>,
    ) -> TurnStart<DataState> {
        let (thread_id, thread_key) = (
            std::mem::take(&mut input.thread_id),
            input.thread_key.take(),
        );
        let (run_id, message_id) = (input.run_id.clone(), std::mem::take(&mut input.message_id));
        let cancellation = input.cancellation.clone();
        let waiting = kept.and_then(pending);
        let answer = waiting.filter(|plan| match &input.message {
            UserInput::Text(_) => true,
            UserInput::SelectionOutput { call_id, .. } => *call_id == plan.call_id,
        });
        let answer = answer.map(|_| approval::read(&input.message.words()));
        let answer = match answer.map(|answer| serde_json::to_value(answer).unwrap_or_default()) {
            Some(answer) => Some(answer),
            None => kept
                .and_then(choice)
                .and_then(|choice| choose_target::read(&input.message, &choice))
                .map(Value::String),
        };
        let options = Arc::clone(&self.options);
        let turn = Arc::new(Turn::new(input, options, self.target.clone()));
        let account = Arc::clone(turn.performance.account());
        let turn = TurnHandle(Transient(Some(turn)));
        TurnStart {
            thread_id,
            thread_key,
            run_id,
            message_id,
            recursion_limit: AROUND_THE_LOOP + self.options.limits.max_iterations,
            account,
            cancellation,
            run: Arc::new(()),
            begin: match answer {
                Some(answer) => Begin::Answer {
                    answers: Answers::one(answer),
                    update: Some(DataUpdate::Resume(turn)),
                },
                None => Begin::Turn(DataUpdate::Begin(turn)),
            },
        }
    }
}

fn pending(snapshot: &Snapshot<DataState>) -> Option<PlanPreview> {
    let mut waiting = snapshot.interrupts();
    waiting.find_map(|interrupt| interrupt.payload_as().ok())
}

fn choice(snapshot: &Snapshot<DataState>) -> Option<TargetChoice> {
    let mut waiting = snapshot.interrupts();
    waiting.find_map(|interrupt| interrupt.payload_as().ok())
}
