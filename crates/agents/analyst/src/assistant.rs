//! The assistant for whoever runs it: one call per turn, events out.

use std::sync::Arc;

use agent_kit::{Begin, GraphRunner, Transient, TurnStart};
use contracts::run::RunEvent;
use futures::Stream;
use graph::{Answers, BuildError, Checkpointer, Error, Snapshot};
use serde_json::json;

use crate::{
    AnalystOptions, Memory, TurnInput,
    graph::build_graph,
    state::{AnalystState, AnalystUpdate, Change, OpenQuestion, TurnHandle},
    turn::Turn,
};

/// Supersteps around the attempts: the question before, reading, rewriting, planning, approval, asking, the answer.
const AROUND_THE_ATTEMPTS: u32 = 12;

/// The analyst. Built once; every turn of every thread runs on it. Cheap to clone.
#[derive(Clone)]
pub struct AnalystAssistant {
    runner: GraphRunner<AnalystState>,
    memory: Arc<dyn Memory>,
    options: Arc<AnalystOptions>,
}

/// What the checkpoint of a thread has. Its lists, entries and queries are the memory's.
#[derive(Debug, Clone)]
pub struct AnalystThread {
    /// The state.
    pub state: AnalystState,
    /// The question that waits for the person.
    pub pending: Option<OpenQuestion>,
}

impl std::fmt::Debug for AnalystAssistant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnalystAssistant")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl AnalystAssistant {
    /// An assistant that keeps its threads' checkpoints in the store (or none), and their lists, entries and queries in the memory.
    pub fn new(
        checkpointer: Option<Arc<dyn Checkpointer>>,
        memory: Arc<dyn Memory>,
    ) -> Result<Self, BuildError> {
        let graph = build_graph()?;
        let graph = match checkpointer {
            Some(checkpointer) => graph.with_checkpointer(checkpointer),
            None => graph,
        };
        Ok(Self {
            runner: GraphRunner::new(graph),
            memory,
            options: Arc::default(),
        })
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(self, options: AnalystOptions) -> Self {
        Self {
            options: Arc::new(options),
            ..self
        }
    }

    /// The same with another memory: that of one run, which writes only as long as the thread is the run's.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn Memory>) -> Self {
        Self { memory, ..self }
    }

    /// What the checkpoint of the thread of this key has; `None` when there is none.
    pub async fn thread(&self, thread_key: &str) -> Result<Option<AnalystThread>, Error> {
        let snapshot = self.runner.thread(thread_key).await?;
        Ok(snapshot.map(|snapshot| AnalystThread {
            pending: pending(&snapshot),
            state: snapshot.state,
        }))
    }

    /// Runs a turn: see [`GraphRunner::run`]. A thread with an open question goes on there; whether the message answers it is the first thing
    /// that is found out.
    pub fn run(&self, input: TurnInput) -> impl Stream<Item = RunEvent> + Send + 'static + use<> {
        let (assistant, key) = (self.clone(), input.thread_key.clone());
        let start = move |kept: Option<&_>| assistant.start(input, kept);
        self.runner.run_from(key, start)
    }

    /// Runs a turn again that was cut off: see [`GraphRunner::run_again`]. What it had recorded in the memory is not done again.
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
        kept: Option<&Snapshot<AnalystState>>,
    ) -> TurnStart<AnalystState> {
        let thread_id = std::mem::take(&mut input.thread_id);
        let thread_key = input.thread_key.clone();
        let (run_id, message_id) = (input.run_id.clone(), std::mem::take(&mut input.message_id));
        let cancellation = input.cancellation.clone();
        let waits = kept.is_some_and(|kept| pending(kept).is_some());
        let answer = json!(input.message.words());
        let turn = Turn::new(input, Arc::clone(&self.options), Arc::clone(&self.memory));
        let account = Arc::clone(turn.performance.account());
        let turn = TurnHandle(Transient(Some(Arc::new(turn))));
        let update = AnalystUpdate(Change::Begin(turn));
        TurnStart {
            thread_id,
            thread_key,
            run_id,
            message_id,
            recursion_limit: AROUND_THE_ATTEMPTS + self.options.max_iterations,
            account,
            cancellation,
            run: Arc::new(()),
            begin: if waits {
                Begin::Answer {
                    answers: Answers::one(answer),
                    update: Some(update),
                }
            } else {
                Begin::Turn(update)
            },
        }
    }
}

fn pending(snapshot: &Snapshot<AnalystState>) -> Option<OpenQuestion> {
    let mut waiting = snapshot.interrupts();
    waiting.find_map(|interrupt| interrupt.payload_as().ok())
}
