//! A run that is watched: its items, and the handle that yields them.

use std::{
    ops::BitOr,
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll},
};

use futures::{Stream, StreamExt, future::BoxFuture};
use tokio::{
    runtime::Handle,
    sync::mpsc,
    task::{JoinError, JoinHandle},
};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    CheckpointError, CheckpointId, Error, Interrupt, Outcome, State, error::panic_message,
};

/// Which items a stream yields, combined with `|`. What is not asked for is not made, and costs
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamModes(u8);

impl StreamModes {
    /// Only [`StreamItem::Interrupted`], [`StreamItem::Warning`] and [`StreamItem::Finished`],
    /// which always come.
    pub const NONE: Self = Self(0);
    /// What nodes emit. This is the default.
    pub const CUSTOM: Self = Self(1);
    /// The update that each node returned.
    pub const UPDATES: Self = Self(1 << 1);
    /// The whole state after each superstep.
    pub const VALUES: Self = Self(1 << 2);
    /// Tasks as they start, are retried and finish.
    pub const TASKS: Self = Self(1 << 3);
    /// Checkpoints as they are stored.
    pub const CHECKPOINTS: Self = Self(1 << 4);
    /// Everything.
    pub const ALL: Self = Self((1 << 5) - 1);

    /// Whether all of the other's items are among this one's.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Default for StreamModes {
    fn default() -> Self {
        Self::CUSTOM
    }
}

impl BitOr for StreamModes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Something that happened in a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamItem<S: State> {
    /// A task began ([`StreamModes::TASKS`]).
    TaskStarted {
        /// Its node, with the names of its subgraphs before it.
        node: Arc<str>,
        /// The task's superstep.
        step: u32,
        /// Its index in the superstep.
        task: u32,
    },
    /// An attempt of a task failed and another one follows ([`StreamModes::TASKS`]).
    TaskRetried {
        /// The task's node.
        node: Arc<str>,
        /// The task's superstep.
        step: u32,
        /// Its index in the superstep.
        task: u32,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// How it failed.
        error: String,
    },
    /// A task finished ([`StreamModes::TASKS`]).
    TaskFinished {
        /// The task's node.
        node: Arc<str>,
        /// The task's superstep.
        step: u32,
        /// Its index in the superstep.
        task: u32,
        /// How it ended.
        status: TaskStatus,
    },
    /// A node emitted an event ([`StreamModes::CUSTOM`]).
    Custom(S::Event),
    /// An update of a node was applied ([`StreamModes::UPDATES`]).
    Update {
        /// The node.
        node: Arc<str>,
        /// The update that was applied.
        update: S::Update,
    },
    /// The state after a superstep ([`StreamModes::VALUES`]).
    Values {
        /// Number of supersteps that the thread has behind it.
        step: u32,
        /// The state.
        state: Arc<S>,
    },
    /// A checkpoint was stored ([`StreamModes::CHECKPOINTS`]).
    Checkpoint {
        /// The checkpoint.
        id: CheckpointId,
        /// Number of supersteps that the thread has behind it.
        step: u32,
    },
    /// A task waits for an answer; the run ends once its siblings are done.
    Interrupted(Interrupt),
    /// Something went wrong that the run survives.
    Warning(Warning),
    /// The run is over. Always the last item, and there is always one.
    Finished(Result<Outcome<S>, Error>),
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    /// With a command.
    Done,
    /// Waiting for an answer.
    Interrupted,
    /// With a failure.
    Failed,
}

/// Something that a run survives, but whose caller should know of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Warning {
    /// The thread could not be read, and the run began without what it holds, see
    /// [`Unreadable::StartFresh`](crate::Unreadable::StartFresh).
    CheckpointNotLoaded {
        /// Why. The run is stored when what is there is [corrupt](CheckpointError::Corrupt), and
        /// else it is not.
        error: CheckpointError,
    },
    /// A checkpoint could not be stored. The run continues without checkpoints; its thread stays
    /// where it last was stored.
    CheckpointFailed {
        /// The store's error.
        error: CheckpointError,
    },
}

/// The target of nodes' events. A trait because a subgraph's events pass through its lens.
pub(crate) trait EventSink<E>: Send + Sync {
    /// Sends what `make` makes when there is room, and says whether there was. `make` is called at
    /// most once, and only then.
    fn try_emit(&self, make: &mut dyn FnMut() -> Option<E>) -> bool;

    /// Waits for room.
    fn emit(&self, event: E) -> BoxFuture<'_, ()>;
}

pub(crate) type ItemSender<S> = mpsc::Sender<StreamItem<S>>;

pub(crate) struct ChannelSink<S: State>(pub(crate) ItemSender<S>);

