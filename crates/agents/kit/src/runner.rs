//! Turns of conversations on an assistant's graph: one call per turn, events out.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use contracts::run::RunEvent;
use futures::{Stream, StreamExt, stream};
use graph::{
    Answers, CheckpointId, CompiledGraph, Durability, Error, Input, Outcome, Run, RunConfig,
    Snapshot, State, StreamItem, Unreadable, Warning,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{Account, ThreadState, events::OpenEvents};

/// In a checkpoint's metadata: the run that stored it.
const RUN_ID: &str = "run_id";

/// An assistant's graph. Built once; every turn of every thread runs on it. Cheap to clone.
pub struct GraphRunner<S: State, R = ()> {
    graph: CompiledGraph<S, R>,
}

impl<S: State, R> Clone for GraphRunner<S, R> {
    fn clone(&self) -> Self {
        Self {
            graph: self.graph.clone(),
        }
    }
}

impl<S: State, R> std::fmt::Debug for GraphRunner<S, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphRunner").finish_non_exhaustive()
    }
}

/// What one turn begins with.
pub struct TurnStart<S: State, R = ()> {
    /// The thread, as its owner names it.
    pub thread_id: String,
    /// The thread's key in the checkpointer; `None` runs without memory.
    pub thread_key: Option<Arc<str>>,
    /// The run.
    pub run_id: String,
    /// The message that the run writes.
    pub message_id: String,
    /// How it begins.
    pub begin: Begin<S>,
    /// Supersteps that the longest turn may take.
    pub recursion_limit: u32,
    /// The usage of the run's models.
    pub account: Arc<Account>,
    /// Stops the run.
    pub cancellation: CancellationToken,
    /// The context that the nodes share.
    pub run: Arc<R>,
}

/// How a turn begins.
#[derive(Clone)]
pub enum Begin<S: State> {
    /// From the graph's start, with this update.
    Turn(S::Update),
    /// At the questions that the thread's last turn ended with.
    Answer {
        /// To those questions.
        answers: Answers,
        /// Applied first.
        update: Option<S::Update>,
    },
}

