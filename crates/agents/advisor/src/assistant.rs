//! The assistant for whoever runs it: one call per turn, events out.

use std::sync::Arc;

use agent_kit::{Begin, Runner, Transient, TurnRun, TurnStart};
use contracts::run::RunEvent;
use futures::Stream;
use graph::{BuildError, Checkpointer, Error};

use crate::{
    AdvisorOptions, TurnInput,
    graph::build_graph,
    state::{AdvisorState, Change},
    turn::Turn,
};

/// The advisor. Built once; every turn of every thread runs on it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AdvisorAssistant {
    runner: Runner<AdvisorState>,
    options: Arc<AdvisorOptions>,
}

impl AdvisorAssistant {
    /// An assistant that keeps its threads in the store, or remembers nothing when there is none.
    pub fn new(checkpointer: Option<Arc<dyn Checkpointer>>) -> Result<Self, BuildError> {
        let graph = build_graph()?;
        let graph = match checkpointer {
            Some(checkpointer) => graph.with_checkpointer(checkpointer),
            None => graph,
        };
        Ok(Self {
            runner: Runner::new(graph),
            options: Arc::default(),
        })
    }

    /// The same within other limits.
    #[must_use]
    pub fn with_options(self, options: AdvisorOptions) -> Self {
        Self {
            options: Arc::new(options),
            ..self
        }
    }

    /// What the thread of this key remembers; `None` when there is no such thread.
    pub async fn thread(&self, thread_key: &str) -> Result<Option<AdvisorState>, Error> {
        let snapshot = self.runner.thread(thread_key).await?;
        Ok(snapshot.map(|snapshot| snapshot.state))
    }

    /// Runs a turn: see [`Runner::run`].
    pub fn run(&self, input: TurnInput) -> TurnRun<AdvisorState> {
        self.runner.run(self.start(input))
    }

    /// Runs a turn again that was cut off: see [`Runner::run_again`].
    pub fn run_again(
        &self,
        input: TurnInput,
    ) -> impl Stream<Item = RunEvent> + Send + 'static + use<> {
        self.runner.run_again(self.start(input))
    }

    fn start(&self, mut input: TurnInput) -> TurnStart<AdvisorState> {
        let (thread_id, thread_key) = (
            std::mem::take(&mut input.thread_id),
            input.thread_key.take(),
        );
        let (run_id, message_id) = (input.run_id.clone(), std::mem::take(&mut input.message_id));
        let cancellation = input.cancellation.clone();
        let turn = Arc::new(Turn::new(input, Arc::clone(&self.options)));
        TurnStart {
            thread_id,
            thread_key,
            run_id,
            message_id,
            // A round is asking and calling; before and after it the preparation, the closing call and the rules.
            recursion_limit: 2 * (self.options.max_steps + 1) + 4,
            account: Arc::clone(turn.performance.account()),
            cancellation,
            begin: Begin::Turn(Change::Begin(Transient(Some(turn))).into()),
        }
    }
}