impl<S: State> EventSink<S::Event> for ChannelSink<S> {
    fn try_emit(&self, make: &mut dyn FnMut() -> Option<S::Event>) -> bool {
        match self.0.try_reserve() {
            Ok(permit) => {
                if let Some(event) = make() {
                    permit.send(StreamItem::Custom(event));
                }
                true
            }
            Err(mpsc::error::TrySendError::Full(())) => false,
            // A closed channel does not stop the run: a caller that needs this cancels the run.
            Err(mpsc::error::TrySendError::Closed(())) => true,
        }
    }

    fn emit(&self, event: S::Event) -> BoxFuture<'_, ()> {
        Box::pin(async { drop(self.0.send(StreamItem::Custom(event)).await) })
    }
}

/// A run in progress: a stream of [`StreamItem`]s, the last of which is [`StreamItem::Finished`].
///
/// The run has a task of its own, and continues between two reads until the stream's buffer is
/// full; one of [`stream_here_with`](crate::CompiledGraph::stream_here_with) continues while the
/// stream is read. Dropping the handle cancels it; [`Run::detach`] lets it continue alone.
pub struct Run<S: State> {
    items: mpsc::Receiver<StreamItem<S>>,
    /// Taken when it is over.
    work: Option<Work<S>>,
    /// The result of the task, until it is yielded.
    result: Option<Result<Outcome<S>, Error>>,
    cancellation: Option<DropGuard>,
}

/// The task that works on a run.
pub(crate) enum Work<S: State> {
    /// In a task of its own.
    Task(JoinHandle<Result<Outcome<S>, Error>>),
    /// In the task that reads the stream.
    Here(BoxFuture<'static, Result<Outcome<S>, Error>>),
}

impl<S: State> Work<S> {
    fn poll(&mut self, cx: &mut TaskContext<'_>) -> Poll<Result<Outcome<S>, Error>> {
        match self {
            Self::Task(task) => Pin::new(task)
                .poll(cx)
                .map(|joined| joined.unwrap_or_else(|error| Err(abandoned(error)))),
            Self::Here(run) => run.as_mut().poll(cx),
        }
    }
}

impl<S: State> Run<S> {
    pub(crate) fn new(
        items: mpsc::Receiver<StreamItem<S>>,
        work: Work<S>,
        cancellation: CancellationToken,
    ) -> Self {
        Self {
            items,
            work: Some(work),
            result: None,
            cancellation: Some(cancellation.drop_guard()),
        }
    }

    /// Asks the run to stop. It still yields what it had done, and [`Outcome::Cancelled`].
    pub fn cancel(&mut self) {
        drop(self.cancellation.take());
    }

    /// Lets the run continue to its end without a listener.
    pub fn detach(mut self) {
        if let Some(guard) = self.cancellation.take() {
            guard.disarm();
        }
        // Dropping it lets the work continue.
    }

    /// Waits for the end, passing over the items before it; `None` when the end was already
    /// yielded.
    pub async fn finish(mut self) -> Option<Result<Outcome<S>, Error>> {
        while let Some(item) = self.next().await {
            if let StreamItem::Finished(result) = item {
                return Some(result);
            }
        }
        None
    }
}

// Nothing in it is pinned in place.
impl<S: State> Unpin for Run<S> {}

impl<S: State> Stream for Run<S> {
    type Item = StreamItem<S>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Ok(item) = self.items.try_recv() {
                return Poll::Ready(Some(item));
            }
            // The channel alone does not show the end: a node may have passed its context, and with
            // it a sender, to a task of its own. Items sent before the run ended are in the channel
            // by then, so it is read once more.
            if let Some(result) = self.result.take() {
                return Poll::Ready(Some(StreamItem::Finished(result)));
            }
            let Some(work) = &mut self.work else {
                return Poll::Ready(None);
            };
            let Poll::Ready(result) = work.poll(cx) else {
                // What the work has sent by now; otherwise this is woken when there is something.
                return match self.items.poll_recv(cx) {
                    Poll::Ready(Some(item)) => Poll::Ready(Some(item)),
                    Poll::Ready(None) | Poll::Pending => Poll::Pending,
                };
            };
            self.work = None;
            self.result = Some(result);
        }
    }
}

/// Work that was read here is not cut off with its stream: it ends on its own, cancelled or
/// detached, as it would in a task of its own.
impl<S: State> Drop for Run<S> {
    fn drop(&mut self) {
        drop(self.cancellation.take());
        if let Some(Work::Here(run)) = self.work.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(run);
        }
    }
}

/// The run's task can only end without a result when its runtime shuts down; panics are caught
/// inside.
fn abandoned(error: JoinError) -> Error {
    let message = match error.try_into_panic() {
        Ok(payload) => panic_message(&*payload),
        Err(error) => error.to_string(),
    };
    Error::Panicked { message }
}