impl<S: ThreadState, R: Send + Sync + 'static> GraphRunner<S, R> {
    /// Turns on this graph; give it its checkpointer before.
    pub fn new(graph: CompiledGraph<S, R>) -> Self {
        Self { graph }
    }

    /// The memory of the thread with this key, and its open questions; `None` when there is
    /// no such thread.
    pub async fn thread(&self, thread_key: &str) -> Result<Option<Snapshot<S>>, Error> {
        self.graph.get_state(thread_key, None).await
    }

    /// The state that [`Self::thread`] returned before this run was begun for the first time: the
    /// base of [`Self::run_again`].
    pub async fn thread_before(
        &self,
        thread_key: &str,
        run_id: &str,
    ) -> Result<Option<Snapshot<S>>, Error> {
        let base = self.base_of(thread_key, run_id).await;
        self.kept(thread_key, base).await
    }

    /// The memory of the thread at its base.
    pub(crate) async fn kept(
        &self,
        thread_key: &str,
        base: Base,
    ) -> Result<Option<Snapshot<S>>, Error> {
        match base {
            Base::Newest => self.graph.get_state(thread_key, None).await,
            Base::Checkpoint(id) => self.graph.get_state(thread_key, Some(id)).await,
            Base::Nothing => Ok(None),
        }
    }

    /// Runs a turn. The run has a task of its own (so this needs a tokio runtime) and waits for its
    /// reader when that falls far behind; dropping the stream cancels it. The thread is stored
    /// before the last event comes: once, because a turn is all or nothing. At most one turn of a
    /// thread may run at a time; the caller sees to that.
    pub fn run(&self, start: TurnStart<S, R>) -> TurnRun<S> {
        self.begin(start, Base::Newest)
    }

    /// Runs a turn again that was cut off: [`Self::run`] from where the thread was before it, for
    /// the thread may have been stored just before the end came.
    pub fn run_again(
        &self,
        start: TurnStart<S, R>,
    ) -> impl Stream<Item = RunEvent> + Send + 'static + use<S, R> {
        let runner = self.clone();
        let run = async move {
            let base = runner.before(&start).await;
            runner.begin(start, base)
        };
        stream::once(run).flatten()
    }

    /// Runs a turn that begins with the open questions of the thread: `start` receives the state
    /// that [`Self::thread`] returns, if there is such a thread.
    pub fn run_from<F>(
        &self,
        thread_key: Option<Arc<str>>,
        start: F,
    ) -> impl Stream<Item = RunEvent> + Send + 'static + use<S, R, F>
    where
        F: FnOnce(Option<&Snapshot<S>>) -> TurnStart<S, R> + Send + 'static,
    {
        let runner = self.clone();
        let run = async move {
            let kept = match thread_key {
                Some(key) => runner.thread(&key).await.ok().flatten(),
                None => None,
            };
            runner.run(start(kept.as_ref()))
        };
        stream::once(run).flatten()
    }

    /// The same for a turn that was cut off: see [`Self::run_again`].
    pub fn run_again_from<F>(
        &self,
        thread_key: Option<Arc<str>>,
        run_id: String,
        start: F,
    ) -> impl Stream<Item = RunEvent> + Send + 'static + use<S, R, F>
    where
        F: FnOnce(Option<&Snapshot<S>>) -> TurnStart<S, R> + Send + 'static,
    {
        let runner = self.clone();
        let run = async move {
            let kept = match thread_key {
                Some(key) => {
                    let kept = runner.thread_before(&key, &run_id);
                    kept.await.ok().flatten()
                }
                None => None,
            };
            runner.run_again(start(kept.as_ref()))
        };
        stream::once(run).flatten()
    }

    /// The position of the thread before this turn. When that cannot be found out, or is kept no
    /// more, it is where the thread is now.
    async fn before(&self, start: &TurnStart<S, R>) -> Base {
        match &start.thread_key {
            Some(key) => self.base_of(key, &start.run_id).await,
            None => Base::Newest,
        }
    }

    pub(crate) async fn base_of(&self, key: &str, run_id: &str) -> Base {
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

    pub(crate) fn begin(&self, start: TurnStart<S, R>, base: Base) -> TurnRun<S> {
        let started = RunEvent::Started {
            thread_id: start.thread_id,
            run_id: start.run_id.clone(),
            message_id: start.message_id,
        };
        let config = RunConfig {
            recursion_limit: start.recursion_limit,
            cancellation: start.cancellation,
            durability: Durability::Exit,
            thread_id: start.thread_key,
            unreadable: Unreadable::StartFresh,
            checkpoint_id: match base {
                Base::Checkpoint(id) => Some(id),
                Base::Newest | Base::Nothing => None,
            },
            metadata: [(RUN_ID.to_owned(), json!(start.run_id))]
                .into_iter()
                .collect(),
            ..RunConfig::default()
        };
        let input = match (start.begin, base) {
            (Begin::Turn(update), Base::Newest | Base::Checkpoint(_)) => Input::update(update),
            (Begin::Turn(update), Base::Nothing) => fresh(Some(update)),
            (Begin::Answer { update, .. }, Base::Nothing) => fresh(update),
            (Begin::Answer { answers, update }, _) => Input::ResumeWith {
                answers,
                updates: update.into_iter().collect(),
            },
        };
        TurnRun {
            run: self.graph.stream_with(input, start.run, config),
            account: start.account,
            ledger: OpenEvents::default(),
            ready: VecDeque::from([started]),
            over: false,
        }
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
pub(crate) enum Base {
    /// The newest state of the thread.
    Newest,
    /// The state at this checkpoint.
    Checkpoint(CheckpointId),
    /// It is the thread's first.
    Nothing,
}

/// A turn in progress: a stream of events, the last of which is [`RunEvent::Finished`] or
/// [`RunEvent::Failed`].
pub struct TurnRun<S: State> {
    run: Run<S>,
    account: Arc<Account>,
    ledger: OpenEvents,
    /// Events that are due before the run is asked for more.
    ready: VecDeque<RunEvent>,
    over: bool,
}

impl<S: State<Event = RunEvent>> TurnRun<S> {
    /// Asks the run to stop. It still yields what it had said, and its last event.
    pub fn cancel(&mut self) {
        self.run.cancel();
    }

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
