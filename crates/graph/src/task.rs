//! Running one task: its node, with timeout, retries, and panics caught.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    Command, Context, Failure, Interrupt, State, StreamItem, StreamModes, TaskStatus,
    compiled::NodeSpec,
    error::{Signal, panic_message},
    stream::ItemSender,
};

/// Who listens to a run, and to what.
pub(crate) struct Listener<S: State> {
    pub(crate) items: ItemSender<S>,
    pub(crate) modes: StreamModes,
    /// The run's token: a reader that has stopped reading must not delay a cancelled run.
    pub(crate) cancellation: CancellationToken,
}

impl<S: State> Clone for Listener<S> {
    fn clone(&self) -> Self {
        Self {
            items: self.items.clone(),
            modes: self.modes,
            cancellation: self.cancellation.clone(),
        }
    }
}

impl<S: State> Listener<S> {
    /// Sends an item. An item without a receiver is dropped, and so is one that finds no room
    /// when the run is cancelled.
    pub(crate) async fn send(&self, item: StreamItem<S>) {
        tokio::select! {
            biased;
            _ = self.items.send(item) => {}
            () = self.cancellation.cancelled() => {}
        }
    }
}

/// How a task ended.
pub(crate) enum TaskEnd<S: State> {
    Done(Command<S>),
    Interrupted(Interrupt),
    Failed { failure: Failure, attempts: u32 },
}

impl<S: State> TaskEnd<S> {
    fn status(&self) -> TaskStatus {
        match self {
            Self::Done(_) => TaskStatus::Done,
            Self::Interrupted(_) => TaskStatus::Interrupted,
            Self::Failed { .. } => TaskStatus::Failed,
        }
    }
}

/// Runs the task to its end and reports the result to the listener.
pub(crate) async fn run<S: State, R: 'static>(
    spec: &NodeSpec<S, R>,
    state: Arc<S>,
    context: Context<S, R>,
    listener: Option<Listener<S>>,
) -> TaskEnd<S> {
    let task = Arc::clone(&context.task);
    let listener = listener.filter(|listener| listener.modes.contains(StreamModes::TASKS));
    if let Some(listener) = &listener {
        let item = StreamItem::TaskStarted {
            node: Arc::clone(&task.node),
            step: task.step,
            task: task.index,
        };
        listener.send(item).await;
    }
    let end = attempts(spec, state, context, listener.as_ref()).await;
    if let Some(listener) = &listener {
        let (node, status) = (Arc::clone(&task.node), end.status());
        listener
            .send(StreamItem::TaskFinished {
                node,
                step: task.step,
                task: task.index,
                status,
            })
            .await;
    }
    end
}

async fn attempts<S: State, R: 'static>(
    spec: &NodeSpec<S, R>,
    state: Arc<S>,
    mut context: Context<S, R>,
    listener: Option<&Listener<S>>,
) -> TaskEnd<S> {
    loop {
        let (task, attempt) = (&context.task, context.attempt);
        let span = tracing::info_span!("graph.node", node = &*task.node, step = task.step, attempt);
        let failure = match attempt_once(spec, Arc::clone(&state), context.clone())
            .instrument(span)
            .await
        {
            Ok(command) => return TaskEnd::Done(command),
            Err(Signal::Interrupt(interrupt)) => return TaskEnd::Interrupted(*interrupt),
            Err(Signal::Failure(failure)) => failure,
        };
        let Some(wait) = spec.options.retry.backoff(attempt, &failure) else {
            return TaskEnd::Failed {
                failure,
                attempts: attempt,
            };
        };
        tracing::debug!(
            node = &*task.node,
            attempt,
            ?wait,
            error = describe(&failure),
            "a node failed and is tried again"
        );
        if let Some(listener) = listener {
            let (node, error) = (Arc::clone(&task.node), describe(&failure));
            listener
                .send(StreamItem::TaskRetried {
                    node,
                    step: task.step,
                    task: task.index,
                    attempt,
                    error,
                })
                .await;
        }
        tokio::time::sleep(wait).await;
        context.attempt += 1;
    }
}

async fn attempt_once<S: State, R: 'static>(
    spec: &NodeSpec<S, R>,
    state: Arc<S>,
    context: Context<S, R>,
) -> Result<Command<S>, Signal> {
    // The block is inside, because a node may panic before it has made its future.
    let run = AssertUnwindSafe(async { spec.node.run(state, context).await }).catch_unwind();
    let caught = match spec.options.timeout {
        None => run.await,
        Some(after) => match tokio::time::timeout(after, run).await {
            Ok(caught) => caught,
            Err(_) => return Err(Signal::Failure(Failure::TimedOut { after })),
        },
    };
    match caught {
        Ok(result) => result.map_err(|error| error.0),
        Err(payload) => Err(Signal::Failure(Failure::Panicked {
            message: panic_message(&*payload),
        })),
    }
}

/// The failure with its causes, on one line.
fn describe(failure: &Failure) -> String {
    let mut text = failure.to_string();
    let mut cause = std::error::Error::source(failure);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
