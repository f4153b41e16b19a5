//! Turns of conversations on an assistant's graph: one call per turn, events out.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use contracts::run::RunEvent;
use futures::{Stream, StreamExt, stream, stream::BoxStream};
use graph::{
    BuildError, CheckpointId, Checkpointer, Durability, Error, Input, Outcome, Run, RunConfig,
    Snapshot, State, StreamItem, Unreadable, Warning,
};
use serde_json::json;

use crate::{
    Account, Assistant, AssistantGraph, Begin, RunContext, ThreadState, TurnInput,
    events::OpenEvents,
};

/// In a checkpoint's metadata: the run that stored it.
const RUN_ID: &str = "run_id";

/// Runs an assistant's turns. Built once; every turn of every thread runs on it. Cheap to clone.
pub struct Runner<A: Assistant> {
    graph: AssistantGraph<A>,
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
            graph,
            assistant: Arc::new(assistant),
        })
    }

    /// The memory of the thread with this key, and its open questions; `None` when there is
    /// no such thread.
    pub async fn thread(&self, thread_key: &str) -> Result<Option<Snapshot<A::State>>, Error> {
        self.graph.get_state(thread_key, None).await
    }

    /// The assistant.
    pub fn assistant(&self) -> &A {
        &self.assistant
    }

    /// Runs a turn. The last event is [`RunEvent::Finished`] or [`RunEvent::Failed`].
    ///
    /// The run continues while its stream is read, in the task that reads it (so this needs a tokio
    /// runtime); dropping the stream cancels it, and it ends in a task of its own. The thread
    /// is stored before the last event comes: once, because a turn is all or nothing. At most one
    /// turn of a thread may run at a time; the caller sees to that.
    ///
    /// A turn that was [cut off before](crate::Attempt) builds on the thread as it was before it,
    /// for the thread may have been stored just before the end came.
    pub fn run(&self, turn: TurnInput) -> BoxStream<'static, RunEvent> {
        let runner = self.clone();
        let run = async move {
            let base = match &turn.thread_key {
                Some(key) if turn.attempt.is_again() => runner.base_of(key, &turn.run_id).await,
                _ => Base::Newest,
            };
            let kept = match &turn.thread_key {
                Some(key) if A::INTERRUPTS => runner.kept(key, base).await.ok().flatten(),
                _ => None,
            };
            runner.begin(turn, kept.as_ref(), base)
        };
        stream::once(run).flatten().boxed()
    }

    /// The memory of the thread at its base.
    async fn kept(
        &self,
        thread_key: &str,
        base: Base,
    ) -> Result<Option<Snapshot<A::State>>, Error> {
        match base {
            Base::Newest => self.graph.get_state(thread_key, None).await,
            Base::Checkpoint(id) => self.graph.get_state(thread_key, Some(id)).await,
            Base::Nothing => Ok(None),
        }
    }

    async fn base_of(&self, key: &str, run_id: &str) -> Base {
        let own = json!(run_id);
        let mut id = None;
        // Each time that the turn was begun it may have left a checkpoint.
        while let Ok(Some(kept)) = self.graph.get_state(key, id).await {
            if kept.checkpoint.metadata.get(RUN_ID) != Some(&own) {
                return id.map_or(Base::Newest, Base::Checkpoint);
            }
            id = kept.checkpoint.parent_id;
            if id.is_none() {
                return Base::Nothing;
            }
        }
        Base::Newest
    }

    fn begin(
        &self,
        turn: TurnInput,
        kept: Option<&Snapshot<A::State>>,
        base: Base,
    ) -> TurnRun<A::State> {
        let started = RunEvent::Started {
            thread_id: turn.thread_id.clone(),
            run_id: turn.run_id.clone(),
            message_id: turn.message_id.clone(),
        };
        let config = RunConfig {
            recursion_limit: self.assistant.recursion_limit(),
            cancellation: turn.cancellation.clone(),
            durability: Durability::Exit,
            thread_id: turn.thread_key.clone(),
            unreadable: Unreadable::StartFresh,
            checkpoint_id: match base {
                Base::Checkpoint(id) => Some(id),
                Base::Newest | Base::Nothing => None,
            },
            metadata: [(RUN_ID.to_owned(), json!(turn.run_id))]
                .into_iter()
                .collect(),
            ..RunConfig::default()
        };
        let input = match (self.assistant.begin(&turn, kept), base) {
            (Begin::Turn(update), Base::Newest | Base::Checkpoint(_)) => Input::update(update),
            (Begin::Turn(update), Base::Nothing) => fresh(Some(update)),
            (Begin::Answer { update, .. }, Base::Nothing) => fresh(update),
            (Begin::Answer { answers, update }, _) => Input::ResumeWith {
                answers,
                updates: update.into_iter().collect(),
            },
        };
        let own = self.assistant.run(&turn);
        let run = RunContext::new(turn, own);
        TurnRun {
            account: Arc::clone(run.account()),
            run: self.graph.stream_here_with(input, Arc::new(run), config),
            ledger: OpenEvents::default(),
            ready: VecDeque::from([started]),
            over: false,
        }
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

/// The first turn of a thread.
fn fresh<S: ThreadState>(update: Option<S::Update>) -> Input<S> {
    let mut state = S::default();
    if let Some(update) = update {
        state.apply(update);
    }
    Input::State(state)
}

/// The state that a turn builds on.
#[derive(Debug, Clone, Copy)]
enum Base {
    /// The newest state of the thread.
    Newest,
    /// The state at this checkpoint.
    Checkpoint(CheckpointId),
    /// It is the thread's first.
    Nothing,
}

/// A turn in progress: a stream of events, the last of which is [`RunEvent::Finished`] or
/// [`RunEvent::Failed`].
struct TurnRun<S: State> {
    run: Run<S>,
    account: Arc<Account>,
    ledger: OpenEvents,
    /// Events that are due before the run is asked for more.
    ready: VecDeque<RunEvent>,
    over: bool,
}

impl<S: State<Event = RunEvent>> TurnRun<S> {
    fn handle(&mut self, item: StreamItem<S>) {
        match item {
            StreamItem::Custom(event) => self.ready.push_back(event),
            StreamItem::Warning(Warning::CheckpointFailed { error }) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a thread could not be stored"
                );
                self.warn(
                    "thread_not_stored",
                    "This conversation could not be saved, so I may not remember this answer.",
                );
            }
            StreamItem::Warning(Warning::CheckpointNotLoaded { error }) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a thread could not be loaded"
                );
                self.warn("thread_not_loaded", "Our earlier conversation can't be read at the moment, so I'm answering without it.");
            }
            StreamItem::Finished(result) => self.finish(result),
            _ => {}
        }
    }

    fn warn(&mut self, code: &str, text: &str) {
        self.ready.push_back(RunEvent::Warning {
            code: code.to_owned(),
            text: text.to_owned(),
        });
    }

    /// An answer that the tools service had no part in says so, whatever else it says.
    fn warn_of_missing_tools(&mut self) {
        if self.account.tells_missing_tools() {
            self.warn(
                "tools_unavailable",
                "The data service did not answer, so this answer lacks what it would have told.",
            );
        }
    }

    fn finish(&mut self, result: Result<Outcome<S>, Error>) {
        self.over = true;
        self.warn_of_missing_tools();
        match result {
            Ok(Outcome::Done(_) | Outcome::Interrupted { .. }) => {
                self.ready.extend(self.ledger.finished(&self.account));
            }
            Ok(Outcome::Cancelled { .. }) => self.ready.extend(self.ledger.stopped(&self.account)),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "a turn failed");
                self.ready.extend(self.ledger.failed());
            }
        }
    }
}

impl<S: State<Event = RunEvent>> Stream for TurnRun<S> {
    type Item = RunEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<RunEvent>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.ledger.note(&event);
                return Poll::Ready(Some(event));
            }
            if self.over {
                return Poll::Ready(None);
            }
            match ready!(self.run.poll_next_unpin(cx)) {
                Some(item) => self.handle(item),
                None => return Poll::Ready(None),
            }
        }
    }
}
