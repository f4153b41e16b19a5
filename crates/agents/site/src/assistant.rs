//! The assistant for whoever runs it: one call per turn, events out.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use contracts::run::RunEvent;
use futures::{Stream, StreamExt, stream};
use graph::{
    BuildError, CheckpointId, Checkpointer, CompiledGraph, Durability, Error, Input, Outcome, Run,
    RunConfig, State, StreamItem, Unreadable, Warning,
};
use serde_json::json;

use crate::{
    ModelOptions, TurnInput,
    events::Ledger,
    graph::build_graph,
    state::{SiteState, SiteUpdate, Transient, TurnHandle},
    turn::{Shared, Turn},
};

/// Supersteps of the longest turn without a model: free chat that hands over to the financial report, which hands over to the audit, with
/// recovery behind it, takes about twenty.
const LONGEST_TURN: u32 = 40;

/// Supersteps of one round of free chat with a model: it is asked, its calls are made, their results are checked.
const ROUND: u32 = 3;

/// In a checkpoint's metadata: the run that stored it.
const RUN_ID: &str = "run_id";

/// The site assistant. Built once; every turn of every thread runs on it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SiteAssistant {
    graph: CompiledGraph<SiteState>,
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
            graph,
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

    /// What the thread of this key remembers; `None` when there is no such thread.
    pub async fn thread(&self, thread_key: &str) -> Result<Option<SiteState>, Error> {
        Ok(self
            .graph
            .get_state(thread_key, None)
            .await?
            .map(|snapshot| snapshot.state))
    }

    /// Runs a turn. The run has a task of its own (so this needs a tokio runtime) and waits for its reader when that falls far behind; dropping the stream
    /// cancels it. The thread is stored before the last event comes: once, because a turn is all or nothing. One that a crash cut
    /// off is simply run again, since its tools only read. At most one turn of a thread may run at a time; the caller sees to that.
    pub fn run(&self, input: TurnInput) -> TurnRun {
        self.begin(input, Base::Newest)
    }

    /// Runs a turn again that was cut off: [`Self::run`] from where the thread was before it, for the thread may have been stored just
    /// before the end came.
    pub fn run_again(
        &self,
        input: TurnInput,
    ) -> impl Stream<Item = RunEvent> + Send + 'static + use<> {
        let assistant = self.clone();
        let run = async move {
            let base = assistant.before(&input).await;
            assistant.begin(input, base)
        };
        stream::once(run).flatten()
    }

    /// Where the thread was before this turn. When that can not be found out, or is kept no more, it is where the thread is now.
    async fn before(&self, input: &TurnInput) -> Base {
        let Some(key) = &input.thread_key else {
            return Base::Newest;
        };
        let own = json!(input.run_id);
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

    fn begin(&self, input: TurnInput, base: Base) -> TurnRun {
        let started = RunEvent::Started {
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            message_id: input.message_id.clone(),
        };
        let config = RunConfig {
            recursion_limit: LONGEST_TURN + ROUND * (self.shared.options.max_steps + 1),
            cancellation: input.cancellation.clone(),
            durability: Durability::Exit,
            thread_id: input.thread_key.clone(),
            unreadable: Unreadable::StartFresh,
            checkpoint_id: match base {
                Base::Checkpoint(id) => Some(id),
                Base::Newest | Base::Nothing => None,
            },
            metadata: [(RUN_ID.to_owned(), json!(input.run_id))]
                .into_iter()
                .collect(),
            ..RunConfig::default()
        };
        let user_timezone = input.user_timezone.clone();
        let turn = Arc::new(Turn::new(input, Arc::clone(&self.shared)));
        let begin = SiteUpdate::Begin {
            user_timezone,
            turn: TurnHandle(Transient(Some(Arc::clone(&turn)))),
        };
        let begin = match base {
            Base::Newest | Base::Checkpoint(_) => Input::update(begin),
            Base::Nothing => {
                let mut state = SiteState::default();
                state.apply(begin);
                Input::State(state)
            }
        };
        TurnRun {
            run: self.graph.stream(begin, config),
            turn,
            ledger: Ledger::default(),
            ready: VecDeque::from([started]),
            over: false,
        }
    }
}

/// What a turn builds on.
#[derive(Debug, Clone, Copy)]
enum Base {
    /// What the thread remembers.
    Newest,
    /// What it remembered then.
    Checkpoint(CheckpointId),
    /// It is the thread's first.
    Nothing,
}

/// A turn in progress: a stream of events, the last of which is [`RunEvent::Finished`] or [`RunEvent::Failed`].
pub struct TurnRun {
    run: Run<SiteState>,
    turn: Arc<Turn>,
    ledger: Ledger,
    /// Events that are due before the run is asked for more.
    ready: VecDeque<RunEvent>,
    over: bool,
}

impl TurnRun {
    /// Asks the run to stop. It still yields what it had said, and its last event.
    pub fn cancel(&mut self) {
        self.run.cancel();
    }

    fn handle(&mut self, item: StreamItem<SiteState>) {
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

    fn finish(&mut self, result: Result<Outcome<SiteState>, Error>) {
        self.over = true;
        match result {
            Ok(Outcome::Done(_)) => self.ready.extend(self.ledger.finished(&self.turn.account)),
            Ok(Outcome::Cancelled { .. } | Outcome::Interrupted { .. }) => {
                self.ready.extend(self.ledger.stopped(&self.turn.account));
            }
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "a turn failed");
                self.ready.extend(self.ledger.failed());
            }
        }
    }
}

impl Stream for TurnRun {
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
