//! An assistant as a type: its state, its graph, and how a turn begins on it. What all assistants
//! do alike is [`Runner`]'s.

use std::{fmt, sync::Arc};

use contracts::run::RunEvent;
use futures::{StreamExt, stream, stream::BoxStream};
use graph::{BuildError, Checkpointer, CompiledGraph, Error, Snapshot};
use serde_json::Value;

use crate::{
    Begin, RunContext, ThreadState, TurnInput,
    runner::{GraphRunner, TurnStart},
};

/// The graph of an assistant.
pub type AssistantGraph<A> =
    CompiledGraph<<A as Assistant>::State, RunContext<<A as Assistant>::Run>>;

/// An assistant: answers messages, one turn of a thread at a time. The value holds its settings and
/// what its turns share, and nothing of any person.
pub trait Assistant: Send + Sync + 'static {
    /// Its name on the wire.
    const NAME: &'static str;

    /// Whether a turn that a crash cut off may be run again, because its steps only read.
    const IS_REPEATABLE: bool;

    /// Whether it reads what its thread is about ([`TurnInput::context`]); finding that out costs a
    /// read.
    const READS_THREAD: bool = false;

    /// Whether its graph interrupts to ask the person. Then [`Assistant::begin`] is given the
    /// thread; that costs a read.
    const INTERRUPTS: bool = false;

    /// What it remembers of a thread.
    type State: ThreadState;

    /// What only this assistant's nodes share within a run: [`RunContext::assistant`].
    type Run: Send + Sync + 'static;

    /// Builds its graph. It holds nothing of any person, so one serves every thread.
    fn build_graph() -> Result<AssistantGraph<Self>, BuildError>
    where
        Self: Sized;

    /// Supersteps that the longest turn may take.
    fn recursion_limit(&self) -> u32;

    /// What the nodes of this turn share.
    fn run(&self, turn: &TurnInput) -> Self::Run;

    /// How the turn begins. `kept` is the thread as it was before this turn, for assistants that
    /// [interrupt](Assistant::INTERRUPTS).
    fn begin(&self, turn: &TurnInput, kept: Option<&Snapshot<Self::State>>) -> Begin<Self::State>;

    /// What it remembers of a thread, in its public form.
    fn remembered(kept: &Snapshot<Self::State>) -> Remembered;
}

/// What an assistant remembers of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// In the assistant's own form.
    pub values: Value,
    /// Whether it waits for the person: a question is open.
    pub asks: bool,
}

/// Runs an assistant's turns. Built once; every turn of every thread runs on it. Cheap to clone.
pub struct Runner<A: Assistant> {
    graph: GraphRunner<A::State, RunContext<A::Run>>,
    assistant: Arc<A>,
}

impl<A: Assistant> Runner<A> {
    /// Keeps the threads in the store, or remembers nothing when there is none.
    pub fn new(
        assistant: A,
        checkpointer: Option<Arc<dyn Checkpointer>>,
    ) -> Result<Self, BuildError> {
        let graph = A::build_graph()?;
        let graph = match checkpointer {
            Some(checkpointer) => graph.with_checkpointer(checkpointer),
            None => graph,
        };
        Ok(Self {
            graph: GraphRunner::new(graph),
            assistant: Arc::new(assistant),
        })
    }

    /// The assistant.
    pub fn assistant(&self) -> &A {
        &self.assistant
    }

    /// What the thread of this key remembers, and which questions it waits on; `None` when there is
    /// no such thread.
    pub async fn thread(&self, thread_key: &str) -> Result<Option<Snapshot<A::State>>, Error> {
        self.graph.thread(thread_key).await
    }

    /// Runs a turn. The last event is [`RunEvent::Finished`] or [`RunEvent::Failed`].
    ///
    /// The run has a task of its own from the first poll on (so this needs a tokio runtime), and
    /// waits for its reader when that falls far behind; dropping the stream cancels it. The thread
    /// is stored before the last event comes: once, because a turn is all or nothing. At most one
    /// turn of a thread may run at a time; the caller sees to that.
    ///
    /// A turn that was [cut off before](crate::Attempt) builds on the thread as it was before it,
    /// for the thread may have been stored just before the end came.
    pub fn run(&self, turn: TurnInput) -> BoxStream<'static, RunEvent> {
        let (graph, assistant) = (self.graph.clone(), Arc::clone(&self.assistant));
        let run = async move {
            let base = match &turn.thread_key {
                Some(key) if turn.attempt.is_again() => graph.base_of(key, &turn.run_id).await,
                _ => crate::runner::Base::Newest,
            };
            let kept = match &turn.thread_key {
                Some(key) if A::INTERRUPTS => graph.kept(key, base).await.ok().flatten(),
                _ => None,
            };
            let start = start(&*assistant, turn, kept.as_ref());
            graph.begin(start, base)
        };
        stream::once(run).flatten().boxed()
    }
}

fn start<A: Assistant>(
    assistant: &A,
    turn: TurnInput,
    kept: Option<&Snapshot<A::State>>,
) -> TurnStart<A::State, RunContext<A::Run>> {
    let begin = assistant.begin(&turn, kept);
    let own = assistant.run(&turn);
    let (thread_id, message_id) = (turn.thread_id.clone(), turn.message_id.clone());
    let cancellation = turn.cancellation.clone();
    let run = RunContext::new(turn, own);
    TurnStart {
        thread_id,
        thread_key: run.thread_key.clone(),
        run_id: run.run_id.to_string(),
        message_id,
        begin,
        recursion_limit: assistant.recursion_limit(),
        account: Arc::clone(run.account()),
        cancellation,
        run: Arc::new(run),
    }
}

impl<A: Assistant> Clone for Runner<A> {
    fn clone(&self) -> Self {
        Self {
            graph: self.graph.clone(),
            assistant: Arc::clone(&self.assistant),
        }
    }
}

impl<A: Assistant> fmt::Debug for Runner<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("assistant", &A::NAME)
            .finish_non_exhaustive()
    }
}
