//! The assistant for its caller: one call per turn, events out.

use std::sync::Arc;

use agent_kit::{Begin, GraphRunner, Transient, TurnRun, TurnStart};
use contracts::run::RunEvent;
use futures::Stream;
use graph::{BuildError, Checkpointer, Error};

use crate::{
    ModelOptions, TurnInput,
    graph::build_graph,
    state::{SiteState, SiteUpdate, TurnHandle},
    turn::{Shared, Turn},
};

/// Supersteps of the longest turn without a model: free chat that hands over to the financial
/// report, which hands over to the audit, with recovery behind it, takes about twenty.
const LONGEST_TURN: u32 = 40;

/// Supersteps of one round of free chat with a model: it is asked, its calls are made, their
/// results are checked.
const ROUND: u32 = 3;

/// The site assistant. Built once; every turn of every thread runs on it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SiteAssistant {
    runner: GraphRunner<SiteState>,
    shared: Arc<Shared>,
}

impl SiteAssistant {
    /// An assistant that keeps its threads in the store, or remembers nothing when there is none.
    pub fn new(checkpointer: Option<Arc<dyn Checkpointer>>) -> Result<Self, BuildError> {
        let graph = build_graph()?;
        let graph = match checkpointer {
            Some(checkpointer) => graph.with_checkpointer(checkpointer),
            None => graph,
        };
        Ok(Self {
            runner: GraphRunner::new(graph),
            shared: Arc::default(),
        })
    }

    /// The same with other limits on what a model may do.
    #[must_use]
    pub fn with_model_options(self, options: ModelOptions) -> Self {
        Self {
            shared: Arc::new(Shared {
                options,
                ..Shared::default()
            }),
            ..self
        }
    }

    /// The memory of the thread with this key; `None` when there is no such thread.
    pub async fn thread(&self, thread_key: &str) -> Result<Option<SiteState>, Error> {
        Ok(self
            .runner
            .thread(thread_key)
            .await?
            .map(|snapshot| snapshot.state))
    }

    /// Runs a turn: see [`GraphRunner::run`].
    pub fn run(&self, input: TurnInput) -> TurnRun<SiteState> {
        self.runner.run(self.start(input))
    }

    /// Runs a turn again that was cut off: see [`GraphRunner::run_again`].
    pub fn run_again(
        &self,
        input: TurnInput,
    ) -> impl Stream<Item = RunEvent> + Send + 'static + use<> {
        self.runner.run_again(self.start(input))
    }

    fn start(&self, mut input: TurnInput) -> TurnStart<SiteState> {
        let (thread_id, thread_key) = (
            std::mem::take(&mut input.thread_id),
            input.thread_key.take(),
        );
        let (run_id, message_id) = (input.run_id.clone(), std::mem::take(&mut input.message_id));
        let cancellation = input.cancellation.clone();
        let user_timezone = input.user_timezone.take();
        let turn = Arc::new(Turn::new(input, Arc::clone(&self.shared)));
        TurnStart {
            thread_id,
            thread_key,
            run_id,
            message_id,
            recursion_limit: LONGEST_TURN + ROUND * (self.shared.options.max_steps + 1),
            account: Arc::clone(turn.performance.account()),
            cancellation,
            run: Arc::new(()),
            begin: Begin::Turn(SiteUpdate::Begin {
                user_timezone,
                turn: TurnHandle(Transient(Some(turn))),
            }),
        }
    }
}
